import type { AliasableExpression, RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type {
  NewSubmission,
  OutboxEntry,
  SaveSubmissionOutcome,
} from '../../../ports/records/tenant-writer.ts'
import type { Database } from '../database/database.ts'
import { keysOf } from '../../../domain/text/keys-of.ts'
import { one } from '../statement/words.ts'
import { bind, db, eb, slot, template } from '../statement/compiler.ts'
import type { BoundValue, Executor } from '../statement/executor.ts'
import { resultsOf, rowsOf, uncounted } from '../statement/executor.ts'
import type { JsonText } from '../database/json-text.ts'
import { parsed } from '../database/json-text.ts'
import { advanceClock } from './write-clock.ts'

const organization = slot<string>('organizationId')

const ofOrganization = db.selectFrom('contacts').where('organization_id', '=', organization)
const oldest = ofOrganization
  .select('contact_id')
  .orderBy('created_at')
  .orderBy('contact_id')
  .limit(sql.lit(1))

/** The oldest contact with the email; else the oldest with the phone and no other email; else the new id. */
const matchedContact = eb.fn.coalesce(
  oldest.where('email_key', '=', slot('emailKey')),
  oldest
    .where('phone', '=', slot('phone'))
    .where(({ eb, or }) =>
      or([eb('email_key', 'is', null), eb(slot<string | null>('emailKey'), 'is', null)]),
    ),
  slot<string>('newContactId'),
)

/** The value of a slot, or null when a contact of the organization has it in the column. */
function unlessTaken(column: 'email_key' | 'phone', key: string, value = key): RawBuilder<string | null> {
  const taken = db
    .selectFrom('contacts as other')
    .select(one)
    .where('other.organization_id', '=', organization)
    .where(`other.${column}`, '=', slot(key))
  return sql`iif(${eb.exists(taken)}, null, ${slot(value)})`
}

const now = slot<string>('now')
const clockAt = sql.ref<string>('clock_at' satisfies keyof Database['organizations'])

/** The values for the columns of the view `accepted_submissions`, which 0002_service.sql describes. */
const accepted = {
  organization_id: organization,
  submission_id: slot('submissionId'),
  form_id: slot('formId'),
  form_version: slot('formVersion'),
  limit_per_contact: slot('limit'),
  contact_id: matchedContact,
  new_contact_id: slot('newContactId'),
  email: unlessTaken('email_key', 'emailKey', 'email'),
  email_key: unlessTaken('email_key', 'emailKey'),
  phone: unlessTaken('phone', 'phone'),
  first_name: slot('firstName'),
  last_name: slot('lastName'),
  license_plate: slot('licensePlate'),
  source: slot('source'),
  attribution: slot('attribution'),
  answers: slot('answers'),
  submitted_at: slot('submittedAt'),
  saved_at: clockAt,
  // Follow-up work is due by the clock of the service, because the organization's clock may be ahead of it. It is never
  // due later than the instant of the write, because the clock of the service may be wrong.
  due_at: sql<string>`iif(${now} < ${clockAt}, ${now}, ${clockAt})`,
  outbox: slot('outbox'),
} satisfies Record<keyof Database['accepted_submissions'], AliasableExpression<unknown>>

/** A list with the contact of the submission, or null, as its only item; an empty list: nothing was saved. */
type ContactIds = JsonText<readonly [] | readonly [string | null]>

const savedContacts = db
  .selectFrom('form_submissions as s')
  .select(({ fn }) => fn<ContactIds>('json_group_array', ['contact_id']).as('contactIds'))
  .where('s.organization_id', '=', organization)
  .where('s.submission_id', '=', slot('submissionId'))
  .where(({ eb }) =>
    eb('s.updated_at', '=', sql.ref<string>('saved_at' satisfies keyof Database['accepted_submissions'])),
  )

/** The ids of the automation runs that follow the submission. */
const savedRuns = db
  .selectFrom('outbox as o')
  .select(({ fn }) => fn<JsonText<readonly string[]>>('json_group_array', ['outbox_id']).as('runIds'))
  .where('o.organization_id', '=', organization)
  .where('o.outbox_id', '>=', sql<string>`'run_' || ${slot('submissionId')} || '_'`)
  .where('o.outbox_id', '<', sql<string>`'run_' || ${slot('submissionId')} || '_:'`)

/**
 * Inserts a row into the view, whose trigger writes everything that belongs to the submission. It runs after
 * `advanceClock` in the same batch. Its result is read after the trigger has run: a submission that was saved earlier
 * has an `updated_at` before the clock, so it is not returned. The ids of the runs share a prefix, and `:` sorts after
 * every digit, so the range contains all of them. The statement only calls functions that SQLite compiles inline, for
 * the reason that the trigger gives.
 */
const insertSubmission = template(
  db
    .insertInto('accepted_submissions')
    .orFail()
    .columns(keysOf(accepted))
    .expression(
      db
        .selectFrom('organizations')
        .select(
          Object.entries<AliasableExpression<unknown>>(accepted).map(([column, value]) => value.as(column)),
        )
        .where('organization_id', '=', organization),
    )
    .returning([
      savedContacts.$asScalar().$notNull().as('contactIds'),
      savedRuns.$asScalar().$notNull().as('runIds'),
    ]),
)

type RefusalRow = NonNullable<typeof readRefusal.rowType>

/** The executors for writing to one organization. */
export interface TenantExecutors {
  readonly executor: Executor
  /** For submissions, whose statements contain the guard's checks already. */
  readonly submissions: Executor
}

/**
 * Reads why nothing was inserted: the submission was saved before, the form is no longer current, or the limit is
 * reached.
 */
const readRefusal = template(
  db
    .selectFrom(db.selectNoFrom(one).as('any'))
    .leftJoin('form_submissions as s', (join) =>
      join.on('s.organization_id', '=', organization).on('s.submission_id', '=', slot('submissionId')),
    )
    .select(['s.submission_id as submissionId', 's.contact_id as contactId'])
    .select(({ exists }) =>
      exists(
        db
          .selectFrom('forms')
          .select(one)
          .where('organization_id', '=', organization)
          .where('form_id', '=', slot('formId'))
          .where('is_published', '=', sql.lit(1))
          .where('version', '=', slot('formVersion')),
      ).as('current'),
    ),
)

/**
 * Saves a submission in one call. When nothing was inserted, a second call finds out why. The first one then changed
 * only the organization's clock, which no port shows. Where the database has no row of the organization, the first call
 * inserts nothing and raises no error, and the second one tells whether the organization lives elsewhere.
 */
export async function saveSubmission(
  { executor, submissions }: TenantExecutors,
  organizationId: string,
  submission: NewSubmission,
  now: string,
): Promise<SaveSubmissionOutcome> {
  const values = { organizationId, now, ...submissionValues(submission) }
  const [, inserted] = await resultsOf(submissions, [
    uncounted(bind(advanceClock, values)),
    uncounted(bind(insertSubmission, values)),
  ])
  const [saved] = inserted.rows
  const [contactId] = saved === undefined ? [] : parsed(saved.contactIds)
  if (saved !== undefined && contactId !== undefined) {
    const outboxIds = [...submission.outbox.map(({ outboxId }) => outboxId), ...parsed(saved.runIds)]
    return { kind: 'saved', contactId, outboxIds }
  }
  const [refusal] = await rowsOf(executor, bind(readRefusal, values))
  return refusalOutcome(refusal)
}

function submissionValues(submission: NewSubmission): Readonly<Record<string, BoundValue>> {
  const { contact, outbox } = submission
  return {
    submissionId: submission.submissionId,
    formId: submission.formId,
    formVersion: submission.formVersion,
    submittedAt: submission.submittedAt,
    source: submission.source,
    answers: JSON.stringify(submission.answers),
    attribution: JSON.stringify(submission.attribution),
    limit: submission.limitPerContact,
    outbox: outbox.length === 0 ? null : JSON.stringify(byKind(outbox)),
    newContactId: contact?.newContactId ?? null,
    email: contact?.email ?? null,
    emailKey: contact?.emailKey ?? null,
    phone: contact?.phone ?? null,
    firstName: contact?.firstName ?? null,
    lastName: contact?.lastName ?? null,
    licensePlate: contact?.licensePlate ?? null,
  }
}

/** Groups outbox entries by kind: an object for each kind, with the payloads as texts by the entries' ids. */
function byKind(outbox: readonly OutboxEntry[]): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const kinds: Record<string, Record<string, string>> = {}
  for (const { outboxId, kind, payload } of outbox) {
    const ofKind = (kinds[kind] ??= {})
    ofKind[outboxId] = JSON.stringify(payload ?? null)
  }
  return kinds
}

/** The outcome when nothing was inserted. A row with the submission's id means that an earlier attempt saved it. */
function refusalOutcome(row: RefusalRow | undefined): SaveSubmissionOutcome {
  if (row === undefined) throw new Error('A refused submission gave no reason')
  if (row.submissionId !== null) {
    return { kind: 'saved', contactId: row.contactId, outboxIds: [] }
  }
  return row.current === 1 ? { kind: 'limit_reached' } : { kind: 'stale' }
}
