import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { LISTED_PROBLEMS_MAX } from '../../domain/imports/file/transfer.ts'
import { outcomeText } from '../../domain/imports/file/transfer.ts'
import { openTestOperator, type TestOperator } from '../../test/support/services/operator/operator.ts'
import {
  LEFT_OUT,
  attributeOf,
  columnsIn,
  isKnown,
  missingFields,
  readFile,
  rulesOf,
  withField,
  withOthers,
} from '../console/app/imports/columns.ts'
import { sendFile, type Mapping } from '../console/app/imports/send-file.ts'
import { toldImports } from '../console/app/imports/told-imports.ts'
import { createClient } from '../console/app/service/client.ts'
import { scratchFiles, scratchFolder } from '../../test/support/scratch/scratch-folder.ts'

// Lists of contacts as people have them, imported at the first try, by the command and by the console.

const directory = scratchFolder()
const write = scratchFiles(directory)

let operator: TestOperator

beforeEach(async () => {
  operator = await openTestOperator()
  await operator.service.addOrganization('acme')
})

let files = 0

const fileOf = (content: string | Uint8Array) => write(`list-${(files += 1)}.csv`, content)

const importing = (path: string, ...flags: readonly string[]) =>
  operator.run('import', 'contacts', path, '--org', 'acme', ...flags)

type Contact = Readonly<Record<string, unknown>>

async function contacts(): Promise<readonly Contact[]> {
  const key = await operator.service.addKey({ organizationId: 'acme' })
  const response = await operator.service.send('/api/v1/contacts?limit=500', { key })
  return ((await response.json()) as { readonly data: readonly Contact[] }).data
}

const windows1252 = (text: string) => Uint8Array.from(text, (character) => character.codePointAt(0) ?? 0)
const utf16 = (text: string) => new Uint8Array(Buffer.from(`\uFEFF${text}`, 'utf16le'))

interface Messy {
  readonly what: string
  readonly content: string | Uint8Array
  readonly flags?: readonly string[]
  /** What is said of the import; left out: that it brought one new contact. */
  readonly said?: string
  /** Some fields of the contacts that there are afterwards, by their email. */
  readonly stored: Readonly<Record<string, Contact>>
}

const ada = 'ada@example.com'
const bo = 'bo@example.com'

const ONE_NEW = '1 read: 1 new, 0 changed, 0 unchanged, 0 merged'

const messy: readonly Messy[] = [
  {
    what: 'an export of a spreadsheet with a byte order mark',
    content: '\uFEFFE-mail,First Name,Last Name\r\nada@example.com,Ada,Byron\r\n',
    stored: { [ada]: { firstName: 'Ada', lastName: 'Byron' } },
  },
  {
    what: 'German heads with semicolons',
    content: 'Vorname;Nachname;E-Mail;Handy\nAda;Lovelace;ada@example.com;+49 761 2345678\n',
    stored: { [ada]: { lastName: 'Lovelace', phone: '+497612345678' } },
  },
  {
    what: 'Spanish heads with tabs',
    content: 'Nombre\tApellidos\tCorreo\nAda\tByron\tada@example.com\n',
    stored: { [ada]: { firstName: 'Ada', lastName: 'Byron' } },
  },
  {
    what: 'French heads in Windows-1252',
    content: windows1252('Prénom;Nom;Courriel\nHélène;Dupré;ada@example.com\n'),
    stored: { [ada]: { firstName: 'Hélène', lastName: 'Dupré' } },
  },
  {
    what: 'UTF-16, as "Unicode text" is saved',
    content: utf16('Email\tFirst name\r\nada@example.com\tÅsa\r\n'),
    stored: { [ada]: { firstName: 'Åsa' } },
  },
  {
    what: 'Windows-1252 that is named',
    content: windows1252('email,first name\nada@example.com,Zoë\n'),
    flags: ['--encoding', 'windows-1252'],
    stored: { [ada]: { firstName: 'Zoë' } },
  },
  {
    what: 'a first line that names the separator',
    content: 'sep=;\nEmail;Surname\nada@example.com;Byron\n',
    stored: { [ada]: { lastName: 'Byron' } },
  },
  {
    what: 'empty rows between and after the rows',
    content: 'email,first name\n,\nada@example.com,Ada\n,\n\n,\n',
    said: '1 read: 1 new, 0 changed, 0 unchanged, 0 merged, 4 empty rows skipped',
    stored: { [ada]: { firstName: 'Ada' } },
  },
  {
    what: 'one person three times',
    content:
      'email,first name,last name\nada@example.com,Ada,\nADA@example.com,,Byron\nada@example.com,Ada,\n',
    said: '3 read: 1 new, 0 changed, 0 unchanged, 2 merged',
    stored: { [ada]: { firstName: 'Ada', lastName: 'Byron' } },
  },
  {
    what: 'one person by email and by phone',
    content: 'email,mobile,first name\nada@example.com,212 555 0100,Ada\n,(212) 555-0100,Augusta\n',
    said: '2 read: 1 new, 0 changed, 0 unchanged, 1 merged',
    stored: { [ada]: { firstName: 'Augusta', phone: '+12125550100' } },
  },
  {
    what: 'a birthday that has no field',
    content: 'email,Birthday\nada@example.com,10.12.1815\n',
    flags: ['--map', 'Birthday=attributes.birthday'],
    stored: { [ada]: { attributes: { birthday: '10.12.1815' } } },
  },
  {
    what: 'many columns that have no field',
    content: 'email,Birthday,Car,Notes\nada@example.com,1815-12-10,Engine,"likes ""numbers"""\n',
    flags: ['--attributes'],
    stored: { [ada]: { attributes: { Birthday: '1815-12-10', Car: 'Engine', Notes: 'likes "numbers"' } } },
  },
  {
    what: 'a column that is left out',
    content: 'email,Internal\nada@example.com,secret\n',
    flags: ['--map', 'Internal='],
    stored: { [ada]: { attributes: {} } },
  },
  {
    what: 'line breaks within cells',
    content: 'email,last name\n"ada@example.com","Byron\r\nLovelace"\n',
    stored: { [ada]: { lastName: 'Byron\r\nLovelace' } },
  },
  {
    what: 'lines that end as on an old Mac',
    content: 'email,first name\rada@example.com,Ada\rbo@example.com,Bo\r',
    said: '2 read: 2 new, 0 changed, 0 unchanged, 0 merged',
    stored: { [ada]: { firstName: 'Ada' }, [bo]: { firstName: 'Bo' } },
  },
  {
    what: 'heads with spaces, underscores and capitals',
    content: 'EMAIL , FIRST_NAME ,last-name\nada@example.com,Ada,Byron\n',
    stored: { [ada]: { firstName: 'Ada', lastName: 'Byron' } },
  },
  {
    what: 'rows that lack their last cells',
    content: 'email,first name,last name\nada@example.com\nbo@example.com,Bo\n',
    said: '2 read: 2 new, 0 changed, 0 unchanged, 0 merged',
    stored: { [ada]: { firstName: null }, [bo]: { firstName: 'Bo', lastName: null } },
  },
  {
    what: 'phones alone, in three spellings of one',
    content: 'Telefon\n+1 (212) 555-0100\n2125550100\n212.555.0100\n',
    said: '3 read: 1 new, 0 changed, 0 unchanged, 2 merged',
    stored: { null: { phone: '+12125550100' } },
  },
  {
    what: 'a list without an end of its last line',
    content: 'email\nada@example.com\nbo@example.com',
    said: '2 read: 2 new, 0 changed, 0 unchanged, 0 merged',
    stored: { [ada]: {}, [bo]: {} },
  },
  {
    what: 'consents and dates as an earlier export wrote them',
    content: 'email,emailConsent,createdAt\nada@example.com,subscribed,2024-05-01T10:00:00Z\n',
    stored: { [ada]: { emailConsent: 'subscribed', createdAt: '2024-05-01T10:00:00.000Z' } },
  },
]

test.each(messy)('$what', async ({ content, flags = [], said = ONE_NEW, stored }) => {
  const path = fileOf(content)
  const dry = await importing(path, ...flags, '--dry-run')
  const would = said.replace(' new', ' would be new')
  expect([dry.code, dry.stdout]).toEqual([
    0,
    `contacts: ${would}. Nothing is wrong. Nothing was imported: this was a dry run\n`,
  ])
  expect(await contacts()).toEqual([])
  const { code, stdout } = await importing(path, ...flags)
  expect([code, stdout]).toEqual([0, `contacts: ${said}\n`])
  const found = await contacts()
  expect(Object.fromEntries(found.map((contact) => [String(contact.email), contact]))).toMatchObject(stored)
  expect(found).toHaveLength(Object.keys(stored).length)
  // Whoever imports a list again changes nothing.
  const again = await importing(path, ...flags)
  expect(again.stdout).toMatch(/: 0 new, 0 changed, /)
  expect(await contacts()).toEqual(found)
})

/** Imports a file as the console's page does: with what a person would choose there. */
async function importInConsole(
  content: string | Uint8Array,
  chosen: { readonly flags?: readonly string[]; readonly isDryRun?: boolean; readonly skips?: boolean } = {},
) {
  const { flags = [], isDryRun = false, skips = false } = chosen
  const client = createClient(null, () => undefined, operator.key)
  const kind = (await client.call('importKinds.list')).data.find((one) => one.kind === 'contacts')
  const file = new File([typeof content === 'string' ? content : content.slice()], 'list.csv')
  const encoding = flags.includes('windows-1252') ? 'windows-1252' : null
  if (kind === undefined) throw new Error('Contacts cannot be imported')
  const read = await readFile(file, kind, { format: 'csv', encoding })
  if ('problem' in read || read.head === null) throw new Error(JSON.stringify(read))
  const { head, source, note } = read
  let said: Mapping = {}
  for (const flag of flags.filter((one) => one.includes('='))) {
    const [column = '', field = ''] = flag.split('=')
    const { columns } = columnsIn(head, kind, said)
    const choice = field === '' ? LEFT_OUT : field.startsWith('attributes.') ? attributeOf(column) : field
    said = withField(columns, said, column, choice)
  }
  const found = columnsIn(head, kind, said).columns
  if (flags.includes('--attributes')) said = withOthers(found, 'attributes')
  const { columns, mapping } = columnsIn(head, kind, said)
  expect([columns.filter((one) => !isKnown(one)), missingFields(kind, columns)]).toEqual([[], []])
  const rules = rulesOf(kind, mapping)
  const how = { organizationId: 'acme', kind: kind.kind, format: 'csv', mapping, isDryRun } as const
  const passes = new Set<string>()
  const report = ({ pass }: { readonly pass: string }) => passes.add(pass)
  const work = { signal: new AbortController().signal, report }
  const imported = await sendFile(client, { ...how, file, source, rules, skipsProblems: skips }, work)
  const { outcome, skipped, wrong } = imported
  const text = 'read' in outcome ? outcomeText(outcome, skipped) : JSON.stringify(outcome)
  return { text, note, rows: head.rows, wrong, passes }
}

describe('in the console', () => {
  beforeEach(() => {
    // Its client asks the host of its page.
    vi.stubGlobal('fetch', (path: string, init: RequestInit) => operator.service.send(path, init))
    return () => {
      vi.unstubAllGlobals()
    }
  })

  test.each(messy)('$what', async ({ content, flags = [], said = ONE_NEW, stored }) => {
    const preview = await importInConsole(content, { flags, isDryRun: true })
    expect(preview.text).toBe(
      `${said.replace(' new', ' would be new')}. Nothing is wrong. Nothing was imported: this was a dry run`,
    )
    expect([preview.passes.has('comparing'), preview.passes.has('writing')]).toEqual([true, false])
    expect(await contacts()).toEqual([])
    expect((await importInConsole(content, { flags })).text).toBe(said)
    const found = await contacts()
    // An attribute has the name of its column.
    const named = JSON.parse(JSON.stringify(stored).replace('"birthday"', '"Birthday"')) as typeof stored
    expect(Object.fromEntries(found.map((contact) => [String(contact.email), contact]))).toMatchObject(named)
    expect(found).toHaveLength(Object.keys(stored).length)
  })

  test('another encoding is said with an example, and the rows are shown as they are', async () => {
    const list = windows1252('Prénom;Courriel\nHélène;ada@example.com\n;\nZoë;bo@example.com\n')
    const { note, rows } = await importInConsole(list, { isDryRun: true })
    expect(note).toBe('is not UTF-8 and is read as Windows-1252, which gives "Prénom" in line 1')
    expect(rows).toEqual([
      ['Hélène', 'ada@example.com'],
      ['Zoë', 'bo@example.com'],
    ])
  })

  test('rows with problems are skipped, counted and given back, as by the command', async () => {
    const list = 'Vorname;E-Mail\nAda;ada@example.com\nBo;no address\nCy;\n'
    const preview = await importInConsole(list, { skips: true, isDryRun: true })
    expect(preview.text).toBe(
      '1 read: 1 would be new, 0 changed, 0 unchanged, 0 merged, 2 with problems skipped. Nothing was imported: this was a dry run',
    )
    const { text, wrong } = await importInConsole(list, { skips: true })
    expect(text).toBe('1 read: 1 new, 0 changed, 0 unchanged, 0 merged, 2 with problems skipped')
    const path = fileOf(list)
    expect((await importing(path, '--skip-problems')).code).toBe(0)
    expect(wrong).toBe(readFileSync(path.replace('.csv', '.problems.csv'), 'utf8'))
    expect(
      await importInConsole(wrong.replace('no address', 'bo@example.com'), { skips: true }),
    ).toMatchObject({
      text: '1 read: 1 new, 0 changed, 0 unchanged, 0 merged, 1 with problems skipped',
    })
  })

  test('the list of imports says what came of each, with the checks that left rows out', async () => {
    vi.stubGlobal('fetch', (path: string, init: RequestInit) => {
      operator.service.clock.advance(1)
      return operator.service.send(path, init)
    })
    const list = 'Vorname;E-Mail\nAda;ada@example.com\nBo;no address\nCy;\n;\n'
    await importInConsole(list)
    await importInConsole(list, { skips: true, isDryRun: true })
    await importInConsole(list, { skips: true })
    await importInConsole('contactId;Vorname\nc-1;Di\n', { isDryRun: true })
    const client = createClient(null, () => undefined, operator.key)
    const { data } = await client.call('imports.list', { params: { organizationId: 'acme' } })
    expect(data.map(({ state }) => state)).toEqual([
      ...['checked', 'done', 'checked', 'refused', 'checked', 'checked', 'refused', 'refused'],
    ])
    const told = toldImports(data)
    expect(told.map(({ text }) => text)).toEqual([
      '1 read: 1 would be new, 0 changed, 0 unchanged, 0 merged. Nothing is wrong. Nothing was imported: this was a dry run',
      '1 read: 1 new, 0 changed, 0 unchanged, 0 merged, 1 empty row skipped, 2 with problems skipped',
      '1 read: 1 would be new, 0 changed, 0 unchanged, 0 merged, 1 empty row skipped, 2 with problems skipped. Nothing was imported: this was a dry run',
      'Nothing was imported: 2 problems in 3 rows',
    ])
    // Checks without their import, of which the first says nothing of the rows of the other, stand for themselves.
    const [, , check, refused] = data
    if (check === undefined || refused === undefined) throw new Error('There were no checks')
    expect(toldImports([refused]).map(({ text }) => text)).toEqual([
      'Nothing was imported: 2 problems in 3 rows',
    ])
    expect(toldImports([check, refused])).toHaveLength(2)
    const other = { ...refused, readRows: 1 }
    const [, done] = data
    if (done === undefined) throw new Error('Nothing was imported')
    expect(toldImports([done, check, other]).map(({ text }) => text)).toEqual([
      '1 read: 1 new, 0 changed, 0 unchanged, 0 merged, 1 empty row skipped',
      'Nothing was imported: 2 problems in 1 row',
    ])
    for (const unlike of [{ kind: 'sites' }, { mapping: { a: 'b' } }, { totalBytes: 1 }])
      expect(toldImports([done, { ...check, ...unlike }])).toHaveLength(2)
    const open = { ...done, state: 'receiving' as const, readRows: 1_200 }
    expect(toldImports([open, { ...open, state: 'aborted' as const }]).map(({ text }) => text)).toEqual([
      '1200 rows were read so far',
      'The import was given up. Nothing was imported.',
    ])
  })

  test('an attribute has the name that a person gives it, which must be one', async () => {
    const client = createClient(null, () => undefined, operator.key)
    const kind = (await client.call('importKinds.list')).data.find((one) => one.kind === 'contacts')
    if (kind === undefined) throw new Error('Contacts cannot be imported')
    const head = { delimiter: ',', cells: ['email', 'Geburtstag', 'Auto'], rows: [] } as const
    const chosen = (said: Mapping, column: string, name: string) =>
      withField(columnsIn(head, kind, said).columns, said, column, `attributes.${name}`)
    const problems = (said: Mapping) => columnsIn(head, kind, said).columns.map(({ problem }) => problem)
    const birthday = chosen({}, 'Geburtstag', 'birthday')
    expect(birthday).toEqual({ email: 'email', Geburtstag: 'attributes.birthday' })
    // While one has no name yet, or the name of another, both stay as they were chosen.
    for (const [name, problem] of [
      ['', 'Give a name of 1 to 64 characters.'],
      ['x'.repeat(65), 'Give a name of 1 to 64 characters.'],
      ['birthday', 'means attributes.birthday, as column 2 (Geburtstag) does. Keep one of them'],
    ] as const) {
      const both = chosen(birthday, 'Auto', name)
      expect(both).toMatchObject({ Geburtstag: 'attributes.birthday', Auto: `attributes.${name}` })
      expect(problems(both)).toEqual([null, null, problem])
      expect(chosen(both, 'Geburtstag', 'born')).toMatchObject({ Auto: `attributes.${name}` })
    }
    expect(problems(chosen(birthday, 'Auto', 'car'))).toEqual([null, null, null])
  })

  test('what is wrong with the whole file is said once, before anything is sent', async () => {
    const client = createClient(null, () => undefined, operator.key)
    const kind = (await client.call('importKinds.list')).data.find((one) => one.kind === 'contacts')
    if (kind === undefined) throw new Error('Contacts cannot be imported')
    const problems = columnsIn(
      { delimiter: ',', cells: ['email', 'first name', 'Vorname'], rows: [] },
      kind,
      {},
    ).columns.flatMap(({ column, problem }) => (problem === null ? [] : [`${column} ${problem}`]))
    expect(problems).toEqual(['Vorname means firstName, as column 2 (first name) does. Keep one of them'])
    const workbook = new File(['PK\u0003\u0004'], 'list.csv')
    expect(await readFile(workbook, kind, { format: 'csv', encoding: null })).toMatchObject({
      problem: expect.stringContaining('Save the sheet as CSV') as string,
    })
    // A question of a survey can be longer than the name of an attribute.
    const long = 'How did you hear of us? '.repeat(4)
    const survey = `email,${long}\nada@example.com,by a friend\n`
    expect((await importInConsole(survey, { flags: ['--attributes'] })).text).toMatch(/^1 read: 1 new/)
    const cut = `email,${'x'.repeat(63)}\u{1f600}\nbo@example.com,y\n`
    expect((await importInConsole(cut, { flags: ['--attributes'] })).text).toMatch(/^1 read: 1 new/)
    const twice = 'email,Notes,Notes\nada@example.com,a,b\n'
    const said = withOthers(
      columnsIn({ delimiter: ',', cells: ['email', 'Notes', 'Notes'], rows: [] }, kind, {}).columns,
      'out',
    )
    expect(said).toEqual({ email: 'email', Notes: '' })
    expect((await importInConsole(twice, { flags: ['Notes='] })).text).toBe(
      '1 read: 0 new, 0 changed, 1 unchanged, 0 merged',
    )
  })
})

describe('--skip-problems', () => {
  const list = [
    'Vorname;E-Mail;Mobile',
    'Ada;ada@example.com;212 555 0100',
    '"Bo ""the ; Bear""";not an address;',
    'Cy;;',
    'Di;di@example.com;12',
    'Ed;ed@example.com;',
  ].join('\r\n')

  test('imports what is right, and writes the rest with what is wrong, to be mended', async () => {
    const path = fileOf(list)
    const { code, stdout, stderr } = await importing(path, '--skip-problems')
    expect([code, stdout]).toEqual([
      0,
      'contacts: 2 read: 2 new, 0 changed, 0 unchanged, 0 merged, 3 with problems skipped\n',
    ])
    const written = path.replace('.csv', '.problems.csv')
    expect(stderr).toContain(written)
    const rows = readFileSync(written, 'utf8')
    expect(
      rows.split('\r\n').map((row) =>
        row
          .split(/;(?! Bear)/)
          .slice(0, 3)
          .join(';'),
      ),
    ).toEqual([
      '\ufeffVorname;E-Mail;Mobile',
      '"Bo ""the ; Bear""";not an address;',
      'Cy;;',
      'Di;di@example.com;12',
      '',
    ])
    expect(rows).toMatch(/^\ufeffVorname;E-Mail;Mobile;problem\r\n/)
    // Another run would overwrite what somebody mends at this moment.
    expect(await importing(path, '--skip-problems')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is there already') as string,
    })
    const mended = rows
      .replace('not an address', 'bo@example.com')
      .replace('Cy;;', 'Cy;;212 555 0199')
      .replace(';12;', ';;')
    writeFileSync(written, mended)
    expect(await importing(written)).toMatchObject({
      code: 0,
      stdout: 'contacts: 3 read: 3 new, 0 changed, 0 unchanged, 0 merged\n',
    })
    expect((await contacts()).map(({ firstName }) => firstName).sort()).toEqual([
      'Ada',
      'Bo "the ; Bear"',
      'Cy',
      'Di',
      'Ed',
    ])
  })

  test('and --dry-run say what an import would come to, and write no file', async () => {
    const path = fileOf(list)
    expect(await importing(path, '--skip-problems', '--dry-run')).toMatchObject({
      code: 0,
      stdout:
        'contacts: 2 read: 2 would be new, 0 changed, 0 unchanged, 0 merged, 3 with problems skipped. Nothing was imported: this was a dry run\n',
    })
    expect(existsSync(path.replace('.csv', '.problems.csv'))).toBe(false)
    expect(await contacts()).toEqual([])
  })

  test('and --dry-run say why rows would be skipped, with their lines and heads', async () => {
    const path = fileOf(list)
    const phone =
      'must be a valid phone number of US, or one with its country such as +12125550123; the country is a setting of the organization'
    const advice = 'Phone numbers of another country? org create --id acme --phone-country COUNTRY sets it.\n'
    const dry = await importing(path, '--skip-problems', '--dry-run')
    expect(dry.stderr).toBe(
      `${path}:3: E-Mail must be an email address, such as ada@example.com\n` +
        `${path}:4: contactId is missing, and so are email and phone: the row would come anew with each import. Give one of the three\n` +
        `${path}:5: Mobile ${phone}\n${advice}`,
    )
    // The person at a terminal sees what stands there; what is written to a log does not say it.
    const flags = ['--org', 'acme', '--skip-problems', '--dry-run'] as const
    const shown = await operator.runOnTerminal(80, 'import', 'contacts', path, ...flags)
    expect(shown.stderr).toBe(
      dry.stderr
        .replace('E-Mail must', 'E-Mail "not an address" must')
        .replace('Mobile must', 'Mobile "12" must'),
    )
    const refused = await operator.runOnTerminal(80, 'import', 'contacts', path, '--org', 'acme')
    expect(refused.stderr).toBe(shown.stderr.replace(advice, `Nothing was imported.\n${advice}`))
    expect(readFileSync(path, 'utf8')).toBe(list)
    // As many lines as elsewhere, and one that says how many there are.
    const many = fileOf(`email\n${'x\n'.repeat(60)}ada@example.com\n`)
    const lines = (await importing(many, '--skip-problems', '--dry-run')).stderr.trimEnd().split('\n')
    expect([lines.length, lines.at(-1)]).toEqual([51, 'There are 10 problems more.'])
    expect(lines.at(-2)).toBe(`${many}:51: email must be an email address, such as ada@example.com`)
    // Import it, and the file of what was skipped says the same.
    await importing(path, '--skip-problems')
    const written = readFileSync(path.replace('.csv', '.problems.csv'), 'utf8')
    expect(written).toContain(`;"Mobile ${phone}"`)
  })

  test('a cell that a terminal would obey is shown as text, and a secret never', async () => {
    const run = async (kind: string, content: string) => {
      const told = await operator.runOnTerminal(80, 'import', kind, fileOf(content), '--org', 'acme')
      return told.stderr
    }
    const obeyed = await run('contacts', `E-Mail\n\u001b[2J\u202e${'y'.repeat(90)}\n`)
    expect(obeyed).toContain(String.raw`E-Mail "\u001b[2J\u202e${'y'.repeat(55)}…" must be`)
    expect(obeyed).not.toMatch(/\u001b|\u202e/)
    const secret = await run('purchases', 'processorId,status\npi_secret_1234,nonsense\n')
    expect(secret).toMatch(/:2: status must/)
    expect(secret).not.toMatch(/nonsense|pi_secret/)
  })

  test('numbers of another country are refused until the organization has it', async () => {
    await operator.service.addOrganization('hafen', { phoneCountry: 'US' })
    const path = fileOf('Vorname;Handy;Newsletter\nKäthe;0171 / 23 45 610;ja\n')
    const run = () => operator.run('import', 'contacts', path, '--org', 'hafen')
    const refused = await run()
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain('Handy must be a valid phone number of US, or one with its country')
    expect(refused.stderr).toContain('org create --id hafen --phone-country COUNTRY')
    await operator.run('org', 'create', '--id', 'hafen', '--phone-country', 'DE')
    expect(await run()).toMatchObject({ code: 0, stdout: expect.stringContaining('1 new') as string })
  })

  test('without it, one wrong row and nothing is imported', async () => {
    expect((await importing(fileOf(list))).code).toBe(1)
    expect(await contacts()).toEqual([])
  })

  test('leaves no file when nothing is wrong, or when nothing could be imported', async () => {
    const right = fileOf('email\nada@example.com\n')
    expect(await importing(right, '--skip-problems')).toMatchObject({ code: 0 })
    const headless = fileOf('Whatever,Else\na,b\n')
    expect(await importing(headless, '--skip-problems')).toMatchObject({ code: 1, stdout: '' })
    const hopeless = fileOf(`email\n${'x\n'.repeat(LISTED_PROBLEMS_MAX + 1)}`)
    const refused = await importing(hopeless, '--skip-problems')
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/5000 problems or more/)])
    for (const path of [right, headless, hopeless])
      expect(existsSync(path.replace('.csv', '.problems.csv'))).toBe(false)
  })

  test('writes where it is told, or says beforehand that it cannot', async () => {
    const path = fileOf(list)
    const elsewhere = join(directory, 'elsewhere.csv')
    expect(await importing(path, elsewhere, '--skip-problems')).toMatchObject({ code: 0 })
    expect(existsSync(elsewhere)).toBe(true)
    const nowhere = join(directory, 'no', 'such', 'folder.csv')
    expect(await importing(path, nowhere, '--skip-problems')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('cannot be written (ENOENT). Nothing was imported.') as string,
    })
    for (const args of [
      [path, path, '--skip-problems'],
      [path, elsewhere],
      [path, elsewhere, '--skip-problems', '--dry-run'],
      [path, '--skip-problems', '--format', 'ndjson'],
    ] as const)
      expect((await importing(...(args as readonly [string, ...string[]]))).code).toBe(2)
  })

  test('of any kind: a row whose own row was skipped is skipped too', async () => {
    const path = fileOf(
      'siteId,name,status,timezone,createdAt\ns-1,Main,active,UTC,2026-01-01T00:00:00Z\ns-2,Other,open,UTC,2026-01-01T00:00:00Z\n',
    )
    const { code, stdout } = await operator.run('import', 'sites', path, '--org', 'acme', '--skip-problems')
    expect([code, stdout]).toEqual([0, 'sites: 1 read, 1 changed, 0 unchanged, 1 with problems skipped\n'])
  })
})
