import { execFile } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { projectRoot } from '../../host-worker/dev/root.ts'
import { storageSuite } from '../conformance/index.ts'
import { consumerProgram, consumerTypes } from '../support/package-consumer.ts'

// Somebody else's project, outside this one. By default its dependencies are copied from this project's installation
// along the lock file, runtime ones alone: `npm test` needs no network. With PACKAGE_INSTALL=registry (see
// test/ci/package.sh) npm installs the tarball as it would anywhere.
const scratch = mkdtempSync(join(tmpdir(), 'package-'))
const fromRegistry = process.env.PACKAGE_INSTALL === 'registry'
const run = promisify(execFile)

interface Manifest {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>>
}

beforeAll(async () => {
  const packed = await run('npm', ['pack', '--json', '--pack-destination', scratch], { cwd: projectRoot })
  const tarball = /"filename": "([^"]+\.tgz)"/.exec(packed.stdout)?.[1]
  if (tarball === undefined) throw new Error(`npm pack named no tarball: ${packed.stdout}`)
  writeFileSync(join(scratch, 'package.json'), '{ "private": true, "type": "module" }')
  if (fromRegistry) await installFromRegistry(tarball)
  else await installFromHere(tarball)
}, 180_000)

afterAll(() => {
  rmSync(scratch, { recursive: true, force: true })
})

async function installFromRegistry(tarball: string): Promise<void> {
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts']
  await run('npm', ['install', ...flags, `./${tarball}`], { cwd: scratch })
}

async function installFromHere(tarball: string): Promise<void> {
  const target = join(scratch, 'node_modules', 'tenant-data-api')
  mkdirSync(target, { recursive: true })
  await run('tar', ['-xzf', join(scratch, tarball), '--strip-components=1', '-C', target])
  const wanted = Object.keys(manifestOf(target).dependencies ?? {})
  const copied = new Set<string>()
  for (const name of wanted) copyDependency(name, copied)
}

/** Copies a dependency and what it depends on. All of them lie at the top of this project's installation. */
function copyDependency(name: string, copied: Set<string>): void {
  if (copied.has(name)) return
  copied.add(name)
  const source = join(projectRoot, 'node_modules', name)
  cpSync(source, join(scratch, 'node_modules', name), { recursive: true })
  for (const inner of Object.keys(manifestOf(source).dependencies ?? {})) copyDependency(inner, copied)
}

function manifestOf(directory: string): Manifest {
  return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest
}

it(
  'serves the API from plain Node and proves an adapter, through its exports alone',
  { timeout: 60_000 },
  async () => {
    writeFileSync(join(scratch, 'consumer.mjs'), consumerProgram)
    const { stdout } = await run(process.execPath, ['consumer.mjs'], {
      cwd: scratch,
      env: plainEnvironment(),
    })
    expect(JSON.parse(stdout)).toEqual({ served: 6, conformance: storageSuite.length })
  },
)

it('declares its types for a strict project without any platform', { timeout: 60_000 }, async () => {
  writeFileSync(join(scratch, 'consumer.ts'), consumerTypes)
  const options = {
    target: 'ES2024',
    module: 'nodenext',
    lib: ['ES2024', 'DOM', 'DOM.Iterable'],
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
  }
  writeFileSync(
    join(scratch, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, files: ['consumer.ts'] }),
  )
  const compiler = join(projectRoot, 'node_modules', 'typescript', 'bin', 'tsc')
  const compiled = run(process.execPath, [compiler, '--project', scratch])
  const complaint = await compiled.then(
    () => null,
    (failure: unknown) => (failure as { readonly stdout: string }).stdout,
  )
  expect(complaint).toBeNull()
})

it('ships what its exports need, each file from a source that still exists', () => {
  const directory = join(scratch, 'node_modules', 'tenant-data-api')
  const shipped = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /\.\w+$/.test(path),
  )
  const [built, others] = [shipped.filter(isBuilt), shipped.filter((path) => !isBuilt(path))]
  expect(others.sort()).toEqual(['README.md', 'package.json'])
  const sources = built.map((path) => path.replace(/^dist\//, '').replace(/(?:\.d\.ts|\.js)$/, '.ts'))
  expect(sources.filter((path) => !existsSync(join(projectRoot, path)))).toEqual([])
  const tests = sources.filter((path) => path.includes('.test.') || /^test\/(?!conformance\/)/.test(path))
  expect(tests).toEqual([])
})

function isBuilt(path: string): boolean {
  return path.startsWith('dist/')
}

/** Without vitest's own settings, which would reach the consumer's Node. */
function plainEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HOME: process.env.HOME }
}
