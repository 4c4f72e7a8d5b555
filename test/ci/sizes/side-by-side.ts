import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { isPortFree } from '../../../host-worker/local/state.ts'
import { createChecks } from '../../support/runner/checks.ts'
import { processTree, stillRunning, type SeenProcess } from '../../support/services/process-tree.ts'
import {
  freePort,
  operateOrThrow,
  scratchDirectory,
  signalGroup,
  startService,
  type StartedService,
} from '../../support/services/started-service.ts'
import { walk, type ApiRow } from '../../support/data/walk.ts'

/** Within this time, no process of a service that ended may be left. */
const GONE_WITHIN_MS = 60_000

const { check, report, say } = createChecks()

interface Copy {
  readonly port: number
  readonly stateDirectory: string
  readonly service: StartedService
}

async function startCopy(port: number, stateDirectory: string): Promise<Copy> {
  return { port, stateDirectory, service: await startService({ port, stateDirectory }) }
}

async function post({ service }: Copy, message: string): Promise<string> {
  const response = await fetch(`${service.origin}/api/forms/demo-contact/submissions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ _gotcha: '', firstName: 'Ada', email: 'ada@example.com', message }),
  })
  const receipt = (await response.json()) as { readonly ok: boolean; readonly submissionId: string }
  assert.equal(response.status, 200, JSON.stringify(receipt))
  return receipt.submissionId
}

async function submissions({ service }: Copy): Promise<readonly ApiRow[]> {
  return (await walk(service.origin, '/api/v1/forms/demo-contact/submissions?limit=500', service.demoKey))
    .rows
}

async function statusOf(copy: Copy, key: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}` }
  const response = await fetch(`${copy.service.origin}/api/v1/contacts?limit=1`, { headers })
  await response.text()
  return response.status
}

async function bothServeApart(first: Copy, second: Copy): Promise<void> {
  await check('both serve, and what one is sent the other does not see', async () => {
    const [inFirst, inSecond] = [await post(first, 'to the first'), await post(second, 'to the second')]
    const seenBy = async (copy: Copy) => (await submissions(copy)).map(({ submissionId }) => submissionId)
    const [ofFirst, ofSecond] = [await seenBy(first), await seenBy(second)]
    assert(ofFirst.includes(inFirst) && !ofFirst.includes(inSecond))
    assert(ofSecond.includes(inSecond) && !ofSecond.includes(inFirst))
  })
  await check('the key of one means nothing to the other', async () => {
    assert.equal(await statusOf(first, first.service.demoKey), 200)
    assert.equal(await statusOf(first, second.service.demoKey), 401)
    assert.equal(await statusOf(second, first.service.demoKey), 401)
  })
  await check("the operator's commands reach the copy of their STATE_DIR alone", async () => {
    await operateOrThrow(first.stateDirectory, 'org', 'create', '--id', 'only-first', '--name', 'Only first')
    const key = await operateOrThrow(first.stateDirectory, 'key', 'issue', '--org', 'only-first')
    assert.deepEqual((await walk(first.service.origin, '/api/v1/contacts', key)).rows, [])
    assert.equal(await statusOf(second, key), 401)
  })
}

/** Ends a copy in a given way, and checks that nothing of it is left after the time limit. */
async function leavesNothing(
  how: string,
  copy: Copy,
  end: (tree: readonly SeenProcess[]) => void,
): Promise<void> {
  await check(`${how} leaves no process and a free port within ${GONE_WITHIN_MS / 1000} s`, async () => {
    const tree = processTree(copy.service.pid)
    assert(
      tree.some(({ command }) => command.includes('workerd')),
      'the service is among the processes that are watched',
    )
    const startedAt = performance.now()
    end(tree)
    const left = () => stillRunning(tree.map(({ pid }) => pid))
    while (left().length > 0 && performance.now() - startedAt < GONE_WITHIN_MS) await pause(100)
    assert.deepEqual(left(), [])
    assert(await isPortFree(copy.port), `port ${copy.port} is free`)
    say(`        ${tree.length} processes gone after ${Math.round(performance.now() - startedAt)} ms`)
  })
}

function killOnly(tree: readonly SeenProcess[], script: string): void {
  // The arguments of npm and of the wrapper name the script too, so the last process that names it is the script
  // itself.
  const victim = tree.findLast(({ command }) => command.includes(script))
  assert(victim !== undefined, `${script} runs`)
  process.kill(victim.pid, 'SIGKILL')
}

const [portOne, portTwo] = [await freePort(), await freePort()]
const [stateOne, stateTwo] = [scratchDirectory(), scratchDirectory()]
const [first, second] = await Promise.all([startCopy(portOne, stateOne), startCopy(portTwo, stateTwo)])

await bothServeApart(first, second)
await leavesNothing('Ctrl-C', first, () => {
  signalGroup(first.service.pid, 'SIGINT')
})
await check('the other copy goes on', async () => {
  await post(second, 'still there')
})
await leavesNothing('kill -9 of start.ts', second, (tree) => {
  killOnly(tree, 'host-worker/dev/start.ts')
})
const third = await startCopy(portOne, stateOne)
await check('a copy that was ended serves what it had', async () => {
  const messages = (await submissions(third)).map(({ answers }) => (answers as { message?: string }).message)
  assert(messages.includes('to the first'))
})
await leavesNothing('kill -9 of npm', third, (tree) => {
  process.kill(tree[0]?.pid ?? 0, 'SIGKILL')
})
report()
process.exit()
