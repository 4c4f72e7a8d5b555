import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { endpoints } from '../../test/support/contract/endpoints.ts'
import type { Endpoint } from '../../domain/record/endpoint.ts'
import { readArchive } from '../../domain/organizations/read-archive.ts'
import { demoOrganizations } from '../dev/demo/index.ts'
import { importLines } from '../dev/demo/seed.ts'
import { sites } from '../../domain/resources/sites.ts'
import { sampleRow } from '../../test/support/data/sample-rows.ts'
import { samplePath } from '../../test/support/data/sample-organization.ts'
import { testSecrets } from '../../test/support/runner/fakes.ts'
import { openTestOperator, type TestOperator } from '../../test/support/services/operator/operator.ts'
import { readExport, writeRestore } from '../../domain/operators/archives.ts'
import { readKey, readOperatorKey } from '../../domain/access/keys.ts'
import { archiveInFile, openNodeDigest, remoteSource, writeArchiveFile } from './commands/archive-files.ts'
import { restoreArchive } from './commands/organizations.ts'
import type { OperatorService } from './client/call-service.ts'
import { triedPlaces } from '../../test/support/runner/thorough.ts'
import { scratchFolder } from '../../test/support/scratch/scratch-folder.ts'

// Organizations as a whole, by the commands: exported, and restored elsewhere.

const directory = scratchFolder()
const fileOf = (name: string) => join(directory, name)
const archive = fileOf('demo.tar')
let at: TestOperator
let key: string
const opened: TestOperator[] = []

/**
 * Of the demo's contacts only the first, with what refers to them; of its events, to which nothing refers, these many of
 * a kind.
 */
const CONTACTS = 100
const EVENTS_MAX = 60
const EVENTS = new Set(['link-events', 'billing-events'])
const refersToLater = (line: object) =>
  Array.from(JSON.stringify(line).matchAll(/contact-(\d{4})/g)).some(([, id]) => Number(id) > CONTACTS)
/** Reviews so long that their file is stored in several parts. */
const LONG_COMMENT = 'Waited for forty minutes. '.repeat(4_000)
const longer = (line: object, index: number) => (index < 8 ? { ...line, comment: LONG_COMMENT } : line)

const fewerLines = (demoOrganizations[0]?.lines ?? []).map(([kind, lines]) => {
  const few = () => {
    const kept = lines().filter((line) => !refersToLater(line))
    return EVENTS.has(kind) ? kept.slice(0, EVENTS_MAX) : kept
  }
  return [kind, kind === 'reviews' ? () => few().map(longer) : few] as const
})

async function anotherService(byte = 9): Promise<TestOperator> {
  const other = await openTestOperator(await testSecrets(byte))
  opened.push(other)
  return other
}

async function exported(of: TestOperator, name: string, ...more: readonly string[]): Promise<Buffer> {
  const { code, stderr } = await of.run('org', 'export', fileOf(name), ...more)
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^Exported \w+: \d+ rows in /)])
  return readFileSync(fileOf(name))
}

beforeAll(async () => {
  at = await openTestOperator()
  opened.push(at)
  key = await at.service.addOrganization('demo', demoOrganizations[0]?.organization)
  await importLines(fewerLines, 'demo', at.client(null))
  await exported(at, 'demo.tar', '--id', 'demo')
})
afterEach(() => {
  for (const { service } of opened) expect(service.errors).toEqual([])
})

test('the same state gives the same archive, and an export changes nothing', async () => {
  expect((await exported(at, 'again.tar', '--id', 'demo')).equals(readFileSync(archive))).toBe(true)
})

/** The first value of each field in the archive. */
async function firstValues(): Promise<ReadonlyMap<string, string>> {
  const values = new Map<string, string>()
  for (const { lines } of await linesOf(archive))
    for (const [field, value] of Object.entries(parsed(lines[0] ?? '{}')))
      if (!values.has(field)) values.set(field, String(value))
  return values
}

/** Every answer of the public interface to reads, without cursors, which belong to a root secret. */
async function answers({ service }: TestOperator, of: string): Promise<readonly string[]> {
  const values = await firstValues()
  const read = endpoints.filter(({ access, method }: Endpoint) => access === 'tenant' && method === 'GET')
  const all: string[] = []
  for (const endpoint of read) {
    const path = samplePath(endpoint, (field) => values.get(field) ?? 'none')
    for (let next: string | null = ''; next !== null;) {
      const response = await service.send(`${path}?limit=500${next}`, { key: of })
      const text = await response.text()
      const { pagination } = JSON.parse(text) as { pagination?: { nextCursor?: string | null } }
      const cursor = pagination?.nextCursor ?? null
      all.push(`${path} ${response.status} ${cursor === null ? text : text.replaceAll(cursor, 'CURSOR')}`)
      next = cursor === null ? null : `&cursor=${cursor}`
    }
  }
  return all
}

test('an organization restored elsewhere, in the other place, gives the same answers and the same archive', async () => {
  const other = await anotherService()
  const restored = await other.run('org', 'restore', archive, '--place', 'own')
  expect(restored).toEqual({
    code: 0,
    stdout: '',
    stderr: expect.stringMatching(/^Restored demo: \d+ rows/) as unknown,
  })
  const of = await other.service.addKey({ organizationId: 'demo' })
  const before = await answers(at, key)
  expect(before.length).toBeGreaterThan(40)
  expect(await answers(other, of)).toEqual(before)

  const there = fileOf('there.tar')
  await exported(other, 'there.tar', '--id', 'demo')
  expect(await rowsIn(there)).toEqual(await rowsIn(archive))
  const shown = JSON.parse((await other.run('org', 'show', 'demo')).stdout) as Record<string, unknown>
  expect(shown).toMatchObject({ place: 'own', archive: 'demo.tar', slug: 'sparkle' })

  const third = await anotherService(11)
  expect((await third.run('org', 'restore', there, '--place', 'shared')).code).toBe(0)
  expect((await exported(third, 'third.tar', '--id', 'demo')).equals(readFileSync(archive))).toBe(true)
})

test('under another id and slug, beside the first one, without forms that the first one has', async () => {
  const refused = await at.run('org', 'restore', archive, '--id', 'copy')
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Another organization has the forms') as unknown,
  })
  expect((await at.run('org', 'show', 'copy')).code).toBe(1)
  const other = await anotherService()
  await other.service.addOrganization('rival', { slug: 'sparkle' })
  expect(await other.run('org', 'restore', archive)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('has the slug sparkle') as unknown,
  })
  expect((await other.run('org', 'show', 'demo')).code).toBe(1)
  expect((await other.run('org', 'restore', archive, '--id', 'copy', '--slug', 'shiny')).code).toBe(0)
  const of = await other.service.addKey({ organizationId: 'copy' })
  expect(await answers(other, of)).toEqual(
    (await answers(at, key)).map((answer) =>
      answer.replaceAll('"organizationId":"demo"', '"organizationId":"copy"'),
    ),
  )
})

test('into an organization without rows, which keeps its keys; not into one with rows', async () => {
  const other = await anotherService()
  const of = await other.service.addOrganization('demo')
  expect((await other.run('org', 'restore', archive)).code).toBe(0)
  expect((await other.service.send('/api/v1/sites', { key: of })).status).toBe(200)
  expect(await other.run('org', 'restore', archive)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('demo has rows') as unknown,
  })
})

test('keys and form passwords come with secrets, under the same id and root secret', async () => {
  const { stdout } = await at.run('key', 'issue', '--org', 'demo')
  await exported(at, 'secrets.tar', '--id', 'demo', '--with-secrets')
  const same = await openTestOperator()
  opened.push(same)
  expect((await same.run('org', 'restore', fileOf('secrets.tar'))).stderr).toMatch(
    /^Restored demo: \d+ rows [^\n]+\n$/,
  )
  expect((await same.service.send('/api/v1/sites', { key: stdout.trim() })).status).toBe(200)
  const other = await anotherService()
  expect((await other.run('org', 'restore', fileOf('secrets.tar'))).stderr).toContain('2 keys were left out')
  expect((await other.service.send('/api/v1/sites', { key: stdout.trim() })).status).toBe(401)
  expect(readFileSync(archive, 'utf8')).not.toContain('pbkdf2')
})

test.each(triedPlaces(['shared', 'own']))(
  'a key comes back with its issuer, and revoked when all that descends from that was ended, in the place %s',
  async (place) => {
    const of = await anotherService()
    const run = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await of.run(...args)
      expect([code, stderr]).toEqual([0, expect.anything()])
      return stdout.trim()
    }
    await run('org', 'create', '--id', 'small', '--name', 'Small')
    const eve = await run('key', 'issue', '--operator', 'eve', '--role', 'admin')
    const eveId = readOperatorKey(eve)?.keyId ?? ''
    const hers = await run('key', 'issue', '--org', 'small', '--key', eve)
    const ours = await run('key', 'issue', '--org', 'small')
    await exported(of, 'issued.tar', '--id', 'small', '--with-secrets')
    const again = async () => {
      await run('org', 'delete', '--id', 'small', '--confirm', 'small')
      await run('org', 'restore', fileOf('issued.tar'), '--place', place)
      const statuses = await Promise.all(
        [hers, ours].map(async (key) => (await of.service.send('/api/v1/sites', { key })).status),
      )
      return { statuses, list: await run('key', 'list', '--org', 'small') }
    }
    const before = await again()
    expect(before.statuses).toEqual([200, 200])
    expect(before.list).toMatch(new RegExp(`^${readKey(hers)?.keyId ?? ''} .* ${eveId}$`, 'm'))
    expect(await run('key', 'revoke', eveId, '--descendants')).toContain(readKey(hers)?.keyId)
    const after = await again()
    expect(after.statuses).toEqual([401, 200])
    expect(after.list).toMatch(new RegExp(`^${readKey(hers)?.keyId ?? ''} {2}revoked .* ${eveId}$`, 'm'))
  },
)

test('work that waited is held, and is sent only when an operator retries it', async () => {
  const of = await anotherService()
  expect((await of.run('org', 'restore', archive)).code).toBe(0)
  const submitted = await of.service.send('/api/forms/demo-contact/submissions', {
    json: { _gotcha: '', firstName: 'Ada', email: 'ada@example.com', message: 'Hello' },
  })
  expect(submitted.status).toBe(200)
  const entriesOf = async (operator: TestOperator) =>
    (await operator.run('outbox', 'list')).stdout
      .trim()
      .split('\n')
      .filter((line) => line !== '')
  const pending = await entriesOf(of)
  expect(pending.length).toBeGreaterThan(0)
  await exported(of, 'pending.tar', '--id', 'demo')
  const other = await anotherService(12)
  expect((await other.run('org', 'restore', fileOf('pending.tar'))).code).toBe(0)
  const held = await entriesOf(other)
  expect(held).toHaveLength(pending.length)
  expect(held.every((line) => line.includes('held'))).toBe(true)
  expect(await other.service.storage.outbox.due('2099-01-01T00:00:00.000Z', 10)).toEqual([])
  const entry = (await other.service.storage.outbox.list('demo', null, 1))[0]
  expect((await other.run('outbox', 'retry', entry?.outboxId ?? '')).code).toBe(0)
  expect(await other.service.storage.outbox.due('2099-01-01T00:00:00.000Z', 10)).toHaveLength(1)
})

/** The service, whose calls fail after some parts of a restoration. */
function failingAfter(parts: number, service: OperatorService): OperatorService {
  let left = parts
  return {
    ...service,
    call: (operation, given) => {
      if (operation.id === writeRestore.id && (left -= 1) < 0) throw new Error('The client was killed.')
      return service.call(operation, given)
    },
  }
}

test.each(triedPlaces(['shared', 'own'] as const))(
  'interrupted in the place %s, it is closed until the same command finishes',
  async (place) => {
    const other = await anotherService()
    const of = await other.service.addOrganization('demo')
    const readable = async () => (await other.service.send('/api/v1/sites', { key: of })).status
    const form = async () =>
      (
        await other.service.send('/api/forms/demo-contact/submissions', {
          method: 'POST',
          body: new URLSearchParams({ _gotcha: '' }),
        })
      ).status
    const into = place === 'own' ? ['--id', 'fresh', '--place', 'own'] : []
    const organizationId = place === 'own' ? 'fresh' : 'demo'
    for (const parts of [0, 3, 2]) {
      const restoring = restoreArchive({
        archive: archiveInFile(archive),
        service: failingAfter(parts, other.client(null)),
        organizationId,
        slug: undefined,
        place: place === 'own' ? { place } : {},
        onProgress: () => undefined,
      })
      await expect(restoring).rejects.toThrow('killed')
      if (place === 'shared') expect(await readable()).toBe(401)
      expect(await form()).toBe(404)
      expect((await other.run('org', 'show', organizationId)).code).toBe(1)
      const created = await other.run('org', 'create', '--id', organizationId, '--name', 'Taken')
      expect(created).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('is being restored') as unknown,
      })
    }
    const secrets = await at.run('org', 'export', fileOf('other.tar'), '--id', 'demo', '--with-secrets')
    expect(secrets.code).toBe(0)
    expect(await other.run('org', 'restore', fileOf('other.tar'), ...into)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is being restored from another archive, demo.tar') as unknown,
    })
    expect((await other.run('org', 'restore', archive, ...into)).code).toBe(0)
    const now = await other.service.addKey({ organizationId })
    const expected = (await answers(at, key)).map((answer) =>
      answer.replaceAll('"organizationId":"demo"', `"organizationId":"${organizationId}"`),
    )
    expect(await answers(other, now)).toEqual(expected)
    if (place === 'shared') expect(await readable()).toBe(200)
    expect(await form()).not.toBe(404)
  },
)

test('an organization that changes meanwhile is exported again, and the export says so', async () => {
  const { service } = at
  let reads = 0
  const changing: OperatorService = {
    ...at.client(null),
    call: async (operation, given) => {
      reads += operation.id === readExport.id ? 1 : 0
      if (reads === 40) {
        reads += 1
        await service.storage.tenant('demo').upsert('sites', [sampleRow(sites, 1, 'new-')])
      }
      return at.client(null).call(operation, given)
    },
  }
  const notes: string[] = []
  const source = remoteSource(changing, 'demo', false)
  await writeArchiveFile({
    path: fileOf('changed.tar'),
    source,
    note: (line) => notes.push(line),
    onProgress: () => undefined,
  })
  expect(notes).toEqual(['The organization was changed meanwhile: started again.'])
  expect(readFileSync(fileOf('changed.tar'), 'utf8')).toContain('new-siteId-1')
})

test('a file that cannot be written is told, and what a killed export left behind is removed', async () => {
  const exportTo = (path: string) => at.run('org', 'export', path, '--id', 'demo')
  for (const [path, saying] of [
    [directory, 'is no file'],
    ['/dev/full', 'is no file'],
    [fileOf('missing/demo.tar'), 'was not written'],
    [join(archive, 'demo.tar'), 'was not written'],
  ] as const)
    expect(await exportTo(path)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(new RegExp(`^[^\n]*${saying}[^\n]*\n$`)) as unknown,
    })
  const left = fileOf('left.tar.99999999.unfinished')
  writeFileSync(left, 'half')
  const others = fileOf(`left.tar.${process.ppid}.unfinished`)
  writeFileSync(others, 'half')
  expect((await exportTo(fileOf('left.tar'))).code).toBe(0)
  expect([existsSync(left), existsSync(others)]).toEqual([false, true])
})

test('two exports and two restorations of one organization at once do not disturb each other', async () => {
  const both = [fileOf('one.tar'), fileOf('two.tar')]
  const exports = await Promise.all(both.map((path) => at.run('org', 'export', path, '--id', 'demo')))
  expect(exports.map(({ code }) => code)).toEqual([0, 0])
  const alone = await exported(at, 'alone.tar', '--id', 'demo')
  for (const path of both) expect(readFileSync(path).equals(alone)).toBe(true)
  const other = await anotherService()
  const restored = await Promise.all([1, 2].map(() => other.run('org', 'restore', archive, '--place', 'own')))
  const opened = restored.filter(({ code }) => code === 0)
  expect(opened.length).toBeGreaterThan(0)
  // Who came too late is told so, and nothing of the organization is touched.
  for (const { code, stderr } of restored)
    if (code !== 0) expect(stderr).toMatch(/demo (has rows|is being)|order/)
  await exported(other, 'both.tar', '--id', 'demo')
  expect(await rowsIn(fileOf('both.tar'))).toEqual(await rowsIn(archive))
})

/** An archive with rows of every kind, as version 1 of the format was written first. It is never written again. */
const fixture = join(import.meta.dirname, '../../test/support/archives/version-1.tar')

test('an archive of version 1 is restored, with every row as it was', async () => {
  const other = await anotherService(7)
  expect((await other.run('org', 'restore', fixture)).code).toBe(0)
  await exported(other, 'fixture.tar', '--id', 'acme', '--with-secrets')
  const now = new Map(
    (await linesOf(fileOf('fixture.tar'))).map(({ file, lines }) => [file, lines.map(parsed)]),
  )
  const then = await linesOf(fixture)
  expect(then.length).toBeGreaterThan(30)
  for (const { file, lines } of then) {
    // Copies of what links and products hold, which are not kept any more.
    if (/^rows\/(?:links-tags|products-site-ids)\.ndjson$/.test(file)) continue
    const rows = now.get(file) ?? []
    expect([file, rows.length]).toEqual([file, lines.length])
    for (const [index, line] of lines.entries()) {
      const { status, ...row } = parsed(line)
      expect(rows[index]).toMatchObject(row)
      expect(rows[index]?.status).toBe(file === 'rows/outbox.ndjson' ? 'held' : status)
    }
  }
})

const parsed = (line: string) => JSON.parse(line) as Readonly<Record<string, unknown>>

/** The parts of an archive. */
async function linesOf(path: string) {
  const parts = []
  for await (const piece of readArchive(archiveInFile(path).open(), openNodeDigest))
    if (piece.kind === 'part') parts.push(piece)
  return parts
}

const rowsIn = async (path: string) => (await linesOf(path)).map(({ file, lines }) => [file, lines])

const HEADER = 512

/** Archives that must be refused whole, with what the refusal says. */
const damaged: readonly (readonly [string, (bytes: Buffer) => Buffer, string])[] = [
  ...[0, 1, 511, HEADER, 5_000, 20_000, 100_000].map(
    (end) => [`cut at ${end}`, (bytes: Buffer) => bytes.subarray(0, end), 'cut off'] as const,
  ),
  ['cut before its end', (bytes) => bytes.subarray(0, bytes.length - 600), 'cut off'],
  ['longer', (bytes) => Buffer.concat([bytes, Buffer.from('more')]), 'goes on after its end'],
  ['altered in a row', (bytes) => altered(bytes, 'Oluwaseun', 'Oluwaseum'), 'altered or damaged'],
  ['altered in the settings', (bytes) => altered(bytes, 'Sparkle Car Wash"', 'Sparkle Car Wasn"'), 'altered'],
  [
    'altered in the manifest',
    (bytes) => altered(bytes, `"rows": ${CONTACTS}`, `"rows": ${CONTACTS + 1}`),
    'altered',
  ],
  ['of a newer version', (bytes) => altered(bytes, '"version": 1', '"version": 2'), 'version 2'],
  [
    'of another format',
    (bytes) => altered(bytes, 'tenant-data-archive', 'tenant-data-archiva'),
    'no archive',
  ],
  [
    'with a path that climbs',
    (bytes) => altered(bytes, 'rows/cases.ndjson"', '../../.s.ndjson""'),
    'altered',
  ],
  ['with a manifest of any size', (bytes) => resized(bytes, 8 ** 10), 'at most 1000000'],
]

function altered(bytes: Buffer, from: string, to: string): Buffer {
  const text = bytes.toString('latin1')
  expect(text).toContain(from)
  return Buffer.from(text.replace(from, to), 'latin1')
}

/** Says another size in the first header. */
function resized(bytes: Buffer, size: number): Buffer {
  const header = Buffer.from(bytes.subarray(0, HEADER))
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124, 'latin1')
  header.fill(' ', 148, 156)
  const sum = header.reduce((all, byte) => all + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return Buffer.concat([header, bytes.subarray(HEADER)])
}

test.each(damaged)('an archive %s is refused before anything is written', async (name, damage, saying) => {
  const file = fileOf('damaged.tar')
  writeFileSync(file, damage(readFileSync(archive)))
  const other = await anotherService()
  const { code, stderr } = await other.run('org', 'restore', file)
  expect([name, code]).toEqual([name, 1])
  expect(stderr).toContain(saying)
  expect(await other.service.storage.organizationStore('demo').restoration()).toBe(null)
})

test.each(triedPlaces(['shared', 'own'] as const))(
  'beside the living organization in the place %s, every form gets a new id, which is carried along',
  async (place) => {
    const of = await anotherService(14)
    expect((await of.run('org', 'restore', archive)).code).toBe(0)
    // Notifications and runs are waiting, and a form was removed and saved again.
    const json = { _gotcha: '', firstName: 'Ada', email: 'ada@example.com', message: 'Hello' }
    const submit = async (formId: string) =>
      (await of.service.send(`/api/forms/${formId}/submissions`, { json })).status
    expect(await submit('demo-contact')).toBe(200)
    const extra = fileOf('extra.json')
    writeFileSync(
      extra,
      '{"formId":"further","name":"Extra","fields":[{"id":"a","type":"short_text","label":"A"}]}',
    )
    for (const command of [
      ['form', 'save', extra],
      ['rows', 'delete', 'forms', '--id', 'further'],
      ['form', 'save', extra],
    ])
      expect(await of.run(...command, '--org', 'demo')).toMatchObject({ code: 0 })
    await exported(of, 'begun.tar', '--id', 'demo')
    const begun = fileOf('begun.tar')
    const refused = await of.run('org', 'restore', begun, '--id', 'copy', '--slug', 'copy')
    expect(refused.stderr).toContain('--form-ids new')
    const beside = ['--id', 'copy', '--slug', 'copy', '--form-ids', 'new', '--place', place]
    const restored = await of.run('org', 'restore', begun, ...beside)
    expect([restored.code, restored.stderr]).toEqual([0, restored.stderr])
    const ids = new Map(
      restored.stdout
        .trim()
        .split('\n')
        .map((line) => line.split('  ') as [string, string]),
    )
    expect(ids.get('demo-contact')).toBe('demo-contact-2')
    const copyKey = await of.service.addKey({ organizationId: 'copy' })
    const demoKey = await of.service.addKey({ organizationId: 'demo' })
    const renamed = (text: string) =>
      [...ids].reduce((all, [from, to]) => all.replaceAll(`"formId":"${from}"`, `"formId":"${to}"`), text)
    const read = async (path: string, with_: string) => (await of.service.send(path, { key: with_ })).text()
    for (const path of ['/api/v1/automations?limit=500', '/api/v1/forms/submissions?limit=500']) {
      const before = (JSON.parse(await read(path, demoKey)) as { readonly data: readonly object[] }).data
      const after = (JSON.parse(await read(path, copyKey)) as { readonly data: readonly object[] }).data
      expect(before.length).toBeGreaterThan(0)
      expect(JSON.stringify(after)).toBe(renamed(JSON.stringify(before)))
    }
    expect((await of.service.send('/api/v1/forms/demo-contact', { key: copyKey })).status).toBe(404)
    // Nothing that is stored of it names a form of the first one.
    await exported(of, 'copy.tar', '--id', 'copy')
    expect(await filesWith(begun, [...ids.keys()])).toEqual(
      ['automations', 'form-submissions', 'form-versions', 'forms', 'outbox', 'removals'].map(
        (name) => `rows/${name}.ndjson`,
      ),
    )
    expect(await filesWith(fileOf('copy.tar'), [...ids.keys()])).toEqual([])
    expect(await submit('demo-contact-2')).toBe(200)
    const version = await of.run('form', 'show', 'further-2', '--version', '1', '--org', 'copy')
    expect(JSON.parse(version.stdout)).toMatchObject({ formId: 'further-2', name: 'Extra' })
    // A third one finds the ids of the second taken. Deleted, their forms are free again.
    const third = await of.run(
      'org',
      'restore',
      archive,
      '--id',
      'third',
      '--slug',
      'third',
      '--form-ids',
      'new',
    )
    expect(third.stdout).toContain('demo-contact  demo-contact-3\n')
    expect((await of.run('org', 'delete', '--id', 'copy', '--confirm', 'copy')).code).toBe(0)
    const again = await of.run('org', 'restore', begun, ...beside)
    expect(again.stdout).toBe(restored.stdout)
  },
)

/** The files of an archive in which one of these texts is a whole text. */
async function filesWith(path: string, texts: readonly string[]): Promise<readonly string[]> {
  const naming = (await linesOf(path)).filter(({ lines }) => {
    const whole = lines.join('\n').replaceAll('\\"', '"')
    return texts.some((text) => whole.includes(`"${text}"`))
  })
  return [...new Set(naming.map(({ file }) => file))].sort()
}
