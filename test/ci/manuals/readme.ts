import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '../../../host-worker/local/project.ts'
import { createChecks } from '../../support/runner/checks.ts'
import { ofShare } from '../../support/runner/part.ts'
import { commandBlocks, runCommands, type Block, type Ran } from '../../support/manuals/readme-commands.ts'
import {
  freePort,
  scratchDirectory,
  startService,
  type StartedService,
} from '../../support/services/started-service.ts'
import { rehearseDeployment } from './deployment.ts'
import { expectationsOf, type Expectation } from './expectations.ts'
import { GATEWAY, startGateway } from './gateway.ts'

/**
 * Follows the README, and then the manuals of the folders, as after a fresh clone: `npm start`, all further commands in
 * order, and a part of the tests. Deploying needs an account, for which there is a stand-in. What needs no service runs
 * beside the tour, once its start has installed the clone. The README is followed every day; CI_SHARE says which of the
 * manuals are.
 */
const { check, say, report } = createChecks()
const copy = join(scratchDirectory(), 'copy')
const state = scratchDirectory()
const port = await freePort()
const expectations = expectationsOf(port)
const run = promisify(execFile)
/** Those of this checkout, of which the copy is one. */
const blocks = commandBlocks(projectRoot)

/**
 * Copies what a clone contains: every tracked file, and every file that would be tracked. The packages are links to those
 * that `.ci/run` has installed in its clean checkout by the same command as `npm start` does. Where that cannot be, `npm
 * start` installs them.
 */
async function copyProject(): Promise<void> {
  const { stdout } = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: projectRoot,
  })
  for (const file of stdout.split('\0').filter(Boolean)) cpSync(join(projectRoot, file), join(copy, file))
  const [installed, linked] = [join(projectRoot, 'node_modules'), join(copy, 'node_modules')]
  await run('cp', ['-al', installed, linked]).catch(() => {
    rmSync(linked, { recursive: true, force: true })
  })
  // What is kept about the sources is not shared.
  rmSync(join(linked, '.cache'), { recursive: true, force: true })
}

const isStart = ({ path, heading }: Block): boolean => path === 'README.md' && heading === 'Start'
const isDeployment = ({ path }: Block): boolean => path === 'host-worker/deploy/README.md'
/** Its first commands need a database. */
const isGateway = ({ path }: Block): boolean => path === GATEWAY
const isOfConsole = ({ path }: Block): boolean => path === 'host-worker/console/README.md'
/** Programs that test, which start what they need. */
const isOfTests = ({ path }: Block): boolean => path.startsWith('test/')
/** Those that take long run beside this program, in test/ci/suites/{mutation,round-trip}.sh. */
const isOfSimulation = ({ path }: Block): boolean => path === 'test/simulation/README.md'

/** The drill with states of its own, which test/ci/operator/restore-drill.ts runs and judges. */
const isDrill = ({ path }: Block): boolean => path === 'domain/organizations/README.md'

/** All other commands ask the service. */
const isOfTour = (block: Block): boolean =>
  ![isStart, isDeployment, isDrill, isGateway, isOfConsole, isOfTests].some((isOther) => isOther(block))

const DEPLOYMENT = 'the deployment'
const PROGRAMS = 'the programs that need no service'

/** What follows the README: each as if the others were not there. */
const manuals: readonly string[] = [...new Set(blocks.filter(isOfTour).map(({ path }) => path))]
  .filter((path) => path !== 'README.md')
  // The longest first, so that they are in different shares.
  .sort((left, right) => commandsOf(right) - commandsOf(left))
const today = ofShare([DEPLOYMENT, PROGRAMS, ...manuals])

const isOfToday = (block: Block): boolean =>
  isOfTour(block) && (block.path === 'README.md' || today.includes(block.path))

/**
 * The service that was restarted is asked as the README asks it. What its state keeps is compared row by row, after more
 * restarts, by test/faults/kills/kill.ts and restore-drill.ts.
 */
const isOfRestarted = (block: Block): boolean => isOfTour(block) && block.path === 'README.md'

/** How many of the expectations the README alone must meet. */
const OF_README_MIN = 6

function commandsIn(isMeant: (block: Block) => boolean): readonly string[] {
  return blocks.filter(isMeant).flatMap(({ commands }) => commands)
}

/** How many commands a manual has. */
function commandsOf(manual: string): number {
  return commandsIn(({ path }) => path === manual).length
}

/** What must hold of these commands. */
function expectedOf(commands: readonly string[]): readonly Expectation[] {
  return expectations.filter(({ is }) => commands.some(is))
}

/** Runs commands that must succeed, and prints how long the longer ones took. */
async function runAll(commands: readonly string[], origin = ''): Promise<readonly Ran[]> {
  const ran = await runCommands(commands, { directory: copy, origin, stateDirectory: state })
  for (const { command, durationMs } of ran)
    if (durationMs >= 1000) say(`        ${command} (${(durationMs / 1000).toFixed(1)} s)`)
  assert.deepEqual(
    ran.filter(({ exitCode }) => exitCode !== 0),
    [],
  )
  return ran
}

/** Prints what the service said last, besides its log. */
function sayLastWords(service: StartedService): void {
  const said = service
    .output()
    .split('\n')
    .filter((line) => !line.startsWith('{'))
  say(`        The service said last:\n${said.slice(-20).join('\n')}`)
}

async function tour(time: string, commands: readonly string[], service: StartedService): Promise<void> {
  let ran: readonly Ran[] = []
  await check(`${time}: every command works`, async () => {
    ran = await runAll(commands, service.origin).catch((error: unknown) => {
      sayLastWords(service)
      throw error
    })
    const silent = ran.filter(
      ({ command, output }) => /^(?:curl|ask ')/.test(command) && output.trim() === '',
    )
    assert.deepEqual(silent, [])
  })
  for (const { name, is, holds } of expectedOf(commands)) {
    await check(`${time}: ${name}`, async () => {
      const found = ran.filter(({ command }) => is(command))
      assert.equal(found.length, 1, 'one command shows it')
      await holds(found[0]?.output ?? '', ran)
    })
  }
}

/** The tour of the service that was started first, and of the one that is started again on the same state. */
async function tours(first: Awaited<ReturnType<typeof start>>): Promise<void> {
  await tour('first', commandsIn(isOfToday), first)
  await first.stop()
  const second = await start()
  await tour('after a restart', commandsIn(isOfRestarted), second)
  await second.stop()
}

const start = () => startService({ port, stateDirectory: state, directory: copy })

/** Runs a command that tests, for a selection of its tests. */
async function runTests(command: string, selection: string): Promise<void> {
  const { stdout } = await run('bash', ['-c', `${command} -- ${selection}`], {
    cwd: copy,
    maxBuffer: 50_000_000,
  })
  assert.match(stdout, /Tests.*passed/)
}

/** All other tests run in the checkout from which this copy was made: by npm test, and by test/ci/browser/browser.sh. */
async function tests(): Promise<void> {
  await check('the gateway starts with the configuration of its manual', () =>
    startGateway(copy, commandsIn(isGateway)),
  )
  await check('the simulation works', async () => {
    await runAll(commandsIn(isOfSimulation))
  })
  await check('npm test, of the core', () => runTests('npm test', 'domain/access'))
  await check("the console's tests, in part", () => {
    const [command, ...others] = commandsIn(isOfConsole)
    assert.deepEqual([/^CONSOLE_TESTS=yes .*npm test$/.test(String(command)), others], [true, []])
    return runTests(String(command), 'foundation -t offline')
  })
}

await check('the project is copied', copyProject)
await check('the README begins with the two commands, and the manuals have many more', () => {
  assert.deepEqual(commandsIn(isStart), ['npm start', 'npm test'])
  assert(commandsIn(() => true).length > expectations.length + 10)
})
await check('each expectation is of one command of the manuals, and the README shows most of it', () => {
  for (const { name, is } of expectations) assert.equal(commandsIn(isOfTour).filter(is).length, 1, name)
  assert(expectedOf(commandsIn(isOfRestarted)).length >= OF_README_MIN)
})
say(`        today, besides the README: ${today.join(', ')}`)
const service = await start()
async function besideTours(): Promise<void> {
  if (today.includes(DEPLOYMENT))
    await rehearseDeployment({ directory: copy, commands: commandsIn(isDeployment), check })
  if (today.includes(PROGRAMS)) await tests()
}
await Promise.all([tours(service), besideTours()])
report()
process.exit()
