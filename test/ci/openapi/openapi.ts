import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { endpoints } from '../../support/contract/endpoints.ts'
import { buildDocument } from '../../../domain/document/openapi.ts'
import { projectRoot } from '../../../host-worker/local/project.ts'
import { createChecks } from '../../support/runner/checks.ts'
import { scratchDirectory } from '../../support/services/started-service.ts'

/**
 * Lints the contract document. It must have neither errors nor warnings, except at the places for which
 * linters/redocly.lint-ignore.yaml gives reasons. The linters are large and nothing else needs them, so they are
 * installed in a folder of their own and not as dependencies.
 */
const { check, report } = createChecks()
const settings = join(import.meta.dirname, 'linters')
const tools = join(projectRoot, '.wrangler', 'openapi-linters')
const packages = ['@redocly/cli@2.77.0', '@stoplight/spectral-cli@6.16.3']
const scratch = scratchDirectory()

interface Linter {
  readonly name: string
  readonly program: string
  readonly args: readonly string[]
  /** The text that it prints when it has found nothing. */
  readonly content: RegExp
}

const linters: readonly Linter[] = [
  {
    name: 'redocly, recommended-strict',
    program: '@redocly/cli/bin/cli.js',
    args: ['lint', 'openapi.json', '--config', 'redocly.yaml', '--max-problems', '1000'],
    content: /Your API description is valid/,
  },
  {
    name: 'Spectral, spectral:oas',
    program: '@stoplight/spectral-cli/dist/index.js',
    args: ['lint', 'openapi.json', '--ruleset', 'spectral.yaml', '--fail-severity', 'hint'],
    content: /No results with a severity of 'hint' or higher found/,
  },
]

async function install(): Promise<void> {
  const flags = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']
  mkdirSync(tools, { recursive: true })
  await promisify(execFile)('npm', ['install', '--prefix', tools, ...flags, ...packages])
}

/** A linter's output, and whether it found nothing. */
async function lint({ program, args, content }: Linter): Promise<readonly [boolean, string]> {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', NO_COLOR: '1' }
  const { stdout, stderr, code } = await promisify(execFile)(
    process.execPath,
    [join(tools, 'node_modules', program), ...args],
    { cwd: scratch, env, maxBuffer: 50_000_000 },
  ).then(
    ({ stdout, stderr }) => ({ stdout, stderr, code: 0 }),
    (failure: unknown) =>
      failure as { readonly stdout: string; readonly stderr: string; readonly code: number },
  )
  const output = `${stdout}\n${stderr}`
  return [code === 0 && content.test(output) && !/[1-9]\d* (?:warning|error)/.test(output), output]
}

function writeDocument(document: string): void {
  writeFileSync(join(scratch, 'openapi.json'), document)
}

const document = JSON.stringify(buildDocument(endpoints), null, 2)
await check('the linters are installed', install)
for (const file of ['redocly.yaml', 'spectral.yaml']) cpSync(join(settings, file), join(scratch, file))
cpSync(join(settings, 'redocly.lint-ignore.yaml'), join(scratch, '.redocly.lint-ignore.yaml'))
for (const linter of linters) {
  await check(`${linter.name}: nothing to say`, async () => {
    writeDocument(document)
    const [isContent, output] = await lint(linter)
    assert(isContent, output)
  })
  await check(`${linter.name}: finds an operation without an id`, async () => {
    writeDocument(document.replace('"operationId": "sites_list",', ''))
    const [isContent, output] = await lint(linter)
    assert(!isContent, output)
  })
}
report()
process.exit()
