import { sql, type AliasableExpression, type Expression, type SqlBool } from 'kysely'
import { ElsewhereError, MovingError, PausedError } from '../../../domain/placement/find/errors.ts'
import type { Clock } from '../../../ports/platform.ts'
import { bind, db, eb, slot, template, jsonEach, one, type Template } from '../statement/compiler.ts'
import { declared, readsAlone, type Executor, type Statement } from '../statement/executor.ts'
import { toInstant } from '../../../domain/text/instant.ts'
import { isPlaced, placedOrganization, placedText, type PlacedText } from './finder.ts'

/** What a batch is about: some organizations, the organization of a key, or the organization of an outbox entry. */
export type Subject =
  | { readonly organizationIds: readonly string[] }
  | { readonly keyId: string }
  | { readonly outboxId: string }

/** Returns an executor for batches about a subject. */
export type Guard = (subject: Subject) => Executor

/**
 * A guard that refuses nothing: for a database that holds every organization it is asked about, or whose executor
 * refuses by itself.
 */
export function unguarded(executor: Executor): Guard {
  return () => executor
}

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
      const { read, write, values } = guardOf(subject)
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
export function refusingExecutor(executor: Executor): Executor {
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
export function elsewhere(place: PlacedText): ElsewhereError {
  return new ElsewhereError(placedOrganization(place))
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
      const isPaused = eb.exists(
        db
          .selectFrom('write_pauses as w')
          .select(one)
          .where(({ eb }) => eb('w.organization_id', '=', subjectId)),
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
const ofEntry = guardFor(() =>
  db.selectFrom('outbox').select('organization_id as id').where('outbox_id', '=', slot('outboxId')),
)

function guardOf(subject: Subject): GuardTemplates & { readonly values: Readonly<Record<string, string>> } {
  if ('keyId' in subject) return { ...ofKey, values: subject }
  if ('outboxId' in subject) return { ...ofEntry, values: subject }
  return { ...ofOrganizations, values: { organizationIds: JSON.stringify(subject.organizationIds) } }
}

/** Whether the family above an organization moves to another place. Moves are recorded in the shared database. */
const isMoving = (id: Expression<string | null>) => sql<SqlBool>`exists (
  with recursive above(id) as (select ${id} union
    select o.parent_id from organizations as o join above on o.organization_id = above.id)
  select 1 from above join moves as m on m.family_id = above.id and m.ended_at is null)`

/**
 * A statement that fails with `MovingError` when an organization is to join or leave a family that moves.
 * @param changes the SQL for whether the parent in the slot `parentId` is not the present one
 */
export function refuseMoving(
  organizationId: AliasableExpression<string>,
  parentId: Expression<string | null>,
  changes: Expression<SqlBool>,
): Template {
  return template(
    db
      .insertInto('refused_writes')
      .columns(['organization_id', 'now'])
      .expression(
        db
          .selectNoFrom([organizationId.as('organization_id'), sql.lit('moving').as('now')])
          .where(changes)
          .where(({ or }) => or([isMoving(organizationId), isMoving(parentId)])),
      ),
  )
}
