import { sql, expressionBuilder, type Expression, type SqlBool } from 'kysely'
import type { PlaceFinder, OwnPlace } from '../../../ports/placement.ts'
import { bind, db, slot, template, jsonEach, type Template, exists } from '../statement/compiler.ts'
import {
  rowsOf,
  type Executor,
  declared,
  readsAlone,
  type Statement,
  type CountedBatch,
} from '../statement/executor.ts'
import { parsed, type JsonText, type Database } from '../statement/database.ts'
import { ElsewhereError, MovingError, PausedError } from '../../../domain/placement/find/errors.ts'
import type { Clock } from '../../../ports/platform.ts'
import { toInstant } from '../../../domain/text/instant.ts'

/** What a storage port is made of. */
export interface StorageOptions {
  /** Runs statements on a database that has every migration of `migrations/`. */
  readonly executor: Executor
  readonly clock: Clock
  /**
   * Whether this is the database that families share, which also holds the directory. It refuses organizations that the
   * directory places elsewhere with an `ElsewhereError`, and writes that a move has paused with a `PausedError`. Left
   * out: the database holds every organization that it is asked about.
   */
  readonly isShared?: boolean
  /**
   * Counts requests with keys. Only for a database whose counter sees all requests of an organization. Left out: no
   * requests are counted.
   */
  readonly countedBatch?: CountedBatch
}

/**
 * The guard that refuses batches about organizations that are not in this database. It refuses nothing where the
 * database holds every organization it is asked about, or its executor refuses by itself.
 */
export function guardOf({ executor, clock, isShared = false }: StorageOptions): Guard {
  return isShared ? placementGuard(executor, clock) : () => executor
}

/** The executors for writing to one organization. */
export interface TenantExecutors {
  readonly executor: Executor
  /** For submissions, whose statements ask by themselves whether the organization may be written here. */
  readonly submissions: Executor
}

/** Opens one organization for writing. */
export function tenantExecutors(options: StorageOptions, organizationId: string): TenantExecutors {
  const { executor, isShared = false } = options
  return {
    executor: guardOf(options)({ organizationIds: [organizationId] }),
    submissions: isShared ? refusingExecutor(executor) : executor,
  }
}

/** What a batch is about: some organizations, the organization of a key, or the organization of an outbox entry. */
type Subject =
  | { readonly organizationIds: readonly string[] }
  | { readonly keyId: string }
  | { readonly outboxId: string }

/** Returns an executor for batches about a subject. */
export type Guard = (subject: Subject) => Executor

/**
 * The guard of the shared database. In the same transaction as a batch, it refuses the batch when an organization that
 * it is about lives elsewhere (`ElsewhereError`), or when the batch writes while writes of that organization are paused
 * (`PausedError`).
 */
export function placementGuard(executor: Executor, clock: Clock): Guard {
  const refusing = refusingExecutor(executor)
  return (subject) => ({
    async batch(statements) {
      const isRead = readsAlone(statements)
      const { read, write, values } = statementsFor(subject)
      const guard = isRead ? bind(read, values) : bind(write, { ...values, now: toInstant(clock.nowMs()) })
      const results = await refusing.batch([guard, ...statements])
      const [verdict] = declared<readonly [Statement<PlacedRow>]>(results)
      const [placed] = verdict.rows
      if (isRead && placed !== undefined) throw elsewhere(placed.place)
      return results.slice(1)
    },
  })
}

/** Runs batches that contain the guard's statements already, and turns the guard's refusals into errors of the port. */
function refusingExecutor(executor: Executor): Executor {
  return {
    async batch(statements) {
      try {
        return await executor.batch(statements)
      } catch (error) {
        throw refusalOf(error) ?? error
      }
    },
  }
}

/** The refusal that the trigger of `refused_writes` raised; null: the batch failed for another reason. */
function refusalOf(cause: unknown): Error | null {
  const text = String(cause)
  if (text.includes('placement: elsewhere')) return new ElsewhereError(null, { cause })
  if (text.includes('placement: moving')) return new MovingError({ cause })
  return text.includes('placement: paused') ? new PausedError({ cause }) : null
}

/** The error for an organization that this database does not hold, with its place. */
export function elsewhere(text: PlacedText): ElsewhereError {
  const { organizationId, ...family } = parsed(text)
  return new ElsewhereError({ organizationId, place: ownPlace(family) })
}

interface PlacedRow {
  readonly place: PlacedText
}

interface GuardTemplates {
  /** Gives a row when a subject lives elsewhere. */
  readonly read: Template<PlacedRow>
  readonly write: Template
}

/**
 * The guard's statements for the organizations that a select names. The one for writes raises an error; the one for
 * reads returns a row.
 */
function guardFor(organizations: () => Expression<{ readonly id: string | null }>): GuardTemplates {
  const subject = () => db.selectFrom(sql<{ readonly id: string | null }>`(${organizations()})`.as('subject'))
  return {
    read: template(() =>
      subject()
        .innerJoin('placed_organizations as p', 'p.organization_id', 'subject.id')
        .innerJoin('families as f', 'f.family_id', 'p.family_id')
        .select(placedText.as('place'))
        .limit(sql.lit(1)),
    ),
    write: template(() => {
      const subjectId = sql.ref<string>('subject.id')
      const isPaused = exists(
        db.selectFrom('write_pauses as w').where(({ eb }) => eb('w.organization_id', '=', subjectId)),
      )
      return db
        .insertInto('refused_writes')
        .columns(['organization_id', 'now'])
        .expression(
          subject()
            .select(['subject.id', slot('now').as('now')])
            .where(({ or }) => or([isPlaced(subjectId), isPaused])),
        )
    }),
  }
}

const ofOrganizations = guardFor(() =>
  db.selectFrom(jsonEach<string, 'given'>(slot('organizationIds'), 'given')).select('value as id'),
)

const ofKey = guardFor(() =>
  db
    .selectFrom('api_keys')
    .select('organization_id as id')
    .where('key_id', '=', slot('keyId'))
    .unionAll(
      db.selectFrom('placed_keys').select('organization_id as id').where('key_id', '=', slot('keyId')),
    ),
)

/**
 * The condition that a row of the outbox is the entry in the slot `outboxId`. Operators name an entry by its id alone,
 * which begins no index. So it is looked for by its key in each organization that has entries, to which a recursive query
 * steps: nobody waits because another organization has a hundred thousand entries that failed.
 */
export const isEntry = sql<SqlBool>`(organization_id, outbox_id) in (
  with recursive owners(id) as (select (select min(organization_id) from outbox) union all
    select (select min(o.organization_id) from outbox as o where o.organization_id > owners.id)
    from owners where owners.id is not null)
  select id, ${slot('outboxId')} from owners)`

const ofEntry = guardFor(() => db.selectFrom('outbox').select('organization_id as id').where(isEntry))

function statementsFor(
  subject: Subject,
): GuardTemplates & { readonly values: Readonly<Record<string, string>> } {
  if ('keyId' in subject) return { ...ofKey, values: subject }
  if ('outboxId' in subject) return { ...ofEntry, values: subject }
  return { ...ofOrganizations, values: { organizationIds: JSON.stringify(subject.organizationIds) } }
}

const placed = () =>
  db
    .selectFrom('placed_organizations as p')
    .innerJoin('families as f', 'f.family_id', 'p.family_id')
    .select(familyColumns)

export const findPlace = template(() => placed().where('p.organization_id', '=', slot('organizationId')))

const findKey = template(() =>
  placed()
    .innerJoin('placed_keys as k', 'k.organization_id', 'p.organization_id')
    .select('k.organization_id as organizationId')
    .where('k.key_id', '=', slot('keyId')),
)

const noteWork = template(() =>
  db
    .updateTable('families')
    .set(({ eb, fn }) => ({
      work_since: fn<string>('min', [fn.coalesce('work_since', slot('at')), slot('at')]),
      work_notes: eb('work_notes', '+', sql.lit(1)),
      was_idle: sql.lit(0),
    }))
    .where('family_id', '=', slot('familyId')),
)

/** Finds places in the directory, which is in the shared database. */
export function createPlaceFinder(executor: Executor): PlaceFinder {
  return {
    async placeOf(id) {
      const [row] = await rowsOf(executor, bind(findPlace, { organizationId: id }))
      return row === undefined ? null : ownPlace(row)
    },
    async placeOfKey(keyId) {
      const [row] = await rowsOf(executor, bind(findKey, { keyId }))
      return row === undefined ? null : { organizationId: row.organizationId, place: ownPlace(row) }
    },
    async noteWork(familyId, at) {
      await executor.batch([bind(noteWork, { familyId, at })])
    },
  }
}

/** A row of the table `families`. */
export type FamilyRow = Omit<OwnPlace, 'kind'>

/** The columns of a `FamilyRow`, of `families` with the alias f. */
export const familyColumns = [
  'f.family_id as familyId',
  'f.generation',
  'f.region',
  'f.jurisdiction',
] as const

/**
 * The SQL for whether the directory places an organization in a database of its own, so that rows of it in this
 * database are what a move has left behind.
 * @param organizationId the SQL for the organization's id; it must not use the alias p
 */
export function isPlaced(organizationId: Expression<string | null>): Expression<SqlBool> {
  return exists(db.selectFrom('placed_organizations as p').where('p.organization_id', '=', organizationId))
}

export function ownPlace({ familyId, generation, region, jurisdiction }: FamilyRow): OwnPlace {
  return { kind: 'own', familyId, generation, region, jurisdiction }
}

const { fn, ref } = expressionBuilder<
  { readonly f: Database['families']; readonly p: Database['placed_organizations'] },
  'f' | 'p'
>()

const storedFamily = {
  familyId: ref('f.family_id'),
  generation: ref('f.generation'),
  region: ref('f.region'),
  jurisdiction: ref('f.jurisdiction'),
}

/**
 * The members of a family's row in an SQL object, so that `json_object('kind', 'own', …)` with these is an `OwnPlace`.
 * @param values the SQL for each value; by default, the columns of `families` with the alias f
 */
export function familyMembers(
  values: Readonly<Record<keyof FamilyRow, Expression<unknown>>> = storedFamily,
): readonly Expression<unknown>[] {
  return Object.entries(values).flatMap(([name, value]) => [sql.lit(name), value])
}

/** An organization with its place, as text in one column. */
export type PlacedText = JsonText<FamilyRow & { readonly organizationId: string }>

/** The SQL for `PlacedText`, from `placed_organizations` with the alias p and `families` with the alias f. */
export const placedText = fn<PlacedText>('json_object', [
  sql.lit('organizationId'),
  ref('p.organization_id'),
  ...familyMembers(),
])
