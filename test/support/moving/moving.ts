import { openImage } from '../../../adapters/node-sqlite/index.ts'
import { createObjectMovePlace } from '../../../adapters/durable-object/index.ts'
import { migrationsAtOnce } from '../databases/migrations-at-once.ts'
import type { Migration } from '../../../adapters/sqlite/migration.ts'
import type { Executor } from '../../../adapters/sqlite/index.ts'
import { createMoveLedger } from '../../../adapters/sqlite/move/ledger.ts'
import { createMovePlace, sharedControl } from '../../../adapters/sqlite/move/place.ts'
import { runMove, tidyUp } from '../../../domain/placement/move/advance.ts'
import { newMoveId, type MoveWorld } from '../../../domain/placement/move/world.ts'
import { lineLog, systemDeadline } from '../../../host-worker/system.ts'
import type { Deadline } from '../../../ports/platform.ts'
import type { Move, MovedTable, Place, PlaceChoice } from '../../../ports/placement.ts'
import { fakeRandom, type FakeClock } from '../runner/fakes.ts'
import { describingOnce } from '../databases/kept-descriptions.ts'
import { ownDatabase, type OwnDatabase, type OwnDatabaseOptions } from '../scratch/own-database.ts'

/** Wraps a call to a database, and may fail before or after the call. */
export type Interference = <Result>(call: () => Promise<Result>) => Promise<Result>

/** A shared database and databases of families, between which families move. */
export interface MovingPlaces {
  readonly clock: FakeClock
  readonly shared: Executor
  readonly world: MoveWorld
  /** The database of a family's generation, created if there is none. */
  own(place: Place): OwnDatabase
  /** All databases of families that have ever existed. */
  owned(): readonly (OwnDatabase & { readonly generation: number })[]
  /** Their executors, as a request would use them to which the directory has named each. */
  ownServing(): readonly Executor[]
  /** The family's place according to the directory. */
  placeOf(familyId: string): Promise<Place>
  /** Opens a move. */
  open(familyId: string, target: PlaceChoice): Promise<Move>
  /** Opens a move and works on it until it has ended. */
  move(familyId: string, target: PlaceChoice): Promise<Move>
  /** Removes what ended moves have left, as the sweep does a day after them. */
  tidy(): Promise<void>
  /** Works on a move until it has ended, as another mover does after the lease of the first one has expired. */
  finish(moveId: string): Promise<Move>
}

export interface MovingOptions {
  readonly clock: FakeClock
  /** The initial shared database. */
  readonly image: Uint8Array
  readonly migrations?: readonly Migration[]
  /** The database of the family's first generation, if it initially has one of its own. */
  readonly ownImage?: Uint8Array
  readonly interfere?: Interference
  /** The executor of the shared database. Default: one of `node:sqlite` that starts with the image. */
  readonly sharedExecutor?: Executor
  readonly rowsMax?: number
  /** Default: the system's, whose time does not pass with the clock. */
  readonly deadline?: Deadline
}

const own = { kind: 'own', region: null, jurisdiction: null } as const
export const toOwn: PlaceChoice = own
export const toShared: PlaceChoice = { kind: 'shared' }

/** Opens places in memory. */
export function movingPlaces({
  clock,
  image,
  migrations = migrationsAtOnce(),
  ownImage,
  interfere,
  sharedExecutor,
  rowsMax = 500,
  deadline = systemDeadline,
}: MovingOptions): MovingPlaces {
  const within: Interference = interfere ?? ((call) => call())
  const interfered = (executor: Executor): Executor => ({
    batch: (statements) => within(() => executor.batch(statements)),
  })
  // Only Node's SQLite tells the version of its schema.
  const shared = sharedExecutor ?? describingOnce(openImage(image))
  const owned = new Map<string, OwnDatabase & { readonly generation: number }>()
  const familyObject = (of: Pick<OwnDatabaseOptions, 'image'>) =>
    ownDatabase({ clock, within, migrations, ...of })
  if (ownImage !== undefined) owned.set('acme.1', { ...familyObject({ image: ownImage }), generation: 1 })
  const ownOf = (place: Place): OwnDatabase => {
    if (place.kind !== 'own') throw new Error('The shared database is no family’s own')
    const name = `${place.familyId}.${place.generation}`
    const known = owned.get(name) ?? { ...familyObject({}), generation: place.generation }
    owned.set(name, known)
    return known
  }
  const directory = interfered(shared)
  // A database that was moved before has a record of that move, so other ids must be drawn.
  const random = fakeRandom(ownImage === undefined ? 1 : 2)
  const world: MoveWorld = {
    clock,
    deadline,
    random,
    log: lineLog(() => undefined),
    ledger: createMoveLedger(directory),
    places: (place) => {
      if (place.kind === 'shared') {
        return createMovePlace({ executor: directory, control: sharedControl(directory), rowsMax })
      }
      const { namespace } = ownOf(place)
      return createObjectMovePlace({ namespace, place, clock })
    },
  }
  const finish = async (moveId: string) => {
    for (;;) {
      clock.advance(61_000)
      const move = await runMove(world, moveId, Infinity, async (durationMs) => {
        clock.advance(durationMs)
      })
      const found = move ?? (await world.ledger.find(moveId))
      if (found === null) throw new Error('There is no such move')
      if (found.endedAt !== null) return found
    }
  }
  const open = async (familyId: string, target: PlaceChoice) => {
    const startedAt = new Date(clock.nowMs()).toISOString()
    const move = await world.ledger.open({ moveId: newMoveId(world), familyId, target, startedAt })
    if (move === null) throw new Error('The move was not opened')
    return move
  }
  return {
    clock,
    shared,
    world,
    own: ownOf,
    owned: () => [...owned.values()],
    ownServing: () => [...owned.values()].map(({ serving }) => serving),
    async placeOf(familyId) {
      const sql = `select * from families where family_id = ? and place = 'own'`
      const [found] = await shared.batch([{ sql, parameters: [familyId] }])
      const row = found?.rows[0]
      if (row === undefined) return { kind: 'shared' }
      return { ...own, familyId, generation: Number(row.generation) }
    },
    open,
    move: async (familyId, target) => finish((await open(familyId, target)).moveId),
    finish,
    async tidy() {
      clock.advance(DAY_MS)
      const { ledger } = world
      const left = async () =>
        (await ledger.idle(new Date(clock.nowMs()).toISOString(), 20)).filter(
          ({ endedAt }) => endedAt !== null,
        )
      for (let moves = await left(); moves.length > 0; moves = await left())
        for (const move of moves) await tidyUp(world, move, Infinity)
    },
  }
}

const DAY_MS = 24 * 60 * 60_000

/** Every row of these organizations by table, each as JSON, sorted, without their clocks, which a move moves on. */
export async function contentOf(
  executor: Executor,
  tables: readonly MovedTable[],
  organizationIds: readonly string[],
): Promise<Readonly<Record<string, readonly string[]>>> {
  const results = await executor.batch(
    tables.map(({ name, columns }) => ({
      sql: `select ${columns
        .filter((column) => column !== 'clock_at')
        .map((column) => `"${column}"`)
        .join()} from "${name}"
        where organization_id in (select value from json_each(?))`,
      parameters: [JSON.stringify(organizationIds)],
    })),
  )
  return Object.fromEntries(
    tables.map(({ name }, index) => [
      name,
      (results[index]?.rows ?? []).map((row) => JSON.stringify(row)).sort(),
    ]),
  )
}

/** Everything that a move should have removed. That filling has ended is known for a day after it. */
export async function leftOf(database: Executor): Promise<readonly unknown[]> {
  const left = [
    'select * from move_targets where finished_by is null',
    'select * from move_guards',
    'select * from move_journal',
    'select * from move_organizations',
    "select name from sqlite_master where type = 'trigger' and name glob 'move_*'",
    'select * from write_pauses',
  ]
  const results = await database.batch(left.map((sql) => ({ sql, parameters: [] })))
  return results.flatMap(({ rows }) => rows)
}
