import { createMeter, createStorage, type NodeSqlite } from '../../../adapters/node-sqlite/index.ts'
import { createPlaceDirectory, type Executor } from '../../../adapters/sqlite/index.ts'
import { createPlaceMemory, type AllPlaces } from '../../../domain/placement/find/at-place.ts'
import { ElsewhereError } from '../../../domain/placement/find/errors.ts'
import { createPlacedStorage, type PlacedStorage } from '../../../domain/placement/placed-storage.ts'
import { lineLog, systemDeadline } from '../../../host-worker/system.ts'
import type { Deadline } from '../../../ports/platform.ts'
import type { OwnPlace, PlaceChoice, PlaceDirectory } from '../../../ports/placement.ts'
import { START_MS, type TestClock } from '../../../adapters/conformance/fixtures.ts'
import { lendDatabase } from '../databases/lent-database.ts'

/** One call to a database: `shared`, or the name of a family's database such as `acme.1`. */
export interface PlaceCall {
  readonly at: string
  readonly kind: 'batch' | 'create'
}

/** One isolate of the service, with its own memory of places. */
export interface ScratchIsolate extends PlacedStorage {
  readonly places: AllPlaces
}

/** Databases in memory, for tests that read them, count and interrupt calls, and move families by hand. */
export interface ScratchPlaces {
  readonly clock: TestClock
  readonly shared: NodeSqlite
  readonly directory: PlaceDirectory
  /** Every call to a database since the beginning, or since a test emptied this list. */
  readonly calls: PlaceCall[]
  /** Runs before each call. When it throws, the call is not made. */
  before: (call: PlaceCall) => Promise<void> | void
  /** Runs after each call. When it throws, the answer is lost. */
  after: (call: PlaceCall) => Promise<void> | void
  /** The logged errors, by event and family. */
  readonly errors: string[]
  /** Opens the storage as another isolate, which remembers no places yet. */
  isolate(deadline?: Deadline): ScratchIsolate
  /** The database of a family, by its name such as `acme.1`. Undefined: there is none. */
  familyAt(name: string): NodeSqlite | undefined
  /** Runs SQL in the shared database, without guards and without counting the call. */
  run(sql: string, ...parameters: readonly (string | number | null)[]): Promise<readonly object[]>
  /** Moves a family to another database by hand, in one step. An `own` place gets a new name each time. */
  move(familyId: string, to: PlaceChoice['kind']): Promise<void>
}

/** The shared database, and a family's own one with the platform's choice of region. */
export const SHARED: PlaceChoice = { kind: 'shared' }
export const OWN: PlaceChoice = { kind: 'own', region: null, jurisdiction: null }
export const PLACES = [SHARED, OWN]

export function createScratchPlaces(): ScratchPlaces {
  const clock: TestClock = { ms: START_MS, nowMs: () => clock.ms }
  const meter = createMeter()
  const shared = lendDatabase(meter)
  const families = new Map<string, NodeSqlite>()
  const calls: PlaceCall[] = []
  const errors: string[] = []
  const nameOf = ({ familyId, generation }: OwnPlace) => `${familyId}.${generation}`

  const counted = async <Result>(call: PlaceCall, work: () => Promise<Result>): Promise<Result> => {
    calls.push(call)
    await scratch.before(call)
    const result = await work()
    await scratch.after(call)
    return result
  }
  const executorAt = (name: string): Executor => ({
    batch: (statements) =>
      counted({ at: name, kind: 'batch' }, async () => {
        const database = name === 'shared' ? shared : families.get(name)
        if (database === undefined) throw new ElsewhereError()
        return database.batch(statements)
      }),
  })
  const sharedExecutor = executorAt('shared')
  const directory = createPlaceDirectory(sharedExecutor, clock)
  const scratch: ScratchPlaces = {
    clock,
    shared,
    directory,
    calls,
    before: () => undefined,
    after: () => undefined,
    errors,
    isolate(deadline = systemDeadline) {
      const places: AllPlaces = {
        directory,
        memory: createPlaceMemory(),
        storageAt: (place) =>
          place.kind === 'shared'
            ? createStorage({ executor: sharedExecutor, clock, isShared: true })
            : createStorage({ executor: executorAt(nameOf(place)), clock }),
        databases: {
          knows: () => true,
          create: (place) =>
            counted({ at: nameOf(place), kind: 'create' }, async () => {
              const name = nameOf(place)
              if (!families.has(name)) families.set(name, lendDatabase(meter))
            }),
          remove: async (place) => void families.delete(nameOf(place)),
          sizeBytes: async (place) => families.get(nameOf(place))?.image().length ?? 0,
        },
        // Work is not noted here, because that would add to the calls that are counted.
        noteWork: () => undefined,
        clock,
        deadline,
      }
      const log = lineLog((_level, line) => errors.push(line))
      return { ...createPlacedStorage(places, log), places }
    },
    familyAt: (name) => families.get(name),
    async run(sql, ...parameters) {
      const [result] = await shared.batch([{ sql, parameters }])
      return result?.rows ?? []
    },
    move: (familyId, to) => moveByHand(familyId, to, scratch, families),
  }
  return scratch
}

/**
 * Changes the directory and the rows as a move does. Rows are copied with their tallies, so triggers that compute those
 * are left out.
 */
async function moveByHand(
  familyId: string,
  to: PlaceChoice['kind'],
  scratch: ScratchPlaces,
  families: Map<string, NodeSqlite>,
): Promise<void> {
  const ids = `(select organization_id from placed_organizations where family_id = '${familyId}')`
  const [family] = (await scratch.run('select * from families where family_id = ?', familyId)) as {
    readonly generation: number
  }[]
  if (family === undefined) throw new Error(`No family ${familyId}`)
  const name = `${familyId}.${family.generation}`
  const source = families.get(name)
  if (source === undefined) throw new Error(`No database ${name}`)
  families.delete(name)
  if (to === 'own') {
    families.set(`${familyId}.${family.generation + 1}`, source)
    await scratch.run('update families set generation = generation + 1 where family_id = ?', familyId)
    return
  }
  for (const table of ['organizations', 'api_keys', 'forms', 'contacts']) {
    const [found] = await source.batch([{ sql: `select * from ${table}`, parameters: [] }])
    for (const row of found?.rows ?? []) {
      const columns = Object.keys(row)
      const sql = `insert or replace into ${table} (${columns.map((column) => `"${column}"`).join(', ')})
        values (${columns.map(() => '?').join(', ')})`
      await scratch.shared.batch([{ sql, parameters: Object.values(row) as (string | number | null)[] }])
    }
  }
  for (const table of ['placed_slugs', 'placed_keys', 'placed_forms'])
    await scratch.run(`delete from ${table} where organization_id in ${ids}`)
  await scratch.run('delete from placed_organizations where family_id = ?', familyId)
  await scratch.run("update families set place = 'shared' where family_id = ?", familyId)
}
