import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { projectRoot } from '../../../host-worker/local/root.ts'
import { openRehearsal } from '../../support/cloudflare/rehearsal.ts'
import { createChecks } from '../../support/runner/checks.ts'
import { emailAbout, fillIn } from '../../support/manuals/guide-form.ts'
import type { Block, Ran } from '../../support/manuals/readme-commands.ts'
import { commandBlocks, runCommands } from '../../support/manuals/readme-commands.ts'
import {
  freePort,
  scratchDirectory,
  signalGroup,
  startService,
} from '../../support/services/started-service.ts'

/**
 * Follows the README, and then the manuals of the folders, as after a fresh clone: `npm start`, all further commands in
 * order, and a part of the tests. Deploying needs an account, for which there is a stand-in.
 */
const { check, say, report } = createChecks()
const copy = join(scratchDirectory(), 'copy')
const state = scratchDirectory()
const port = await freePort()
const run = promisify(execFile)

type Json = Readonly<Record<string, unknown>>

interface Expectation {
  readonly name: string
  /** Whether a command of the tour is the one that this expectation is about. */
  readonly is: (command: string) => boolean
  readonly holds: (output: string, ran: readonly Ran[]) => void | Promise<void>
}

function json(output: string): Json {
  return JSON.parse(output) as Json
}

function rows(output: string): readonly Json[] {
  return json(output).data as readonly Json[]
}

function isSubmission(command: string): boolean {
  return command.includes('/api/forms/demo-contact/submissions') && command.includes('"email"')
}

/** The results that the README promises for its commands. */
const expectations: readonly Expectation[] = [
  {
    name: 'a visitor submits the form',
    is: isSubmission,
    holds: (output) => {
      const { ok, submissionId, title } = json(output)
      assert.equal(ok, true)
      assert.match(String(submissionId), /^sub_\w+$/)
      assert.equal(typeof title, 'string')
    },
  },
  {
    name: 'a wrong answer names its field',
    is: (command) => command.includes("-d 'email=ada'"),
    holds: (output) => {
      const { ok, code, fieldErrors } = json(output)
      assert.deepEqual({ ok, code }, { ok: false, code: 'validation_error' })
      assert.equal(typeof (fieldErrors as Json).email, 'string')
    },
  },
  {
    name: 'the tenant reads the submission back',
    is: (command) => command.includes('/api/v1/forms/demo-contact/submissions?limit=1'),
    holds: (output, ran) => {
      const receipt = json(ran.find(({ command }) => isSubmission(command))?.output ?? '{}')
      const [submission] = rows(output)
      assert.equal(submission?.submissionId, receipt.submissionId)
      assert.deepEqual(submission?.attribution, { utm_source: 'tour' })
    },
  },
  {
    name: 'with the one contact that it made',
    is: (command) => command.includes('/api/v1/contacts?email='),
    holds: (output) => {
      assert.deepEqual(
        rows(output).map(({ firstName, email }) => ({ firstName, email })),
        [{ firstName: 'Ada', email: 'ada@example.com' }],
      )
    },
  },
  {
    name: 'a text message is sent to whom it can be',
    is: (command) => command.includes('/api/v1/message'),
    holds: (output) => {
      const { success, results } = json(output)
      const [sent, refused] = results as readonly Json[]
      assert.equal(success, false)
      assert.deepEqual(sent, { to: '+12125550123', success: true })
      assert.deepEqual([refused?.to, refused?.success], ['555', false])
    },
  },
  {
    name: 'an email is sent, and is in the mailbox with its attachment',
    is: (command) => command.includes('/api/v1/email'),
    holds: async (output) => {
      const { success, results } = json(output)
      const [sent] = results as readonly Json[]
      assert.deepEqual([success, sent?.to, sent?.success], [true, 'ada@example.com', true])
      const response = await fetch(`http://127.0.0.1:${port}/mailbox`, {
        headers: { accept: 'application/json' },
      })
      const { messages } = (await response.json()) as { readonly messages: readonly Json[] }
      const kept = messages.find(({ messageId }) => messageId === sent?.id)
      assert.deepEqual(kept?.attachments, [{ filename: 'receipt.txt', path: null, sizeBytes: 6 }])
    },
  },
  {
    name: 'the cursor leads to the next page',
    is: (command) => command.includes('cursor=$CURSOR'),
    holds: (output) => {
      assert.equal(rows(output).length, 2)
    },
  },
  {
    name: 'a sync runs forward from an instant',
    is: (command) => command.includes('updatedAfter='),
    holds: (output) => {
      const times = rows(output).map(({ updatedAt }) => String(updatedAt))
      assert.equal(times.length, 2)
      assert.deepEqual(times, [...times].sort())
    },
  },
  {
    name: 'the typed client copies every contact',
    is: (command) => command.includes('test/client sync'),
    holds: (output) => {
      const counts = [...output.matchAll(/^(\d+) contacts$/gm)].map(([, count]) => Number(count))
      assert(counts.reduce((sum, count) => sum + count, 0) > 0)
    },
  },
  {
    name: 'a form made from the guide works on its page, sends emails and fills a sheet',
    is: (command) => command === 'cat /tmp/harbor-claim.csv',
    holds: async (output) => {
      const sheet = output
        .replace(/^\uFEFF/, '')
        .trimEnd()
        .split('\r\n')
      assert.equal(sheet[0], 'submissionId,submittedAt,formId,contactId,email,kind,what')
      const row = (email: string) => sheet.find((line) => line.includes(`,${email},`)) ?? ''
      assert.match(
        row('ada@example.com'),
        /^sub_\w+,[^,]+,harbor-claim,con_\w+,ada@example\.com,other,An antenna$/,
      )
      assert.match(row('bo@example.com'), /,mirror,$/)
      const { to, text } = await emailAbout(
        await fillIn('/tmp/harbor-claim.html'),
        `http://127.0.0.1:${port}/mailbox`,
      )
      assert.equal(to, 'office@example.com')
      assert.match(String(text), /The roof/)
    },
  },
  {
    name: 'the contract document is served',
    is: (command) => command.includes('/api/v1/openapi.json'),
    holds: (output) => {
      assert.match(output, /^\s*\{\s*"openapi":\s*"3\.1/)
    },
  },
]

/** Copies what a clone contains: every tracked file, and every file that would be tracked. */
async function copyProject(): Promise<void> {
  const { stdout } = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: projectRoot,
  })
  for (const file of stdout.split('\0').filter(Boolean)) cpSync(join(projectRoot, file), join(copy, file))
}

const isStart = ({ path, heading }: Block): boolean => path === 'README.md' && heading === 'Start'
const isDeployment = ({ path }: Block): boolean => path === 'host-worker/deploy/README.md'
const GATEWAY = 'adapters/pos-odbc/README.md'
const isGateway = ({ path }: Block): boolean => path === GATEWAY

const isOfConsole = ({ path }: Block): boolean => path === 'host-worker/console/README.md'

/**
 * The tour leaves out the commands of the gateway, which need a database, and those of the start, the console's tests
 * and the deployment, which have checks of their own.
 */
const isOfTour = (block: Block): boolean =>
  ![isStart, isOfConsole, isDeployment, isGateway].some((isOther) => isOther(block))

/** Whether the service that was restarted is asked: other programs, and the drill with states of its own, run once. */
const isOfRestarted = (block: Block): boolean =>
  isOfTour(block) && !block.path.startsWith('test/') && block.path !== 'domain/whole/README.md'

function commandsIn(isMeant: (block: Block) => boolean): readonly string[] {
  return commandBlocks(copy)
    .filter(isMeant)
    .flatMap(({ commands }) => commands)
}

async function tour(time: string, commands: readonly string[], origin: string): Promise<void> {
  let ran: readonly Ran[] = []
  await check(`${time}: every command works`, async () => {
    ran = await runCommands(commands, { directory: copy, origin, stateDirectory: state })
    for (const { command, durationMs } of ran)
      if (durationMs >= 1000) say(`        ${command} (${(durationMs / 1000).toFixed(1)} s)`)
    const failed = ran.filter(({ exitCode }) => exitCode !== 0)
    assert.deepEqual(failed, [])
    const silent = ran.filter(
      ({ command, output }) => /^(?:curl|ask ')/.test(command) && output.trim() === '',
    )
    assert.deepEqual(silent, [])
  })
  for (const { name, is, holds } of expectations) {
    await check(`${time}: ${name}`, async () => {
      const found = ran.filter(({ command }) => is(command))
      assert.equal(found.length, 1, 'one command shows it')
      await holds(found[0]?.output ?? '', ran)
    })
  }
}

/** Runs the commands of the deployment, in the order printed, into an account that is a stand-in on this machine. */
async function rehearseDeployment(): Promise<void> {
  const rehearsal = await openRehearsal(copy)
  for (const command of commandsIn(isDeployment)) {
    // Logging in needs a browser.
    if (command === 'npx wrangler login') continue
    await check(`in an account that is a stand-in: ${command}`, async () => {
      const { exitCode, output } = await rehearsal.run(command)
      assert.equal(exitCode, 0, output)
    })
  }
  await check('the deployed service answers, and so does staging', async () => {
    const { account } = rehearsal
    for (const name of ['tenant-data-api', 'tenant-data-api-staging']) {
      const { status } = await rehearsal.ask(`https://${name}.acme.workers.dev/health`)
      assert.equal(status, 200)
    }
    const { versions = [], history = [] } = account.scripts.get('tenant-data-api') ?? {}
    assert.equal(versions.length, 2)
    assert.equal(history[0]?.id, versions[1]?.id, 'the rollback serves the version before')
    const staging = account.scripts.get('tenant-data-api-staging')
    assert.notEqual(
      staging?.secrets.get('ROOT_SECRET'),
      account.scripts.get('tenant-data-api')?.secrets.get('ROOT_SECRET'),
    )
  })
  await rehearsal.close()
}

/** Starts the gateway with its manual's configuration, without the sources whose drivers test/ci/odbc/odbc.sh installs. */
async function startGateway(): Promise<void> {
  const [secret, command] = commandsIn(isGateway).slice(-2)
  assert.match(String(secret), /^export POS_GATEWAY_SECRET=/)
  const manual = readFileSync(join(copy, GATEWAY), 'utf8')
  const configuration = JSON.parse(/```json\n(.*?)```/s.exec(manual)?.[1] ?? '') as GatewayConfiguration
  const sources = configuration.sources.filter(({ driver }) => driver === 'sqlite')
  const listen = { ...configuration.listen, port: await freePort() }
  mkdirSync(join(copy, 'second'), { recursive: true })
  writeFileSync(join(copy, 'gateway.json'), JSON.stringify({ ...configuration, listen, sources }))
  const child = spawn('bash', ['-c', String(command)], {
    cwd: copy,
    env: { ...process.env, POS_GATEWAY_SECRET: 'a'.repeat(43) },
    stdio: 'ignore',
    detached: true,
  })
  try {
    const health = `http://127.0.0.1:${listen.port}/health`
    const isUp = () =>
      fetch(health)
        .then(({ status }) => status === 200)
        .catch(() => false)
    for (let tries = 0; tries < 300 && !(await isUp()); tries += 1) await pause(100)
    assert(await isUp())
  } finally {
    if (child.pid !== undefined) signalGroup(child.pid, 'SIGTERM')
  }
}

/** Runs a command that tests, for a selection of its tests. */
async function runTests(command: string, selection: string): Promise<void> {
  const { stdout } = await run('bash', ['-c', `${command} -- ${selection}`], {
    cwd: copy,
    maxBuffer: 50_000_000,
  })
  assert.match(stdout, /Tests.*passed/)
}

interface GatewayConfiguration {
  readonly listen: object
  readonly sources: readonly { readonly driver: string }[]
}

await check('the project is copied', copyProject)
await check('the README begins with the two commands, and the manuals have many more', () => {
  assert.deepEqual(commandsIn(isStart), ['npm start', 'npm test'])
  assert(commandsIn(() => true).length > expectations.length + 10)
})
for (const [time, isMeant] of [
  ['first', isOfTour],
  ['after a restart', isOfRestarted],
] as const) {
  const service = await startService({ port, stateDirectory: state, directory: copy })
  await tour(time, commandsIn(isMeant), service.origin)
  await service.stop()
}
await rehearseDeployment()
await check('the gateway starts with the configuration of its manual', startGateway)
// All other tests run in the checkout from which this copy was made: by npm test, and by test/ci/browser/browser.sh.
await check('npm test, of the core', () => runTests('npm test', 'domain/access'))
await check("the console's tests, in part", () => {
  const [command, ...others] = commandsIn(isOfConsole)
  assert.deepEqual([/^CONSOLE_TESTS=yes .*npm test$/.test(String(command)), others], [true, []])
  return runTests(String(command), 'foundation -t offline')
})
report()
process.exit()
