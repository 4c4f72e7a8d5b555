import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { runImport } from '../../../domain/imports/sessions.ts'
import { importKindNames } from '../../../domain/imports/kinds.ts'
import { headKey } from '../../../domain/imports/file/header.ts'
import { templateOf } from '../../../domain/imports/template.ts'
import { utf8 } from '../../../domain/text/encoding.ts'
import type { ImportFormat } from '../../../ports/import-sessions.ts'
import { organization } from '../../../adapters/conformance/fixtures.ts'
import { importWorld, sourceOf, toolsWithoutSecrets } from '../../support/data/imports.ts'
import { createScratchStorage } from '../../support/scratch/scratch-storage.ts'
import { openTestService } from '../../support/services/service.ts'

// Files as spreadsheet programs export them, and what the API then shows, compared with the values that were written.

async function openScratch() {
  const service = await openTestService((clock) => createScratchStorage({ clock }))
  const key = await service.addOrganization('acme')
  const world = importWorld(service.storage, organization('acme'), toolsWithoutSecrets(service.clock))
  const run = async (bytes: Uint8Array, format: ImportFormat = 'csv', options = {}) =>
    runImport(
      { kind: 'contacts', format, source: sourceOf(bytes), onProgress: () => undefined, ...options },
      world,
    )
  const contacts = async () => {
    const response = await service.send('/api/v1/contacts?limit=500', { key })
    const { data } = (await response.json()) as {
      readonly data: readonly Readonly<Record<string, unknown>>[]
    }
    return data
  }
  return { service, run, contacts }
}

const problemsOf = (outcome: Awaited<ReturnType<Awaited<ReturnType<typeof openScratch>>['run']>>) =>
  outcome.kind === 'invalid'
    ? outcome.problems.map(({ line, field, message }) => `${line} ${field} ${message}`)
    : [outcome.kind]

const people = [
  { contactId: 'c-1', firstName: 'Zoë', lastName: "O'Neil; jr, esq", source: 'two\nlines "quoted"' },
  { contactId: 'c-2', firstName: 'Ana', lastName: 'tab\there', source: 'plain' },
]
const quoted = (text: string) => (/[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

test.each([
  ['Excel', '\u{FEFF}', ';', '\r\n', ['Contact ID', 'First Name', 'LAST_NAME', 'Source', '']],
  ['Google Sheets', '', ',', '\n', ['contactId', 'first-name', 'lastname', 'source', '']],
  ['Numbers with commas', '', ',', '\r\n', ['contact id', 'First name', 'Last name', 'Source', '']],
  ['Numbers with semicolons', '', ';', '\r\n', ['contact id', 'First name', 'Last name', 'Source', '']],
  ['a text with tabs', '', '\t', '\n', ['contactId', 'firstName', 'lastName', 'source', '']],
  ['an old program with returns', '', ',', '\r', ['contactId', 'firstName', 'lastName', 'source', '']],
])('%s', async (_, mark, delimiter, lineEnd, header) => {
  const { run, contacts } = await openScratch()
  const rows = [header, ...people.map((person) => [...Object.values(person), '']), ['', '', '', '', '']]
  const text = rows.map((cells) => cells.map(quoted).join(delimiter) + lineEnd).join('')
  expect(await run(utf8(mark + text), 'csv', { isDryRun: true })).toMatchObject({
    kind: 'checked',
    read: 2,
    skipped: 1,
  })
  expect(await contacts()).toEqual([])
  expect(await run(utf8(mark + text))).toMatchObject({ kind: 'imported', read: 2, changed: 2, skipped: 1 })
  const shown = (await contacts()).map(({ contactId, firstName, lastName, source }) => {
    return { contactId, firstName, lastName, source }
  })
  expect(shown.sort((left, right) => (String(left.contactId) < String(right.contactId) ? -1 : 1))).toEqual(
    people,
  )
})

test('random cells in every dialect are read as they were written', async () => {
  const cell = fc.string({
    minLength: 1,
    unit: fc.constantFrom('a', ' ', '"', ',', ';', '\t', '\n', 'é', '😀', '-'),
  })
  const filled = cell.filter((text) => text.trim() !== '')
  const dialect = fc.record({
    delimiter: fc.constantFrom(',', ';', '\t'),
    lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
    mark: fc.constantFrom('', '\u{FEFF}'),
  })
  await fc.assert(
    fc.asyncProperty(
      dialect,
      fc.array(fc.tuple(filled, cell), { minLength: 1, maxLength: 5 }),
      async (how, rows) => {
        const { run, contacts } = await openScratch()
        // Every cell is quoted, as a writer that takes no chances does.
        const all = [
          ['Contact Id', 'First Name', 'Source'],
          ...rows.map((row, index) => [`c-${index}`, ...row]),
        ]
        const text = all
          .map((cells) => cells.map((one) => `"${one.replaceAll('"', '""')}"`).join(how.delimiter))
          .join(how.lineEnd)
        expect(await run(utf8(how.mark + text))).toMatchObject({ kind: 'imported', changed: rows.length })
        const shown = new Map((await contacts()).map((contact) => [contact.contactId, contact]))
        // A blank cell of a list of contacts says nothing.
        for (const [index, [firstName, cell]] of rows.entries())
          expect(shown.get(`c-${index}`)).toMatchObject({
            firstName,
            source: cell.trim() === '' ? null : cell,
          })
      },
    ),
    { numRuns: 40 },
  )
})

test.each<ImportFormat>(['csv', 'ndjson'])(
  'an import in %s that leaves defaults out keeps what is stored',
  async (format) => {
    const { service, run, contacts } = await openScratch()
    const given = {
      contactId: 'c-1',
      tags: ['vip'],
      emailConsent: 'subscribed',
      smsConsent: 'unsubscribed',
      createdAt: '2020-01-01T00:00:00.000Z',
    }
    await run(utf8(`${JSON.stringify(given)}\n`), 'ndjson')
    const less = (source: string) =>
      utf8(
        format === 'csv'
          ? `Contact ID;Source\nc-1;${source}\nc-2;${source}\n`
          : `{"contactId":"c-1","source":"${source}"}\n{"contactId":"c-2","source":"${source}","tags":null}\n`,
      )
    service.clock.advance(5_000)
    expect(await run(less('a'), format)).toMatchObject({ changed: 2 })
    const before = await contacts()
    expect(before.find(({ contactId }) => contactId === 'c-1')).toMatchObject({ ...given, source: 'a' })
    const { createdAt, updatedAt, ...fresh } = before.find(({ contactId }) => contactId === 'c-2') ?? {}
    expect(fresh).toMatchObject({ tags: [], emailConsent: 'unknown', smsConsent: 'unknown' })
    expect(createdAt).toBe(updatedAt)
    service.clock.advance(5_000)
    expect(await run(less('a'), format)).toMatchObject({ changed: 0, unchanged: 2 })
    expect(await contacts()).toEqual(before)
  },
)

const KNOWN =
  'Known are contactId, firstName, lastName, email, phone, licensePlate, tags, emailConsent, smsConsent, source, siteId, attributes, createdAt.'
const MAP =
  'Rename the column, or map it: NAME=FIELD, NAME=attributes.NAME to keep it as an attribute, or NAME= to leave it out.'

/** A column and a cell of it, and what an import says about them. */
test.each([
  ['Frist Name', 'x', `1 Frist Name is not a field of contacts. Did you mean firstName? ${MAP}`],
  ['emial', 'x', `1 emial is not a field of contacts. Did you mean email? ${MAP}`],
  ['Phnoe', 'x', `1 Phnoe is not a field of contacts. Did you mean phone? ${MAP}`],
  ['Lisence Plate', 'x', `1 Lisence Plate is not a field of contacts. Did you mean licensePlate? ${MAP}`],
  ['Birthday', 'x', `1 Birthday is not a field of contacts. ${KNOWN} ${MAP}`],
  ['Updated At', 'x', `1 Updated At is set by the service and cannot be imported. Leave it out. ${MAP}`],
  ['CONTACT_ID', 'x', '1 CONTACT_ID means contactId, as column 1 (contactId) does. Keep one of them'],
  [
    'emailConsent',
    'subscribd',
    '2 emailConsent must be one of subscribed, unsubscribed, unknown. Did you mean subscribed?',
  ],
  ['smsConsent', 'perhaps', '2 smsConsent must be one of subscribed, unsubscribed, unknown.'],
  ['tags', 'vip', '2 tags must be a list, such as ["a","b"]'],
  ['tags', '[1]', '2 tags.0 must be a string'],
  [
    'createdAt',
    '5/20/2026',
    '2 createdAt must be an ISO 8601 timestamp with an explicit offset (Z or ±hh:mm), such as 2026-05-20T08:30:00Z',
  ],
  [
    'phone',
    '12',
    '2 phone must be a valid phone number of US, or one with its country such as +12125550123; the country is a setting of the organization',
  ],
  ['email', 'ada', '2 email must be an email address, such as ada@example.com'],
  [
    'organizationId',
    'other',
    '2 organizationId must be acme, the organization into which the file is imported',
  ],
])('the column %s with %s', async (column, cell, sentence) => {
  const { run, contacts } = await openScratch()
  expect(problemsOf(await run(utf8(`contactId\t${column}\nc-1\t${cell}\n`)))).toEqual([sentence])
  expect(await contacts()).toEqual([])
})

const wide = Array.from({ length: 10_000 }, (_, index) => `h${index}`).join(',')

test.each<[string, string | Uint8Array, RegExp]>([
  ['a lone quote', 'contactId,source\nc-1,a"b\n', /^2 \(line\) has a quote inside a cell that is not quoted/],
  ['a quote that stays open', 'contactId,source\nc-1,"a\n', /^2 \(line\) has a quoted cell that never ends/],
  [
    'UTF-16 with its mark',
    new Uint8Array([0xff, 0xfe, 99, 0, 44, 0]),
    /^1 \(line\) begins a file in UTF-16\. Save it as UTF-8/,
  ],
  ['UTF-16 without', new Uint8Array([99, 0, 44, 0, 10, 0]), /^1 \(line\) begins a file in UTF-16/],
  ['a workbook', new Uint8Array([0x50, 0x4b, 3, 4, 10, 10]), /^1 \(line\) begins a workbook/],
  [
    'Latin-1',
    new Uint8Array([...utf8('contactId,source\nc-1,'), 0xe9, 10]),
    /^2 \(line\) is not in UTF-8\. Save/,
  ],
  ['a header of 2 MB', `${'x'.repeat(2_000_000)}\n`, /^1 \(line\) is longer than 1000000 bytes/],
  ['a name of 900 kB', `${'x'.repeat(900_000)}\n`, /^1 x{60}… is not a field of contacts/],
  ['10,000 columns', `contactId,${wide}\n`, /^1 h0 is not a field of contacts/],
  [
    'a cell of 2 MB',
    `contactId,source\nc-1,${'x'.repeat(2_000_000)}\n`,
    /^2 \(line\) is longer than 1000000 bytes/,
  ],
  [
    'a value below no name',
    'contactId,\nc-1,x\n',
    /^2 column 2 holds a value, but the header names no column there/,
  ],
  [
    'an unquoted delimiter',
    'contactId,source\nc-1,a,b\n',
    /^2 \(line\) has 3 cells where the header has 2\. Put a cell in quotes when it contains a comma$/,
  ],
])('%s is told in a sentence', async (_, file, sentence) => {
  const { run } = await openScratch()
  const problems = problemsOf(await run(typeof file === 'string' ? utf8(file) : file))
  expect(problems[0]).toMatch(sentence)
  expect(problems.length).toBeLessThanOrEqual(50)
  expect(Math.max(...problems.map((problem) => problem.length))).toBeLessThan(600)
})

test.each([
  ['an empty file', ''],
  ['a header alone', 'contactId\n'],
])('%s holds no rows', async (_, text) => {
  const { run } = await openScratch()
  expect(await run(utf8(text))).toMatchObject({
    kind: 'imported',
    read: 0,
    warnings: ['The file holds no rows.'],
  })
})

test('columns are mapped, and left out; a wrong mapping names the nearest', async () => {
  const { run, contacts } = await openScratch()
  const file = utf8('Kundennr;Vorname;Notiz\nc-1;Ada;secret\n')
  const mapping = { Kundennr: 'contact id', vorname: 'firstName', Notiz: '' }
  expect(await run(file, 'csv', { mapping })).toMatchObject({ changed: 1 })
  expect(await contacts()).toMatchObject([{ contactId: 'c-1', firstName: 'Ada', source: null }])
  expect(await run(file, 'csv', { mapping: { ...mapping, Vorname: 'fistName' } })).toEqual({
    kind: 'stopped',
    message:
      'Vorname cannot be mapped to fistName, which is not a field of contacts. Did you mean firstName?',
  })
  expect(problemsOf(await run(file, 'csv', { mapping: { ...mapping, Notitz: 'source' } }))).toEqual([
    '1 Notitz is mapped, but the file has no such column. Did you mean Notiz?',
  ])
})

test('all problems of a line are told at once', async () => {
  const { run } = await openScratch()
  const line = { contactId: '', nme: 'x', tags: 'a', emailConsent: 'no', createdAt: 'today', updatedAt: 'x' }
  expect(
    problemsOf(await run(utf8(JSON.stringify(line)), 'ndjson')).map((problem) => problem.split(' ')[1]),
  ).toEqual(['nme', 'updatedAt', 'contactId', 'tags', 'emailConsent', 'createdAt'])
})

test.each([
  'E-Mail;Mobile;Vorname;Nachname;Kennzeichen',
  'Mail,Cell phone,First Name,Surname,License Plate',
  'Correo electrónico;Teléfono móvil;Nombre;Apellidos;Matrícula',
  'Adresse e-mail;Téléphone portable;Prénom;Nom de famille;Immatriculation',
  'MAIL_ADDRESS;Tel.;given-name;Last;number plate;problem',
  'e–mail;Handy-Nr;Rufname;FAMILIENNAME;Kfz-Kennzeichen',
])('heads as people write them: %s', async (head) => {
  const { run, contacts } = await openScratch()
  const cell = head.includes(',') ? ',' : ';'
  const mapping = head.includes('Handy-Nr') ? { 'Handy-Nr': 'phone' } : {}
  const row = ['ada@example.com', '+12125550100', 'Ada', 'Lovelace', 'ABC', 'wrong'].slice(
    0,
    head.split(cell).length,
  )
  expect(await run(utf8(`${head}\n${row.join(cell)}\n`), 'csv', { mapping })).toMatchObject({ fresh: 1 })
  expect(await contacts()).toMatchObject([
    {
      email: row[0],
      phone: row[1],
      firstName: row[2],
      lastName: row[3],
      licensePlate: row[4],
      attributes: {},
    },
  ])
})

test('two columns of one field are refused, naming both', async () => {
  const { run } = await openScratch()
  expect(
    problemsOf(
      await run(utf8('E-mail,Name,Mobile,Mail,Tel\na@b.example,,,,\n'), 'csv', { mapping: { Name: '' } }),
    ),
  ).toEqual([
    '1 Mail means email, as column 1 (E-mail) does. Keep one of them',
    '1 Tel means phone, as column 3 (Mobile) does. Keep one of them',
  ])
})

test('no head means two fields, or is the name of another', async () => {
  for (const kind of importKindNames) {
    const columns = templateOf(kind)
    const keys = columns.flatMap(({ name, heads }) => [...new Set([name, ...heads].map(headKey))])
    expect([kind, keys.length]).toEqual([kind, new Set(keys).size])
  }
})

/** The words of a consent, as people write them; `case` is changed and white space is added by the test. */
const written = {
  subscribed: 'subscribed yes y true 1 x ja j wahr sí si verdadero oui vrai',
  unsubscribed: 'unsubscribed no n false 0 nein falsch falso non faux',
  unknown: 'unknown',
}

test('consents are read as people write them, in CSV alone', async () => {
  const { run, contacts } = await openScratch()
  const cases = Object.entries(written).flatMap(([value, words]) =>
    words
      .split(' ')
      .flatMap((word) =>
        [word, word.toUpperCase(), ` ${word.normalize('NFD')}\u00a0`].map((cell) => ({ cell, value })),
      ),
  )
  const rows = cases.map(({ cell }, at) => `c-${at};${cell};${cases.at(-1 - at)?.cell}`)
  const file = utf8(['contactId;Newsletter;SMS opt-in', ...rows].join('\n'))
  expect(await run(file)).toMatchObject({ kind: 'imported', changed: cases.length })
  const stored = new Map((await contacts()).map((contact) => [contact.contactId, contact]))
  for (const [at, { value }] of cases.entries())
    expect(stored.get(`c-${at}`)).toMatchObject({
      emailConsent: value,
      smsConsent: cases.at(-1 - at)?.value,
    })
  // An empty cell is an absent field: what is stored stays.
  expect(await run(utf8('contactId,Newsletter\nc-0,\n'))).toMatchObject({ changed: 0, unchanged: 1 })
  for (const word of ['yes', 'YES', 'ja', 'x', 'Subscribed', true, 1])
    expect(
      problemsOf(await run(utf8(JSON.stringify({ contactId: 'c-0', emailConsent: word })), 'ndjson')),
    ).toEqual([expect.stringMatching(/^1 emailConsent must be /)])
  for (const cell of ['-1', 'yes!', 'xx', 'nope', '2', 'ja?', '__proto__', 'constructor'])
    expect(problemsOf(await run(utf8(`contactId;emailConsent\nc-0;${cell}\n`)))).toEqual([
      expect.stringMatching(/^2 emailConsent must be one of/),
    ])
  // Words are those of consents, and stay what they are anywhere else.
  await run(utf8('contactId,source,first name\nc-0,yes,Ja\n'))
  expect((await contacts()).find(({ contactId }) => contactId === 'c-0')).toMatchObject({
    source: 'yes',
    firstName: 'Ja',
  })
})

test('heads that may say the opposite, a day or a number are no consent', async () => {
  const { run } = await openScratch()
  for (const head of [
    ...['Subscribed', 'Subscribed at', 'Unsubscribed', 'Opt-out', 'Email opt-out', 'Newsletter opt-out'],
    ...['SMS', 'SMS number', 'Text', 'Do not email', 'Newsletter-Abmeldung', 'Newsletter seit', 'Marketing'],
    ...['Email status', 'Newsletter date', 'No marketing', 'Baja', 'Consent', 'Opt-in'],
  ])
    expect(problemsOf(await run(utf8(`email;${head}\nada@example.com;yes\n`)))).toEqual([
      expect.stringContaining(`1 ${head} is not a field of contacts`),
    ])
})
