import { beforeEach, expect, test } from 'vitest'
import { ABANDONED_MS, PART_BYTES } from '../../domain/imports/file/transfer.ts'
import { sweepImports } from '../../domain/imports/write.ts'
import { newOrganization } from '../../domain/organizations/settings.ts'
import { importWorld, toolsWithoutSecrets } from '../../test/support/data/imports.ts'
import { operate, reachOf, TEST_URL, type Operated } from '../../test/support/services/operator/operator.ts'
import { createScratchStorage, type ScratchStorage } from '../../test/support/scratch/scratch-storage.ts'
import { openTestService, type TestService } from '../../test/support/services/service.ts'
import type { Reach } from './client/call-service.ts'
import { scratchFiles } from '../../test/support/scratch/scratch-folder.ts'

// Checks which message a person at the command line gets when an import goes wrong, and that nothing of the import is
// half done or lost.

const write = scratchFiles()

let storage: ScratchStorage
let service: TestService
let key: string

beforeEach(async () => {
  service = await openTestService((clock) => (storage = createScratchStorage({ clock })))
  await service.addOrganization('acme')
  key = await service.addOperatorKey('admin')
})

const line = (contactId: string, filler = '') =>
  `${JSON.stringify({ contactId, source: filler, tags: [], emailConsent: 'unknown', smsConsent: 'unknown', createdAt: '2026-01-01T00:00:00Z' })}\n`

/** Enough lines for three parts. */
const threeParts = Array.from({ length: 1_500 }, (_, index) => line(`c-${index}`, 'x'.repeat(300))).join('')

const fileOf = (content: string | Uint8Array, name = 'contacts.ndjson') => write(name, content)

/** Runs `import contacts FILE --org acme`. */
function runImport(path: string, reach: Reach = reachOf(service)): Promise<Operated> {
  const args = ['import', 'contacts', path, '--org', 'acme', '--url', TEST_URL, '--key', key]
  return operate(args, { reach })
}

async function contacts(): Promise<number> {
  const tenant = await service.addKey({ organizationId: 'acme' })
  const response = await service.send('/api/v1/contacts?limit=500', { key: tenant })
  return ((await response.json()) as { readonly data: readonly unknown[] }).data.length
}

/** Expects that the command failed with this message, and that the organization has no contact. */
async function expectNothing({ code, stdout, stderr }: Operated, saying: RegExp): Promise<void> {
  expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(saying)])
  expect(stderr).not.toMatch(/\bat \S+:\d+:\d+|Error:/)
  expect(await contacts()).toBe(0)
}

/** Passes requests on, and calls `then` after the part with this number was sent and answered. */
function afterPart(number: number, then: () => void | Promise<void>): Reach {
  const reach = reachOf(service)
  return async (request) => {
    const response = await reach(request)
    if (request.url.endsWith(`/parts/${number}`)) await then()
    return response
  }
}

test('three parts are three parts', () => {
  expect(Math.ceil(threeParts.length / PART_BYTES)).toBe(3)
})

test.each([
  [
    'a picture',
    new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0xff, 0xfe]),
    /:1: \(line\) /,
  ],
  [
    'CSV',
    'contactId,email\nc-1,ada@example.com\n',
    /:1: \(line\) is not JSON: column 1: a value was expected/,
  ],
  ['one large array', `[${line('c-1')},${line('c-2')}]`, /:1: \(line\) is not JSON: column \d+: /],
  ['lines that are no objects', '1\n"c-1"\nnull\n', /:1: \(line\) must be a JSON object[^]*:3: \(line\)/],
  [
    'a file that ends within a line',
    line('c-1') + line('c-2').slice(0, 40),
    /:2: \(line\) is not JSON: column \d+: /,
  ],
])('a file that is not NDJSON: %s', async (_what, content, saying) => {
  const refused = await runImport(fileOf(content))
  await expectNothing(refused, saying)
  expect(refused.stderr).toMatch(/^Nothing was imported\.$/m)
})

test('one line that never ends, over many parts', async () => {
  const path = fileOf(`${line('c-1')}{"contactId":"${'x'.repeat(12 * PART_BYTES)}`)
  await expectNothing(
    await runImport(path),
    /:2: \(line\) is longer than 1000000 bytes, which is more than a row can hold\n/,
  )
})

test('a part that is cut on its way is sent again by whoever repeats the command', async () => {
  const path = fileOf(threeParts)
  const reach = reachOf(service)
  const cutting: Reach = async (request) => {
    if (!request.url.endsWith('/parts/2')) return reach(request)
    const body = (await request.arrayBuffer()).slice(0, 1_000)
    return reach(new Request(request.url, { method: 'PUT', headers: request.headers, body }))
  }
  await expectNothing(await runImport(path, cutting), /^[^\n]*: Part 2 does not have the digest [^\n]*\n$/)
  expect(await runImport(path)).toMatchObject({
    code: 0,
    stdout: 'contacts: 1500 read, 1500 changed, 0 unchanged\n',
  })
})

test('a key that expires in mid-import: another one goes on where it stopped', async () => {
  const path = fileOf(threeParts)
  const valid = key
  key = await service.addOperatorKey('admin', '2026-06-15T12:00:01.000Z')
  const expiring = afterPart(2, () => {
    service.clock.set('2026-06-15T12:00:01.000Z')
  })
  await expectNothing(await runImport(path, expiring), /^[^\n]*unknown, revoked or expired[^\n]*\n$/)
  key = valid
  const sent: string[] = []
  const reach = reachOf(service)
  const outcome = await runImport(path, (request) => {
    sent.push(`${request.method} ${new URL(request.url).pathname.split('/').slice(6).join('/')}`)
    return reach(request)
  })
  expect(outcome).toMatchObject({ code: 0, stdout: 'contacts: 1500 read, 1500 changed, 0 unchanged\n' })
  expect(sent.filter((request) => request.startsWith('PUT'))).toEqual([expect.stringMatching(/parts\/3$/)])
})

test('two files of a kind at once: one is imported, the other is told to wait and may come after it', async () => {
  const [one, other] = [fileOf(line('c-1'), 'one.ndjson'), fileOf(line('c-2'), 'other.ndjson')]
  let second: Operated | undefined
  const meanwhile = afterPart(1, async () => {
    second ??= await runImport(other)
  })
  expect((await runImport(one, meanwhile)).stdout).toBe('contacts: 1 read, 1 changed, 0 unchanged\n')
  expect(second).toMatchObject({ code: 1, stdout: '' })
  expect(second?.stderr).toMatch(
    /^\S+: Another file of contacts is being imported into acme \(imp_\w+\)\. Wait [^\n]*\n$/,
  )
  expect((await runImport(other)).code).toBe(0)
  expect(await contacts()).toBe(2)
})

test('two files of a kind at the very same moment: never both, and none is mixed with the other', async () => {
  const paths = ['one', 'other'].map((name) =>
    fileOf(threeParts.replaceAll('c-', `${name}-`), `${name}.ndjson`),
  )
  const outcomes = await Promise.all(paths.map((path) => runImport(path)))
  const done = outcomes.filter(({ code }) => code === 0)
  expect(done.map(({ stdout }) => stdout)).toContain('contacts: 1500 read, 1500 changed, 0 unchanged\n')
  for (const { code, stderr } of outcomes) if (code !== 0) expect(stderr).toMatch(/Another file of contacts/)
  expect(await contacts()).toBe(500)
  const imports = await storage.imports('acme').list(null, 10)
  expect(imports.map(({ changedRows }) => changedRows)).toEqual(done.map(() => 1_500))
})

test('"imports" prints the imports of an organization, one JSON object a line, newest first', async () => {
  const list = (...args: readonly string[]) =>
    operate(['imports', ...args, '--url', TEST_URL, '--key', key], { reach: reachOf(service) })
  expect(await list('--org', 'acme')).toEqual({ code: 0, stdout: '', stderr: '' })
  await runImport(fileOf(line('c-1')))
  service.clock.advance(1_000)
  await runImport(fileOf(line('c-2') + line('c-3')))
  const { stdout } = await list('--org', 'acme')
  const printed = stdout
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text) as Readonly<Record<string, unknown>>)
  expect(printed).toMatchObject([
    { kind: 'contacts', state: 'done', writtenRows: 2 },
    { kind: 'contacts', state: 'done', writtenRows: 1 },
  ])
  expect((await list()).code).toBe(2)
  expect((await list('--org', 'nobody')).code).toBe(1)
})

test('an import that is abandoned for a day is given up, and the same command begins it anew', async () => {
  const path = fileOf(threeParts)
  const world = importWorld(storage, newOrganization('acme', 'acme'), toolsWithoutSecrets(service.clock))
  // The operator key is revoked during the import, and nobody continues the import.
  await expectNothing(
    await runImport(
      path,
      afterPart(2, () => service.revokeOperatorKey(key)),
    ),
    /revoked/,
  )
  service.clock.advance(ABANDONED_MS)
  await sweepImports({
    imports: storage.importDirectory,
    openImports: async () => world,
    clock: service.clock,
    log: { info: () => undefined, error: () => undefined },
  })
  expect((await storage.imports('acme').list(null, 10)).map(({ state }) => state)).toEqual(['aborted'])
  expect(await contacts()).toBe(0)
  key = await service.addOperatorKey('admin')
  expect((await runImport(path)).stdout).toBe('contacts: 1500 read, 1500 changed, 0 unchanged\n')
})
