import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { State } from '../../../adapters/durable-object/object/states.ts'
import { serviceName } from '../../../host-worker/local/host.ts'
import { persistPath } from '../../../host-worker/local/state.ts'
import { MOVE_LEASE_MS } from '../../../domain/placement/move/world.ts'
import { ENTRY_LEASE_MS } from '../../../domain/jobs/work.ts'
import type { MovePhase } from '../../../ports/placement.ts'
import { objectFile, sharedDatabaseFile } from '../../support/databases/d1-files.ts'

/** A move, as its record in the database shows it. */
export interface RecordedMove {
  readonly moveId: string
  readonly familyId: string
  readonly phase: MovePhase
  /** 1: a process worked on the move after the given instant. */
  readonly isHeld: number
  readonly isEnded: number
  readonly isAbortAsked: number
  readonly failure: string | null
}

/** The stored data of a family's object that is not empty. */
export interface StoredObject {
  readonly familyId: string
  readonly state: State['name']
  /**
   * Whether the directory names the object, or has named it before. To any other object only its own move can write.
   */
  readonly isKnown: boolean
  readonly outbox: OutboxCounts
}

/** Counts of the outbox entries that still need work. */
export interface OutboxCounts {
  readonly waiting: number
  /** Entries that were claimed after the given instant and are not finished. */
  readonly claimed: number
  /** Entries of `claimed` that are older than the given instant: an alarm or a sweep claimed them. */
  readonly claimedLate: number
}

/** The contents of the local runtime's databases. They are read while it runs or after its death, and not changed. */
export interface Remains {
  readonly moves: readonly RecordedMove[]
  readonly shared: OutboxCounts
  readonly objects: readonly StoredObject[]
  /** Organizations that are in the shared database and whose writes it accepts. */
  readonly sharedWritable: ReadonlySet<string>
  /** The number of objects whose alarm is due. */
  readonly dueAlarms: number
}

/** @param sinceMs work that was claimed from this instant on counts as claimed, in ms since 1970 */
export function readRemains(directory: string, sinceMs: number): Remains {
  const files = persistPath(directory)
  const [objectFiles, key] = [join(files, 'do'), `${serviceName()}-FamilyDatabase`]
  const folder = join(objectFiles, key)
  const now = new Date().toISOString()
  const objects = readdirSync(folder).filter((name) => /^[0-9a-f]+\.sqlite$/.test(name))
  const shared = sharedDatabaseFile(directory)
  const known = new Set(within(shared, knownObjects).map((name) => objectFile(objectFiles, key, name)))
  return {
    ...within(shared, (database) => readShared(database, now, sinceMs)),
    objects: objects.flatMap((name) => {
      const file = join(folder, name)
      const found = within(file, (database) => readObject(database, now, sinceMs))
      return found === null ? [] : [{ ...found, isKnown: known.has(file) }]
    }),
    dueAlarms: within(join(folder, 'metadata.sqlite'), (database) => {
      const sql = 'select count(*) as count from _cf_ALARM where scheduled_time <= ?'
      return count(database.prepare(sql).get(BigInt(Date.now()) * NANOSECONDS_PER_MS), 'count')
    }),
  }
}

/** The submissions that notifications in the local mailbox name, with repetitions. */
export function notifiedSubmissions(directory: string): readonly string[] {
  return mailedSubmissions(directory).flatMap(({ ids }) => ids)
}

/** The submissions of one notification, of a digest, or of an outbox entry that gathers one: those it names, and how many more. */
interface ToldSubmissions {
  readonly ids: readonly string[]
  readonly unnamed: number
}

function mailedSubmissions(directory: string): readonly ToldSubmissions[] {
  return within(sharedDatabaseFile(directory), (database) => {
    const rows = database.prepare("select body from local_mailbox where channel = 'email'").all()
    return rows.map(({ body }) => {
      const text = String(body)
      const named = [...text.matchAll(/(?:Submission |\/submissions\/)(sub_\w+)/g)].map(([, id = '']) => id)
      return {
        ids: named.length === 0 ? [text] : [...new Set(named)],
        unnamed: Number(/And (\d+) more/.exec(text)?.[1] ?? 0),
      }
    })
  })
}

/** The submissions of which people were told, with repetitions, or will be when the time of their digest has come. */
export function toldSubmissions(directory: string): readonly ToldSubmissions[] {
  const folder = join(persistPath(directory), 'do', `${serviceName()}-FamilyDatabase`)
  const objects = readdirSync(folder).filter((name) => /^[0-9a-f]+\.sqlite$/.test(name))
  return [
    ...mailedSubmissions(directory),
    ...within(sharedDatabaseFile(directory), (database) => gatheredIn(database, SERVED_HERE)),
    ...objects.flatMap((name) =>
      within(join(folder, name), (database) => {
        const state = stateOf(database)
        return state === null ? [] : gatheredIn(database, servedIn(state))
      }),
    ),
  ]
}

function gatheredIn(database: DatabaseSync, isServed: string): readonly ToldSubmissions[] {
  const sql = `select payload from outbox where ${GATHERING} and ${isServed}`
  return database
    .prepare(sql)
    .all()
    .map(({ payload }) => {
      const { count, first: ids } = JSON.parse(String(payload)) as {
        readonly count: number
        readonly first: readonly string[]
      }
      return { ids, unnamed: count - ids.length }
    })
}

/** A digest that waits for its time, which nothing else delays. */
const GATHERING = "kind = 'notification_digest' and attempts = 0"

/** The SQL condition for entries of organizations that live in the shared database. */
const SERVED_HERE = 'organization_id not in (select organization_id from placed_organizations)'
/** The same for a family's object: a closed source keeps its rows a day. */
const servedIn = ({ name }: State): string => (name === 'closed' ? 'false' : 'true')

/** The runtime stores the times of alarms in nanoseconds. */
const NANOSECONDS_PER_MS = 1_000_000n

/** How long a read waits for the lock that the runtime holds while it opens a database. */
const BUSY_MS = 5_000

/**
 * Reads the phases of the moves in progress, repeatedly while the runtime runs.
 * @param sinceMs in ms since 1970. A move whose process died before that instant is not in progress, even if its lease
 * has not ended.
 */
export function watchPhases(directory: string, sinceMs: number): { now(): readonly string[]; close(): void } {
  const database = open(sharedDatabaseFile(directory))
  const phases = database.prepare('select phase from moves where ended_at is null and leased_until > ?')
  return {
    now: () => phases.all(instant(sinceMs + MOVE_LEASE_MS)).map(({ phase }) => String(phase)),
    close: () => {
      database.close()
    },
  }
}

function open(file: string): DatabaseSync {
  return new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS })
}

function within<Result>(file: string, read: (database: DatabaseSync) => Result): Result {
  const database = open(file)
  try {
    return read(database)
  } finally {
    database.close()
  }
}

function readShared(
  database: DatabaseSync,
  now: string,
  sinceMs: number,
): Pick<Remains, 'moves' | 'shared' | 'sharedWritable'> {
  const moves = database.prepare(`select move_id as moveId, family_id as familyId, phase, failure,
    abort_asked as isAbortAsked, mover is not null and leased_until > ? as isHeld, ended_at is not null as isEnded
    from moves order by started_at`)
  const writable = database.prepare(`select o.organization_id as id from organizations as o
    where not exists (select 1 from placed_organizations as p where p.organization_id = o.organization_id)
      and not exists (select 1 from write_pauses as w where w.organization_id = o.organization_id and w.until > ?)`)
  return {
    moves: moves.all(instant(sinceMs + MOVE_LEASE_MS)) as unknown as readonly RecordedMove[],
    shared: countOutbox(database, sinceMs, SERVED_HERE),
    sharedWritable: new Set(writable.all(now).map(({ id }) => String(id))),
  }
}

/** The names of the objects that families have, or had before they moved. */
function knownObjects(database: DatabaseSync): readonly string[] {
  const families = database.prepare('select family_id as id, generation from families').all()
  return families.flatMap(({ id, generation }) =>
    Array.from({ length: Number(generation) }, (_, index) => `${String(id)}.${index + 1}`),
  )
}

/** Null: the object stores nothing. */
function stateOf(database: DatabaseSync): State | null {
  const facts = database.prepare("select 1 from sqlite_master where type = 'table' and name = 'object_facts'")
  if (facts.get() === undefined) return null
  const stored = database.prepare("select value from object_facts where name = 'state'").get()
  const state = JSON.parse(String(stored?.value)) as State
  return state.name === 'empty' ? null : state
}

/** Null: the object stores nothing. */
function readObject(
  database: DatabaseSync,
  now: string,
  sinceMs: number,
): Omit<StoredObject, 'isKnown'> | null {
  const state = stateOf(database)
  if (state === null || state.name === 'empty') return null
  // A pause whose time has passed ends with the next write.
  const isOver = state.name === 'paused' && state.untilMs <= Date.parse(now)
  const outbox = countOutbox(database, sinceMs, servedIn(state))
  return { familyId: state.familyId, state: isOver ? 'open' : state.name, outbox }
}

/** @param isServed the SQL condition for entries of organizations that live here: a closed source keeps its rows a day */
function countOutbox(database: DatabaseSync, sinceMs: number, isServed: string): OutboxCounts {
  const claimed = "status = 'pending' and coalesce(lease_token, '') <> '' and next_attempt_at > ?1"
  const found = database
    .prepare(
      `select count(*) filter (where not (${GATHERING})) as waiting, count(*) filter (where ${claimed}) as claimed,
      count(*) filter (where ${claimed} and created_at < ?2) as claimedLate from outbox where ${isServed}`,
    )
    .get(instant(sinceMs + ENTRY_LEASE_MS), instant(sinceMs))
  return {
    waiting: count(found, 'waiting'),
    claimed: count(found, 'claimed'),
    claimedLate: count(found, 'claimedLate'),
  }
}

function instant(atMs: number): string {
  return new Date(atMs).toISOString()
}

function count(row: Readonly<Record<string, unknown>> | undefined, name: string): number {
  return Number(row?.[name] ?? 0)
}
