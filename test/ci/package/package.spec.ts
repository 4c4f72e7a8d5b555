import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { projectRoot } from '../../../host-worker/local/project.ts'
import { install, packProject } from '../../support/services/packed.ts'
import { posSuite, storageSuite } from '../../../adapters/conformance/index.ts'
import { adapterProgram, portableAdapterTypes, workersAdapterTypes } from './adapter-consumer.ts'
import { consumerProgram, consumerTypes } from './package-consumer.ts'

// A project outside of this one, in which npm installs the packed project from the registry, as for any user.
const scratch = mkdtempSync(join(tmpdir(), 'package-'))
const run = promisify(execFile)

interface Manifest {
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly exports?: Readonly<Record<string, unknown>>
}

beforeAll(async () => {
  writeFileSync(join(scratch, 'package.json'), '{ "private": true, "type": "module" }')
  await install(scratch, await packProject())
}, 600_000)

afterAll(() => {
  rmSync(scratch, { recursive: true, force: true })
})

/** Installs the optional peer dependency that a consumer adds for the adapters of its platform. */
async function installPeer(name: string): Promise<void> {
  const range = manifestOf(projectRoot).peerDependencies?.[name]
  if (range === undefined) throw new Error(`${name} is no peer of the package`)
  await install(scratch, `${name}@${range}`)
}

function manifestOf(directory: string): Manifest {
  return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest
}

/** Runs a program as a consumer would. Returns its standard output. */
async function runProgram(program: string): Promise<string> {
  writeFileSync(join(scratch, 'consumer.mjs'), program)
  const { stdout } = await run(process.execPath, ['consumer.mjs'], { cwd: scratch, env: plainEnvironment() })
  return stdout
}

/**
 * The compiler's message about a consumer's modules, in strict mode and without any platform's types; null: no message.
 */
async function complaintAbout(...sources: readonly string[]): Promise<string | null> {
  const files = sources.map((_, index) => `consumer-${index}.ts`)
  for (const [index, source] of sources.entries()) writeFileSync(join(scratch, files[index] ?? ''), source)
  const options = {
    target: 'ES2024',
    module: 'nodenext',
    lib: ['ES2024', 'DOM', 'DOM.Iterable'],
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    // The compiler's own declarations are not under test.
    skipDefaultLibCheck: true,
    noEmit: true,
  }
  const project = JSON.stringify({ compilerOptions: options, files })
  writeFileSync(join(scratch, 'tsconfig.json'), project)
  // library.spec.ts compiles programs with the version before.
  const compiler = join(projectRoot, 'node_modules', 'typescript-7', 'bin', 'tsc')
  return run(process.execPath, [compiler, '--singleThreaded', '--project', scratch]).then(
    () => null,
    (failure: unknown) => (failure as { readonly stdout: string }).stdout,
  )
}

it('exports every adapter', () => {
  // `sql` has what others write their statements with, and `conformance` what they must pass; both are none themselves.
  const adapters = readdirSync(join(projectRoot, 'adapters'))
    .filter((name) => name !== 'sql' && name !== 'conformance')
    .map((name) => `./adapters/${name}`)
  const exported = Object.keys(manifestOf(projectRoot).exports ?? {})
  expect(exported.filter((path) => path.startsWith('./adapters/')).sort()).toEqual(adapters.sort())
  for (const path of adapters) expect(adapterProgram).toContain(`'tenant-data-api${path.slice(1)}'`)
})

it(
  'serves the API from plain Node and proves an adapter, through its exports alone',
  { timeout: 240_000 },
  async () => {
    const served = JSON.parse(await runProgram(consumerProgram)) as unknown
    expect(served).toEqual({ served: 9, conformance: storageSuite.length + posSuite.length })
  },
)

it('does what its manual shows', { timeout: 240_000 }, async () => {
  const manual = readFileSync(
    join(scratch, 'node_modules', 'tenant-data-api', 'host-worker', 'http', 'README.md'),
    'utf8',
  )
  const program = /^```js\n(.*?)^```/ms.exec(manual)?.[1] ?? ''
  expect((await runProgram(program)).trim().split('\n').at(-1)).toBe('200')
})

it('lends its adapters to plain Node', { timeout: 240_000 }, async () => {
  expect(await runProgram(adapterProgram)).toBe('used\n')
})

it('declares its types for a strict project without any platform', { timeout: 180_000 }, async () => {
  expect(await complaintAbout(consumerTypes, portableAdapterTypes)).toBeNull()
})

it("declares the types of the platform's adapters beside its peer", { timeout: 180_000 }, async () => {
  await installPeer('@cloudflare/workers-types')
  expect(await complaintAbout(workersAdapterTypes)).toBeNull()
})

it('ships what its exports need, each file from a source that still exists', () => {
  const directory = join(scratch, 'node_modules', 'tenant-data-api')
  const shipped = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /\.\w+$/.test(path),
  )
  const [built, others] = [shipped.filter(isBuilt), shipped.filter((path) => !isBuilt(path))]
  const migrations = ['adapters/sqlite/migrations', 'adapters/pos-legacy-vendor/migrations'].flatMap(
    (folder) =>
      readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.sql'))
        .map((file) => `${folder}/${file}`),
  )
  const documents = ['', 'adapters/node-sqlite/', 'host-worker/browser/', 'host-worker/http/'].map(
    (folder) => `${folder}README.md`,
  )
  expect(others.sort()).toEqual(
    [
      ...documents,
      ...migrations,
      'adapters/exit-survey-clickhouse/schema.sql',
      'host-worker/launch/tenant-data.mjs',
      'package.json',
    ].sort(),
  )
  const sources = built.map((path) => path.replace(/^dist\//, '').replace(/(?:\.d\.ts|\.js)$/, '.ts'))
  expect(sources.filter((path) => !existsSync(join(projectRoot, path)))).toEqual([])
  const tests = sources.filter((path) => path.includes('.test.') || path.startsWith('test/'))
  expect(tests).toEqual([])
})

function isBuilt(path: string): boolean {
  return path.startsWith('dist/')
}

/** The environment without vitest's own settings, which would affect the consumer's Node. */
function plainEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HOME: process.env.HOME }
}
