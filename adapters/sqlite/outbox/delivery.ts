import { sql, expressionBuilder } from 'kysely'
import type { SendRecord } from '../../../ports/messaging.ts'
import type {
  ClaimedContact,
  ClaimedContext,
  ClaimedEntry,
  ClaimedForm,
  ClaimedSubmission,
  Lease,
  OutboxRef,
  Settlement,
} from '../../../ports/outbox.ts'
import { bind, db, slot, template, advanceClock, writtenAt, exists } from '../statement/compiler.ts'
import { resultsOf, rowsAmong, type Executor, type Statement } from '../statement/executor.ts'
import { parsed, type Database } from '../statement/database.ts'
import { organizationFromRow } from '../tables.ts'
import { entryValues } from '../write/submission.ts'
import { alerting, beginning, endStatements } from './send-log.ts'
import { attemptStatements } from './webhooks.ts'

const organizationId = slot<string>('organizationId')

/**
 * An entry whose lease token is null was never claimed, so it may be claimed at once, even when the clocks of two
 * machines differ. An entry that waits for its next attempt has an empty token.
 */
const take = template(
  db
    .updateTable('outbox')
    .set(({ eb }) => ({
      lease_token: slot('token'),
      next_attempt_at: slot('until'),
      attempts: eb('attempts', '+', sql.lit(1)),
      updated_at: slot('now'),
    }))
    .where('organization_id', '=', organizationId)
    .where('outbox_id', '=', slot('outboxId'))
    .where('status', '=', sql.lit('pending'))
    .where(({ eb, or }) => or([eb('lease_token', 'is', null), eb('next_attempt_at', '<=', slot('now'))])),
)

const held = db
  .selectFrom('outbox as b')
  .where('b.organization_id', '=', organizationId)
  .where('b.outbox_id', '=', slot('outboxId'))
  .where('b.lease_token', '=', slot('token'))

const readEntry = template(
  held.select(['b.kind', 'b.payload', 'b.attempts', 'b.waiting_since as waitingSince']),
)

const readOrganization = template(
  db
    .selectFrom('organizations as o')
    .selectAll()
    .where('o.organization_id', '=', held.select('b.organization_id')),
)

/**
 * The submission of an entry with its form and its contact. The columns of what no longer exists are null. The form is
 * found without the submission too, because a digest goes out whatever becomes of the first one that it gathered.
 */
const readSubmission = template(
  held
    .leftJoin('form_submissions as s', (join) =>
      join
        .onRef('s.organization_id', '=', 'b.organization_id')
        .onRef('s.submission_id', '=', 'b.submission_id'),
    )
    .leftJoin('forms as f', (join) =>
      join
        .onRef('f.organization_id', '=', 'b.organization_id')
        .on(
          'f.form_id',
          '=',
          ({ ref }) => sql<string>`coalesce(${ref('s.form_id')}, ${ref('b.payload')} ->> 'formId')`,
        ),
    )
    .leftJoin('contacts as c', (join) =>
      join.onRef('c.organization_id', '=', 's.organization_id').onRef('c.contact_id', '=', 's.contact_id'),
    )
    .select(['s.submission_id as submissionId', 's.form_id as formId', 's.answers', 's.typed', 's.extra'])
    .select(['s.submitted_at as submittedAt', 's.contact_id as contactId'])
    .select(['f.name as formName', 'f.definition'])
    .select(['c.contact_id as foundContactId', 'c.email', 'c.phone'])
    .select(['c.email_consent as emailConsent', 'c.sms_consent as smsConsent']),
)
type SubmissionRow = NonNullable<typeof readSubmission.rowType>

/** Claims an entry and reads what it needs, in one batch. */
export async function claim(
  executor: Executor,
  { organizationId, outboxId }: OutboxRef,
  { token, until }: Lease,
  now: string,
): Promise<ClaimedEntry | null> {
  const values = { organizationId, outboxId, token, until, now }
  const [, entries, organizations, submissions] = await resultsOf(executor, [
    bind(take, values),
    bind(readEntry, values),
    bind(readOrganization, values),
    bind(readSubmission, values),
  ])
  const entry = entries.rows[0]
  const organization = organizations.rows[0]
  if (entry === undefined || organization === undefined) return null
  return {
    outboxId,
    kind: entry.kind,
    payload: parsed(entry.payload),
    attempts: entry.attempts,
    waitingSince: entry.waitingSince,
    organization: organizationFromRow(organization),
    ...contextOf(submissions.rows[0] ?? null),
  }
}

function contextOf(row: SubmissionRow | null): ClaimedContext {
  if (row === null) return { submission: null, form: null, contact: null }
  return { submission: submissionOf(row), form: formOf(row), contact: contactOf(row) }
}

/** Reads once more what the work of an entry needs. Null: the lease has been lost. */
export async function readAgain(executor: Executor, held: HeldEntry): Promise<ClaimedContext | null> {
  const [lease, submissions] = await resultsOf(executor, [
    bind(judge, { ...held }),
    bind(readSubmission, { ...held }),
  ])
  return lease.rows[0]?.isHeld === 1 ? contextOf(submissions.rows[0] ?? null) : null
}

function submissionOf(row: SubmissionRow): ClaimedSubmission | null {
  const { submissionId, formId, answers, typed, extra, submittedAt, contactId } = row
  if (submissionId === null || formId === null || answers === null || submittedAt === null) return null
  return {
    submissionId,
    formId,
    answers: parsed(answers),
    typed: typed === null ? null : parsed(typed),
    extra: extra === null ? null : parsed(extra),
    submittedAt,
    contactId,
  }
}

function formOf({ formName, definition }: SubmissionRow): ClaimedForm | null {
  return formName === null || definition === null ? null : { name: formName, definition: parsed(definition) }
}

function contactOf(row: SubmissionRow): ClaimedContact | null {
  const { foundContactId: contactId, email, phone, emailConsent, smsConsent } = row
  if (contactId === null || emailConsent === null || smsConsent === null) return null
  return { contactId, email, phone, emailConsent, smsConsent }
}

/** An entry that is held under a lease. */
export interface HeldEntry extends OutboxRef {
  readonly token: string
}

/**
 * The condition that selects an entry while its lease is valid. A worker that took the entry over has written another
 * token.
 */
export const heldRow = expressionBuilder<Database, 'outbox'>().and({
  organization_id: slot('organizationId'),
  outbox_id: slot('outboxId'),
  lease_token: slot('token'),
  status: sql.lit<'pending'>('pending'),
})

/** Whether the entry is held under a valid lease. */
export const isHeld = exists(db.selectFrom('outbox').where(heldRow))

const beginSend = beginning(isHeld)
const judge = template(db.selectNoFrom(isHeld.as('isHeld')))

/** Records that the message of an entry is about to be handed over. False: the lease has been lost. */
export async function begin(executor: Executor, held: HeldEntry, send: SendRecord): Promise<boolean> {
  const values = { ...held }
  const [row] = await rowsAmong(executor, { before: beginSend(send, values), giving: bind(judge, values) })
  return row?.isHeld === 1
}

const complete = template(db.deleteFrom('outbox').where(heldRow))

/** The entries that take the place of one, while the lease is valid. */
const replace = template(sql`
  insert into outbox (organization_id, outbox_id, submission_id, kind, payload, next_attempt_at, created_at, updated_at)
  select organization_id, e.value ->> 0, submission_id, e.value ->> 1, e.value ->> 2,
    ${slot('now')}, ${slot('now')}, ${slot('now')}
  from outbox cross join json_each(${slot('entries')}) as e where ${heldRow}
  on conflict (organization_id, outbox_id) do nothing`)

/** An empty token says that the entry waits and nobody holds it. */
const released = { lease_token: sql.lit(''), last_error: slot('reason'), updated_at: slot('now') }
const change = db.updateTable('outbox').where(heldRow)

const retryLater = template(
  change.set(released).set(({ eb }) => ({
    next_attempt_at: slot('at'),
    attempts: eb('attempts', '-', slot('uncounted')),
    waiting_since: slot('waitingSince'),
  })),
)

const fail = template(change.set(released).set('status', sql.lit('failed')))
const failRun = template(
  db
    .updateTable('automation_runs')
    .set({ status: sql.lit('failed'), failure_reason: slot('reason'), updated_at: writtenAt })
    .where('organization_id', '=', slot('organizationId'))
    .where('run_id', '=', slot('outboxId'))
    .where('status', '=', sql.lit('running'))
    .where(isHeld),
)

const alertOf = alerting(isHeld)

/** Writes the outcome of an entry, in one batch. False: the lease has been lost. */
export async function settle(
  executor: Executor,
  held: HeldEntry,
  settlement: Settlement,
  now: string,
): Promise<boolean> {
  const sends = endStatements(held.organizationId, settlement.sends ?? [])
  const { delivery, alert } = { delivery: undefined, alert: undefined, ...settlement }
  const recorded = delivery === undefined ? [] : attemptStatements({ ...held }, delivery, isHeld, now)
  const told = alert === undefined ? [] : [alertOf(alert, { ...held, now })]
  const results = await executor.batch([
    ...sends,
    ...recorded,
    ...told,
    ...outcome({ ...held }, settlement, now),
  ])
  return (results.at(-1)?.changes ?? 0) > 0
}

function outcome(
  held: Readonly<Record<string, string>>,
  settlement: Settlement,
  now: string,
): readonly Statement[] {
  switch (settlement.kind) {
    case 'done': {
      const { entries = [] } = settlement
      const replaced = { ...held, entries: entryValues(entries), now }
      return [...(entries.length === 0 ? [] : [bind(replace, replaced)]), bind(complete, held)]
    }
    case 'retry': {
      const { at, reason, counted, waitingSince = null } = settlement
      return [bind(retryLater, { ...held, at, reason, uncounted: counted ? 0 : 1, waitingSince, now })]
    }
    case 'failed': {
      const values = { ...held, reason: settlement.reason, now }
      return [bind(advanceClock, values), bind(failRun, values), bind(fail, values)]
    }
  }
}
