/**
 * Checks the tool of test/mutation: that its runner tells a noticed mistake from a missed one and from an endless loop,
 * also after each other, and that a small file of the service is tried from the choice of its mistakes to the report.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '../../../host-worker/local/project.ts'
import type { Result } from '../../mutation/report.ts'
import { startRunner, type Outcome } from '../../mutation/runner/client.ts'
import { commandBlocks } from '../../support/manuals/readme-commands.ts'
import { createChecks } from '../../support/runner/checks.ts'
import { scratchDirectory } from '../../support/services/started-service.ts'

/** Patience with tests that end, on a machine that is busy with others. */
const PATIENCE_MS = 120_000
/** A loop without end takes a whole core until it is given up. */
const ENDLESS_MS = 2_000
const { check, report } = createChecks()

const project = scratchDirectory()
const put = (path: string, text: string): void => {
  writeFileSync(join(project, path), text)
}
mkdirSync(join(project, '.config'))
symlinkSync(join(projectRoot, 'node_modules'), join(project, 'node_modules'))
put('package.json', '{ "type": "module" }')
put(
  'vitest.config.ts',
  `export default { test: { root: ${JSON.stringify(project)}, isolate: false, include: ['*.test.ts'] } }`,
)
for (const [name, test] of Object.entries({ first: 'sum(2, 2)).toBe(4', second: 'sum(3, 3)).toBe(6' }))
  put(
    `${name}.test.ts`,
    `import { expect, it } from 'vitest'\nimport { sum } from './sum.ts'\nit('adds', () => { expect(${test}) })`,
  )

type Runner = Awaited<ReturnType<typeof startRunner>>

let runner: Runner | null = null

/** How the tests take this as the sum of a and b. */
async function judged(sum: string, patienceMs = PATIENCE_MS): Promise<Outcome> {
  put('sum.ts', `export const sum = (a: number, b: number): number => ${sum}`)
  runner ??= await startRunner({ copy: project })
  return runner.run(['first.test.ts', 'second.test.ts'], 'sum.ts', patienceMs)
}

await check('a change that no test notices survives', async () => {
  assert.deepEqual(await judged('b + a'), { kind: 'survived' })
})
await check(
  'a mistake is killed by the first test that notices it, which is named with its reason',
  async () => {
    const outcome = await judged('a * b')
    assert.equal(outcome.kind, 'killed')
    assert.equal(outcome.by, 'second.test.ts')
    assert.match(outcome.reason, /^adds: expected 9 to be 6/)
  },
)
await check('the next change is judged by itself', async () => {
  assert.deepEqual(await judged('b + a'), { kind: 'survived' })
})
await check('an endless loop times out, and another runner goes on', async () => {
  assert.equal((await judged('(() => { for (;;); })()', ENDLESS_MS)).kind, 'timeout')
  runner = null
  assert.deepEqual(await judged('b + a'), { kind: 'survived' })
})
await check(
  'the commands of the manual try a small file of the service with the tests beside it',
  async () => {
    const path = join(project, 'report.json')
    const [list, some] = commandBlocks(projectRoot)
      .filter((block) => block.path === 'test/mutation/README.md')
      .flatMap(({ commands }) => commands)
    const run = (command = '') => promisify(execFile)('bash', ['-c', command], { cwd: projectRoot })
    assert.match((await run(list)).stdout, /\d/)
    await run(`${some ?? ''} --json ${path}`)
    const { results } = JSON.parse(readFileSync(path, 'utf8')) as { readonly results: readonly Result[] }
    const killed = results.filter(
      ({ before, outcome }) => before === 'const KEY_BYTES = 64' && outcome === 'killed',
    )
    assert.equal(killed.length, 2)
  },
)
/** The runner that the checks have left running. A closure set it, which the compiler does not follow. */
const lastRunner = (): Runner | null => runner
await lastRunner()?.stop()
report()
