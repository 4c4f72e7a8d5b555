/**
 * Kills the runtime at points of a move, before or after one of the calls that the move makes, while clients post to
 * the moving family. Half of the moves are given up afterwards; some are killed while they are being given up. A sweep
 * ends all of them. Variables: MOVE_POINTS (default 6) and KILL_SEED.
 */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { openSecrets } from '../../../domain/access/secrets.ts'
import { readStateRecord } from '../../../host-worker/local/state.ts'
import { createChecks } from '../../support/runner/checks.ts'
import { seededRandom } from '../../support/runner/fakes.ts'
import { prepareLauncher } from '../../support/services/killable-service.ts'
import { issueAdminKey, operatorCall } from '../../support/services/operator/operator-http.ts'
import { scratchDirectory } from '../../support/services/started-service.ts'
import { createFamily, type PlaceKind } from './fleet.ts'
import { startLoad, submit } from '../load.ts'
import { movesEnd } from './moving-families.ts'
import { notificationsArriveOnce } from '../kills/notifications.ts'
import { readRemains } from './remains.ts'
import { sampled } from '../sampled.ts'
import { assertKept, assertWhole, createTold, type Told } from '../told.ts'
import { createWires, drawPoints, moveThroughWires, type Point, type WiredMove } from './wired-move.ts'
import { assertOnePlaceAtMost, assertOnePlaceEach } from './writable-places.ts'

const points = Number(process.env.MOVE_POINTS ?? 6)
const seed = Number(process.env.KILL_SEED ?? 20_261_122)
/** A kind of move, and the phases from which its points are drawn. */
interface Kind extends WiredMove {
  readonly from: PlaceKind
  readonly phases: readonly string[]
}
const WHOLE = ['copying', 'switching', 'switched', 'comparing']
const KINDS: readonly Kind[] = [
  { from: 'shared', to: 'own', isGivenUp: false, phases: WHOLE },
  { from: 'own', to: 'shared', isGivenUp: false, phases: WHOLE },
  { from: 'shared', to: 'own', isGivenUp: true, phases: ['aborting'] },
  { from: 'own', to: 'shared', isGivenUp: true, phases: ['aborting'] },
]
/** The share of the points that each kind gets. */
const SHARES = [0.4, 0.4, 0.1, 0.1]

/** Few clients, so that moves make progress. */
const CLIENTS = 1
/** After this time a point is skipped, because the move has ended before reaching it. */
const REACHED_WITHIN_MS = 120_000

const { check, report, say } = createChecks()
const draw = seededRandom(seed)
const state = scratchDirectory()
const wires = createWires()
const launcher = await prepareLauncher(state, { tripwire: wires.tripwire })
let service = await launcher.start()
const ROOT_SECRET = readStateRecord(state)?.rootSecret ?? ''
const operatorKey = await issueAdminKey(service.origin, await openSecrets(ROOT_SECRET, null))

/** A family during whose move the runtime was killed. */
interface Victim {
  readonly told: Told
  /** The phase in which its move must end. */
  readonly ending: 'done' | 'aborted'
}
const victims: Victim[] = []

async function family(organizationId: string, place: PlaceKind): Promise<Told> {
  const call = operatorCall(service.origin, operatorKey)
  return createTold(await createFamily({ url: service.origin, call }, organizationId, place))
}

/** The points of a move that runs to its end. */
async function rehearse(kind: Kind): Promise<readonly Point[]> {
  const told = await family(`rehearses-${victims.length}-${kind.from}-${String(kind.isGivenUp)}`, kind.from)
  const noted = wires.rehearse()
  await moveThroughWires(service, operatorKey, told.family.organizationId, kind, null)
  return noted.filter(({ phase }) => kind.phases.includes(phase))
}

/** Moves a family up to the point, kills the runtime there, and restarts it. Returns the point that was reached. */
async function killAt(point: Point, told: Told, kind: Kind): Promise<Point | null> {
  const { organizationId, formId } = told.family
  const load = startLoad(service.origin, organizationId, [formId], CLIENTS)
  const cut = new Promise<Point>((resolve) => {
    wires.cut((at) => {
      service.kill()
      resolve(at)
    })
  })
  const moved = moveThroughWires(service, operatorKey, organizationId, kind, point).then(
    () => null,
    () => null,
  )
  const reached = await Promise.race([cut, moved, pause(REACHED_WITHIN_MS, null, { ref: false })])
  service.kill()
  const { receipts, improper } = await load.stop()
  told.receipts.push(...receipts)
  await service.dispose()
  assert.deepEqual(sampled(improper), [], 'answers are neither receipts nor proper failures')
  service = await launcher.start()
  return reached
}

/** Asks to give the move up. Returns the phase in which it must end. */
async function giveUp(organizationId: string): Promise<'done' | 'aborted'> {
  const call = operatorCall(service.origin, operatorKey)
  const { status } = await call('POST', `/operator/v1/organizations/${organizationId}/move/abort`)
  assert([200, 409].includes(status), `giving up answered ${status}`)
  return status === 200 ? 'aborted' : 'done'
}

async function killOne(number: number, point: Point, kind: Kind): Promise<void> {
  const isGivenUpAfterwards = !kind.isGivenUp && draw() < 0.5
  const told = await family(`family-${number}`, kind.from)
  const { organizationId } = told.family
  const reached = await killAt(point, told, kind)
  const remains = readRemains(state, 0)
  const move = remains.moves.find(({ familyId }) => familyId === organizationId)
  const isEnded = move === undefined || move.isEnded === 1
  const asked = !isEnded && isGivenUpAfterwards ? await giveUp(organizationId) : null
  const ending = asked ?? (move?.isAbortAsked === 1 ? 'aborted' : 'done')
  const where = reached === null ? 'not reached' : `${reached.nth} ${reached.name}`
  const then = isGivenUpAfterwards ? `given up, so ${ending}` : `goes on, so ${ending}`
  const name = `${number}: ${kind.from} to ${kind.to}, ${point.phase} ${where}; ${then}; ${told.receipts.length} receipts`
  await check(name, async () => {
    assertOnePlaceAtMost(remains)
    await assertKept(told, service.origin)
  })
  victims.push({ told, ending })
}

async function main(): Promise<void> {
  say(`KILL_SEED=${seed} MOVE_POINTS=${points}`)
  let number = 0
  for (const [index, kind] of KINDS.entries()) {
    const rehearsed = await rehearse(kind)
    say(`${rehearsed.length} points from ${kind.from} to ${kind.to}: ${kind.phases.join(', ')}`)
    const count = Math.max(1, Math.round(points * (SHARES[index] ?? 0)))
    for (const point of drawPoints(rehearsed, count, draw)) await killOne((number += 1), point, kind)
  }
  const told = victims.map((victim) => victim.told)
  const ids = told.map(({ family: { organizationId } }) => organizationId)
  await check('every move ends by itself, as it was asked to', async () => {
    say(`        ${await movesEnd(service, state)}`)
    const endings = new Map(readRemains(state, 0).moves.map(({ familyId, phase }) => [familyId, phase]))
    assert.deepEqual(
      ids.map((id) => endings.get(id)),
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
