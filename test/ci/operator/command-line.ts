import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '../../../host-worker/local/project.ts'
import { createChecks } from '../../support/runner/checks.ts'
import { freePort, scratchDirectory, startService } from '../../support/services/started-service.ts'

/** The short name of the commands, as a person has it after `npm link`, in a folder that is not the project's. */
const { check, report } = createChecks()
const state = scratchDirectory()
const elsewhere = scratchDirectory()
const prefix = join(elsewhere, 'global')
mkdirSync(prefix)
const environment: NodeJS.ProcessEnv = {
  ...process.env,
  STATE_DIR: state,
  XDG_CONFIG_HOME: elsewhere,
  npm_config_prefix: prefix,
  PATH: [join(prefix, 'bin'), process.env.PATH].join(delimiter),
  // Node takes the terminal of a CI for one without colours.
  CI: undefined,
  TERM: 'xterm-256color',
  NO_COLOR: undefined,
  FORCE_COLOR: undefined,
}
const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
  readonly version: string
}
const run = promisify(execFile)

async function printed(command: string): Promise<string> {
  return (await run('bash', ['-c', command], { cwd: elsewhere, env: environment })).stdout
}

/** What a terminal shows of a command, line by line, with what is typed into it. */
async function onTerminal(command: string, typed = ''): Promise<readonly string[]> {
  const child = spawn('script', ['-qec', command, '/dev/null'], { cwd: elsewhere, env: environment })
  let shown = ''
  child.stdout.on('data', (data: Buffer) => (shown += data.toString()))
  child.stdin.end(typed)
  await new Promise((resolve) => child.on('close', resolve))
  return shown.split(/\r?\n/).filter((line) => line !== '')
}

const tablesOf = (width: number, listing: string) => onTerminal(`stty cols ${width}; tenant-data ${listing}`)

const ESCAPE = '\u001b'

/** The commands that list what `npm start` has made, each with the first of its heads. */
const listings = [
  ['org list', 'ORGANIZATION'],
  ['key list --org demo', 'KEY ID'],
  ['key list --operators', 'KEY ID'],
  ['form list --org demo', 'FORM'],
  ['submissions list --org demo', 'SUBMITTED AT'],
  ['audit', 'AT'],
  ['imports --org demo', 'IMPORT'],
] as const

async function names(): Promise<void> {
  await check('npm link makes a name that works in any folder', async () => {
    await run('npm', ['link', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: projectRoot,
      env: environment,
    })
    assert.equal(await printed('tenant-data --version'), `${version}\n`)
    assert.match(await printed('tenant-data help org list'), /^Usage: tenant-data org list /)
  })
  await check('so does npx, in the folder of the project and in any other', async () => {
    assert.equal(await printed(`npx --yes -- ${projectRoot} --version`), `${version}\n`)
    assert.equal(await printed(`cd ${projectRoot} && npx tenant-data --version`), `${version}\n`)
  })
  await check('a path is that of the folder in which a person is', async () => {
    writeFileSync(join(elsewhere, 'form.json'), '{"formId":"here","name":"Here","fields":[]}')
    assert.equal(await printed('tenant-data form save form.json --org demo'), 'here: created, unpublished\n')
    assert.match(
      await printed('mkdir -p below && cd below && tenant-data form check ../form.json'),
      /^here: /,
    )
  })
}

async function terminals(): Promise<void> {
  for (const [listing, head] of listings)
    await check(`${listing}: heads on a terminal, none in a pipe`, async () => {
      const [first = '', ...rows] = await tablesOf(0, `${listing} --limit 20`)
      assert(first.startsWith(`${ESCAPE}[1m${head}`), first)
      const piped = (await printed(`tenant-data ${listing} --limit 20`)).trimEnd().split('\n')
      assert.equal(rows.length, piped.length)
      assert(!piped.join('\n').includes(ESCAPE))
      assert(!(piped[0] ?? '').startsWith(head))
      const asJson = await tablesOf(0, `${listing} --json --limit 1`)
      assert.equal(asJson.length, 1)
      assert.equal(typeof JSON.parse(asJson[0] ?? ''), 'object')
    })
  await check('a narrow terminal cuts names and answers, and no id', async () => {
    const lines = await tablesOf(100, 'submissions list --org demo')
    // Bold heads have marks that take no room.
    const shown = (line: string) =>
      line.split(ESCAPE).map((part, index) => (index === 0 ? part : part.replace(/^\[\d+m/, '')))
    for (const line of lines.slice(1)) assert(shown(line).join('').length <= 100, line)
    assert(lines.some((line) => line.includes('…')))
  })
  await check('without colour there are no escape sequences', async () => {
    const lines = await onTerminal('NO_COLOR=1 tenant-data org list')
    assert(lines.length > 1 && !lines.join('').includes(ESCAPE), lines.join('\n'))
  })
  await check('a reader that ends early is no error', async () => {
    assert.equal((await printed('tenant-data submissions list --org demo | head -1')).split('\n').length, 2)
  })
}

/** How a person sets completion up in each shell. */
const shells = {
  bash: ['bash --norc --noprofile -i', 'source <(tenant-data completion bash)'],
  zsh: [
    'zsh -f -i',
    'unsetopt zle; setopt zle; autoload -U compinit; compinit -u -D; source <(tenant-data completion zsh)',
  ],
} as const

async function completion(): Promise<void> {
  for (const [shell, [call, setUp]] of Object.entries(shells))
    await check(`${shell} completes what a person types`, async () => {
      const lines = await onTerminal(call, `${setUp}\ntenant-data org cre\t --pla\t ow\t\nexit\n`)
      // What was completed is a command, which says what it lacks.
      assert(lines.join('\n').includes('--id is missing'), lines.join('\n'))
    })
  await check('fish completes what a person types', async () => {
    const ask = (line: string) =>
      printed(`fish -N -c 'tenant-data completion fish | source; complete -C "${line}"'`)
    assert.equal(await ask('tenant-data org cre'), 'create\tCreate or update an organization\n')
    assert.equal(await ask('tenant-data org create --place o'), 'own\n')
    assert.match(await ask('tenant-data form save fo'), /^form\.json/)
  })
}

const service = await startService({ port: await freePort(), stateDirectory: state })
await names()
await terminals()
await completion()
await service.stop()
report()
process.exit()
