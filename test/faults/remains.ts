import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { State } from '../../adapters/durable-object/states.ts'
import { persistPath } from '../../host-worker/local/state.ts'
import type { MovePhase } from '../../ports/move-ledger.ts'
import { databaseFile } from '../support/d1-files.ts'
import { SERVICE, SHARED_DATABASE } from '../support/killable-service.ts'

/** A move as its record says. */
export interface RecordedMove {
  readonly moveId: string
  readonly familyId: string
  readonly phase: MovePhase
  /** 1: a mover's lease on it has not ended, so that it was worked on a moment ago. */
  readonly isHeld: number
  readonly isAbortAsked: number
  readonly failure: string | null
}

/** What a family's object holds that is not empty. */
export interface StoredObject {
  readonly familyId: string
  readonly state: State['name']
  readonly outbox: OutboxCounts
}

/** Work of an outbox that is still to be done. */
export interface OutboxCounts {
  readonly waiting: number
  /** Those that a worker took up and had not finished. */
  readonly claimed: number
  /** Those of `claimed` that had been waiting since before an instant: something else than their request took them up. */
  readonly claimedLate: number
}

/** What the databases of the local runtime hold, read beside it or after its death without changing anything. */
export interface Remains {
  readonly moves: readonly RecordedMove[]
  readonly shared: OutboxCounts
  readonly objects: readonly StoredObject[]
  /** Organizations that the shared database holds and whose writes it takes. */
  readonly sharedWritable: ReadonlySet<string>
  /** Objects whose alarm is set, and rings at the latest at the given instant. */
  readonly dueAlarms: number
}

/** @param lateMs what was due before this instant, and is taken up now, is late, in ms since 1970 */
export function readRemains(directory: string, lateMs: number): Remains {
  const files = persistPath(directory)
  const folder = join(files, 'do', `${SERVICE}-FamilyDatabase`)
  const [now, late] = [new Date().toISOString(), new Date(lateMs).toISOString()]
  const objects = readdirSync(folder).filter((name) => /^[0-9a-f]+\.sqlite$/.test(name))
  return {
    ...within(databaseFile(files, SHARED_DATABASE), (database) => readShared(database, now, late)),
    objects: objects.flatMap((name) => within(join(folder, name), (database) => readObject(database, now, late))),
    dueAlarms: within(join(folder, 'metadata.sqlite'), (database) => {
      const sql = 'select count(*) as count from _cf_ALARM where scheduled_time <= ?'
      return count(database.prepare(sql).get(Date.now() * 1_000_000), 'count')
    }),
  }
}

/** The submissions that notifications in the local mailbox name, with repetitions. */
export function notifiedSubmissions(directory: string): readonly string[] {
  return within(databaseFile(persistPath(directory), SHARED_DATABASE), (database) => {
    const rows = database.prepare("select body from local_mailbox where channel = 'email'").all()
    return rows.map(({ body }) => /Submission (sub_\w+)\./.exec(String(body))?.[1] ?? String(body))
  })
}

function within<Result>(file: string, read: (database: DatabaseSync) => Result): Result {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return read(database)
  } finally {
    database.close()
  }
}

function readShared(
  database: DatabaseSync,
  now: string,
  late: string,
): Pick<Remains, 'moves' | 'shared' | 'sharedWritable'> {
  const moves = database.prepare(`select move_id as moveId, family_id as familyId, phase, failure,
    abort_asked as isAbortAsked, mover is not null and leased_until > ? as isHeld from moves order by started_at`)
  const writable = database.prepare(`select o.organization_id as id from organizations as o
    where not exists (select 1 from placed_organizations as p where p.organization_id = o.organization_id)
      and not exists (select 1 from write_pauses as w where w.organization_id = o.organization_id and w.until > ?)`)
  return {
    moves: moves.all(now) as unknown as readonly RecordedMove[],
    shared: countOutbox(database, now, late),
    sharedWritable: new Set(writable.all(now).map(({ id }) => String(id))),
  }
}

function readObject(database: DatabaseSync, now: string, late: string): readonly StoredObject[] {
  const facts = database.prepare("select 1 from sqlite_master where type = 'table' and name = 'object_facts'")
  if (facts.get() === undefined) return []
  const stored = database.prepare("select value from object_facts where name = 'state'").get()
  const state = JSON.parse(String(stored?.value)) as State
  if (state.name === 'empty') return []
  const isOver = state.name === 'paused' && state.untilMs <= Date.parse(now)
  return [
    {
      familyId: state.familyId,
      // The first write after its end ends a pause.
      state: isOver ? 'open' : state.name,
      outbox: countOutbox(database, now, late),
    },
  ]
}

function countOutbox(database: DatabaseSync, now: string, late: string): OutboxCounts {
  const claimed = "status = 'pending' and coalesce(lease_token, '') <> '' and next_attempt_at > ?1"
  const found = database
    .prepare(
      `select count(*) as waiting, count(*) filter (where ${claimed}) as claimed,
      count(*) filter (where ${claimed} and created_at < ?2) as claimedLate from outbox`,
    )
    .get(now, late)
  return {
    waiting: count(found, 'waiting'),
    claimed: count(found, 'claimed'),
    claimedLate: count(found, 'claimedLate'),
  }
}

function count(row: Readonly<Record<string, unknown>> | undefined, name: string): number {
  return Number(row?.[name] ?? 0)
}
