import type { Administration } from '../../ports/administration.ts'
import type { Background } from '../../ports/background.ts'
import type { Deadline } from '../../ports/deadline.ts'
import type { Move } from '../../ports/move-ledger.ts'
import type { Place, PlaceChoice, PlaceDirectory } from '../../ports/placement.ts'
import { pause } from '../bounds/within.ts'
import { toInstant } from '../text/instant.ts'
import { SHARED } from './at-place.ts'
import type { MoveWorld } from './move/index.ts'
import { newMoveId, runMove } from './move/index.ts'

/** What asking for a move came to. */
export type MoveBegun =
  /** The move runs, begun now or before. */
  | { readonly kind: 'running'; readonly move: Move }
  /** The family lives there already. */
  | { readonly kind: 'there' }
  | { readonly kind: 'unknown' }
  /** Families move as a whole, by their root. */
  | { readonly kind: 'child'; readonly rootId: string }
  /** It is being moved to another place. */
  | { readonly kind: 'busy'; readonly move: Move }
  /** There are no databases of families' own here. */
  | { readonly kind: 'no_places' }

/** Moves of families, as operators ask for them. The service does the work; who asked may go away. */
export interface Moves {
  begin(organizationId: string, target: PlaceChoice): Promise<MoveBegun>
  /** The move of this id, and work on it if nobody works on it; null: there is none. */
  watch(moveId: string): Promise<Move | null>
  /** The move of a family that runs; null: none does. */
  running(familyId: string): Promise<Move | null>
  /** Gives a move up. False: it has switched or ended. */
  abort(moveId: string): Promise<boolean>
}

/** What moves need besides the engine. */
export interface MovesWorld extends MoveWorld {
  readonly directory: Pick<PlaceDirectory, 'placeOf'>
  readonly administration: Pick<Administration, 'findOrganization'>
  /** Whether families can have databases of their own. */
  readonly hasDatabases: boolean
  readonly background: Background
  readonly deadline: Deadline
}

/** How long one request goes on working on a move after its answer, in ms: less than the platform lets it. */
const WORK_MS = 20_000

/** How long a family's tree may be followed upwards. */
const DEPTH_MAX = 100

/** No I/O. */
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

/** Moves that nobody works on, gone on with one after the other. For the cron. */
export async function sweepMoves(world: Omit<MovesWorld, 'background'>): Promise<void> {
  const nowMs = world.clock.nowMs()
  for (const { moveId } of await world.ledger.idle(toInstant(nowMs), MOVES_MAX)) {
    if (world.clock.nowMs() - nowMs > WORK_MS) return
    await workOn(moveId, world)
  }
}

/** Most moves that one sweep takes up. */
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
  if (target.kind === 'own' && !world.hasDatabases) return { kind: 'no_places' }
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
