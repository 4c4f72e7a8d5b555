import type { Administration, PlaceRefusal } from '../../../ports/organizations.ts'
import type { Background } from '../../../ports/platform.ts'
import type { FamilyDatabases, Place, PlaceChoice, PlaceDirectory, Move } from '../../../ports/placement.ts'
import { eachOf, pause, CONNECTIONS_WIDTH } from '../../limits/waiting.ts'
import { toInstant } from '../../text/instant.ts'
import { SHARED } from '../find/at-place.ts'
import { refusalOf } from '../storage/placed-writes.ts'
import { runMove, tidyUp } from '../move/advance.ts'
import { newMoveId, type MoveWorld } from '../move/world.ts'

/** The reply to a request for a move. */
type MoveBegun =
  /** The move is running, begun by this request or an earlier one. */
  | { readonly kind: 'running'; readonly move: Move }
  /** The family already lives in the target. */
  | { readonly kind: 'there' }
  | { readonly kind: 'unknown' }
  /** The organization is not the root of its family, and families only move as a whole. */
  | { readonly kind: 'child'; readonly rootId: string }
  /** The family is being moved to another place. */
  | { readonly kind: 'busy'; readonly move: Move }
  | { readonly kind: PlaceRefusal }

/**
 * Moves of families, for operators. The service does the work in the background, so the operator need not stay
 * connected.
 */
export interface Moves {
  begin(organizationId: string, target: PlaceChoice): Promise<MoveBegun>
  /** Returns a move, and continues it in the background when nobody works on it; null: there is none. */
  watch(moveId: string): Promise<Move | null>
  /** The running move of a family; null: there is none. */
  running(familyId: string): Promise<Move | null>
  /** Asks to abort a move. False: it has switched or ended. */
  abort(moveId: string): Promise<boolean>
}

/** The ports that `Moves` needs besides those of the move itself. */
export interface MovesWorld extends MoveWorld {
  readonly directory: Pick<PlaceDirectory, 'placeOf'>
  readonly administration: Pick<Administration, 'findOrganization'>
  /** Null: families cannot have databases of their own here. */
  readonly databases: Pick<FamilyDatabases, 'knows'> | null
  readonly background: Background
}

/** How long a request continues to work on a move after its reply, in ms: less than the platform allows. */
const WORK_MS = 20_000

/** How many levels a family's tree may have. */
const DEPTH_MAX = 100

/** Opens the moves. No I/O. */
export function createMoves(world: MovesWorld): Moves {
  const { ledger, background } = world
  const work = (move: Move): void => {
    if (move.endedAt === null) background.run(workOn(move.moveId, world))
  }
  return {
    async begin(organizationId, target) {
      const begun = await begin(organizationId, target, world)
      if (begun.kind === 'running') work(begun.move)
      return begun
    },
    async watch(moveId) {
      const move = await ledger.find(moveId)
      if (move !== null) work(move)
      return move
    },
    running: (familyId) => ledger.running(familyId),
    async abort(moveId) {
      const isAsked = await ledger.askAbort(moveId)
      const move = isAsked ? await ledger.find(moveId) : null
      if (move !== null) work(move)
      return isAsked
    },
  }
}

/**
 * Continues moves that nobody works on, and tidies up after those that have ended, a few at a time. A move that fails,
 * or whose database does not answer, does not stop the others. Called by the scheduled sweep.
 */
export async function sweepMoves(world: Omit<MovesWorld, 'background'>): Promise<void> {
  const { clock, ledger, log } = world
  const nowMs = clock.nowMs()
  await eachOf(await ledger.idle(toInstant(nowMs), MOVES_MAX), CONNECTIONS_WIDTH, async (move) => {
    if (clock.nowMs() - nowMs > WORK_MS) return
    const { moveId, familyId } = move
    try {
      if (move.endedAt === null) await workOn(moveId, world)
      else await tidyUp(world, move, nowMs + WORK_MS)
    } catch (cause) {
      log.error('move_failed', { moveId, familyId }, cause)
    }
  })
}

/** The maximum number of moves in one sweep. */
const MOVES_MAX = 20

async function workOn(moveId: string, world: Omit<MovesWorld, 'background'>): Promise<void> {
  const untilMs = world.clock.nowMs() + WORK_MS
  await runMove(world, moveId, untilMs, (durationMs) => pause(world.deadline, durationMs))
}

async function begin(organizationId: string, target: PlaceChoice, world: MovesWorld): Promise<MoveBegun> {
  const { ledger, clock, administration, directory } = world
  const organization = await administration.findOrganization(organizationId)
  if (organization === null) return { kind: 'unknown' }
  if (organization.parentId !== null)
    return { kind: 'child', rootId: await rootOf(organization.parentId, administration) }
  const refusal = target.kind === 'own' ? refusalOf(target, world.databases) : null
  if (refusal !== null) return { kind: refusal }
  const running = await ledger.running(organizationId)
  if (running === null && isThere((await directory.placeOf(organizationId)) ?? SHARED, target))
    return { kind: 'there' }
  const moveId = newMoveId(world)
  const startedAt = toInstant(clock.nowMs())
  const move = running ?? (await ledger.open({ moveId, familyId: organizationId, startedAt, target }))
  if (move === null) return { kind: 'unknown' }
  return { kind: isThere(move.target, target) ? 'running' : 'busy', move }
}

function isThere(place: Place, target: PlaceChoice): boolean {
  if (place.kind === 'shared' || target.kind === 'shared') return place.kind === target.kind
  return place.region === target.region && place.jurisdiction === target.jurisdiction
}

/** The organization at the root of a family. */
async function rootOf(
  organizationId: string,
  { findOrganization }: Pick<Administration, 'findOrganization'>,
): Promise<string> {
  let rootId = organizationId
  for (let depth = 0; depth < DEPTH_MAX; depth += 1) {
    const parentId = (await findOrganization(rootId))?.parentId ?? null
    if (parentId === null) return rootId
    rootId = parentId
  }
  return rootId
}
