/**
 * Kills the runtime at points of a move, between two of the calls that the move makes, while its family is posted to. Half
 * of the moves are then given up. All end by a sweep. MOVE_POINTS (default 6) and KILL_SEED may be given.
 */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { openSecrets } from '../../domain/access/secrets.ts'
import { localSecrets } from '../../host-worker/local/state.ts'
import { createChecks } from '../support/checks.ts'
import { seededRandom } from '../support/fakes.ts'
import { prepareLauncher } from '../support/killable-service.ts'
import { issueAdminKey, operatorCall } from '../support/operator-http.ts'
import { scratchDirectory } from '../support/started-service.ts'
import type { PlaceKind } from './fleet.ts'
import { createFamily } from './fleet.ts'
import { startLoad, submit } from './load.ts'
import { movesEnd } from './moving-families.ts'
import { notificationsArriveOnce } from './notifications.ts'
import { readRemains } from './remains.ts'
import { sampled } from './sampled.ts'
import type { Told } from './told.ts'
import { assertKept, assertWhole, createTold } from './told.ts'
import type { Point } from './wired-move.ts'
import { createWires, drawPoints, moveThroughWires } from './wired-move.ts'
import { assertOnePlaceAtMost, assertOnePlaceEach } from './writable-places.ts'

const points = Number(process.env.MOVE_POINTS ?? 6)
const seed = Number(process.env.KILL_SEED ?? 20_261_122)
interface Direction {
  readonly from: PlaceKind
  readonly to: PlaceKind
}
const DIRECTIONS: readonly Direction[] = [
  { from: 'shared', to: 'own' },
  { from: 'own', to: 'shared' },
]

/** Few, so that the move gets on. */
const CLIENTS = 1
/** A point that is not reached by then is passed over: the move has ended before. */
const REACHED_WITHIN_MS = 120_000

const { check, report, say } = createChecks()
const draw = seededRandom(seed)
const state = scratchDirectory()
const wires = createWires(state)
const launcher = await prepareLauncher(state, wires.tripwire)
let service = await launcher.start()
const { ROOT_SECRET = '' } = localSecrets(state)
const operatorKey = await issueAdminKey(service.origin, await openSecrets(ROOT_SECRET, null))

/** A family that was killed in a move. */
interface Victim {
  readonly told: Told
  /** How its move must end; null: it had not begun. */
  readonly ending: 'done' | 'aborted' | null
}
const victims: Victim[] = []

async function family(organizationId: string, place: PlaceKind): Promise<Told> {
  const call = operatorCall(service.origin, operatorKey)
  return createTold(await createFamily(call, organizationId, place))
}

/** The points of a move that nobody disturbs. */
async function rehearse({ from, to }: Direction): Promise<readonly Point[]> {
  const {
    family: { organizationId },
  } = await family(`rehearses-from-${from}`, from)
  const points = wires.rehearse()
  await moveThroughWires(service, operatorKey, organizationId, to, null)
  return points
}

/** Moves a family until the point, kills the runtime there, and starts it again. */
async function killAt({ wire }: Point, told: Told, to: PlaceKind): Promise<void> {
  const { organizationId, formId } = told.family
  const load = startLoad(service.origin, organizationId, [formId], CLIENTS)
  const cut = new Promise<void>((resolve) => {
    wires.cut(() => {
      service.kill()
      resolve()
    })
  })
  const moving = moveThroughWires(service, operatorKey, organizationId, to, wire).catch(() => undefined)
  await Promise.race([cut, moving, pause(REACHED_WITHIN_MS, undefined, { ref: false })])
  const { receipts, improper } = await load.stop()
  told.receipts.push(...receipts)
  await service.dispose()
  assert.deepEqual(sampled(improper), [], 'answers are neither receipts nor proper failures')
  service = await launcher.start()
}

/** Asks to give the move up. Returns how it must end. */
async function giveUp(organizationId: string): Promise<'done' | 'aborted'> {
  const call = operatorCall(service.origin, operatorKey)
  const { status } = await call('POST', `/operator/v1/organizations/${organizationId}/move/abort`)
  assert([200, 409].includes(status), `giving up answered ${status}`)
  return status === 200 ? 'aborted' : 'done'
}

async function killOne(number: number, point: Point, { from, to }: Direction): Promise<void> {
  const isGivenUp = draw() < 0.5
  const told = await family(`family-${number}`, from)
  const { organizationId } = told.family
  await killAt(point, told, to)
  const remains = readRemains(state, 0)
  const move = remains.moves.find(({ familyId }) => familyId === organizationId)
  const isRunning = move !== undefined && move.isEnded === 0
  const ending = isGivenUp && isRunning ? await giveUp(organizationId) : move === undefined ? null : 'done'
  const where = `wire ${point.wire}, ${point.name}, ${move?.phase ?? 'not begun'}`
  const then = isGivenUp ? `given up, so ${ending ?? 'nothing'}` : 'to be resumed'
  await check(
    `${number}: ${from} to ${to}, ${where}; ${told.receipts.length} receipts; ${then}`,
    async () => {
      assertOnePlaceAtMost(remains)
      await assertKept(told, service.origin)
    },
  )
  victims.push({ told, ending })
}

async function main(): Promise<void> {
  say(`KILL_SEED=${seed} MOVE_POINTS=${points}`)
  const drawn = new Map<Direction, readonly Point[]>()
  for (const direction of DIRECTIONS) {
    const rehearsed = await rehearse(direction)
    say(`${rehearsed.length} points from ${direction.from} to ${direction.to}`)
    drawn.set(direction, drawPoints(rehearsed, Math.ceil(points / DIRECTIONS.length), draw))
  }
  let number = 0
  for (const [direction, ofDirection] of drawn)
    for (const point of ofDirection) await killOne((number += 1), point, direction)
  const told = victims.map((victim) => victim.told)
  const ids = told.map(({ family: { organizationId } }) => organizationId)
  await check('every move ends by itself, as it was asked to', async () => {
    say(`        ${await movesEnd(service, state)}`)
    const endings = new Map(readRemains(state, 0).moves.map(({ familyId, phase }) => [familyId, phase]))
    assert.deepEqual(
      ids.map((id) => endings.get(id) ?? null),
      victims.map(({ ending }) => ending),
    )
  })
  await check('each family lives in one place, and takes posts there', async () => {
    assertOnePlaceEach(readRemains(state, 0), ids)
    for (const {
      family: { formId },
      receipts,
    } of told) {
      const answer = await submit(service.origin, formId, `last-${formId}`, 0)
      assert(answer?.kind === 'receipt', `${formId}: ${JSON.stringify(answer)}`)
      receipts.push({ formId, submissionId: answer.submissionId, marker: `last-${formId}` })
    }
  })
  await check('each family: all receipts, no post twice, one contact each, complete copies', async () => {
    for (const each of told) await assertWhole(each, service.origin)
  })
  const saved = told.flatMap(({ submissions }) => [...submissions.rows.keys()])
  await notificationsArriveOnce({ service, state, saved, check, say })
  await service.dispose()
  report()
}

await main()
process.exit()
