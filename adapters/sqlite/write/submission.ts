import type {
  FormDirectory,
  SubmissionWriter,
  NewSubmission,
  SaveSubmissionOutcome,
  SubmittedContact,
} from '../../../ports/records.ts'
import {
  DIGEST_MS,
  DIGEST_NAMED_MAX,
  NOTIFICATION_DIGEST,
  SINGLES_MAX,
} from '../../../domain/forms/outbox.ts'
import { LEARNED_BOUND } from '../../../domain/spam/judge.ts'
import type { SpamReason } from '../../../domain/spam/reasons.ts'
import { toInstant } from '../../../domain/text/instant.ts'
import {
  isPlaced,
  placedText,
  elsewhere,
  tenantExecutors,
  type StorageOptions,
  type TenantExecutors,
} from '../placement/guard.ts'
import { bind, db, slot, template, nowOf, nextInstant } from '../statement/compiler.ts'
import {
  resultsOf,
  declared,
  uncounted,
  type BoundValue,
  type Executor,
  type Statement,
} from '../statement/executor.ts'
import { parsed } from '../statement/database.ts'
import type { Clock } from '../../../ports/platform.ts'
import { sql, type RawBuilder } from 'kysely'

const findForm = template(() =>
  db
    .selectFrom('forms as f')
    .innerJoin('organizations as o', 'o.organization_id', 'f.organization_id')
    .select([
      'f.organization_id',
      'f.form_id',
      'f.version',
      'f.is_published',
      'f.definition',
      'f.password_hash',
    ])
    .select(['o.phone_country', 'o.name as organization_name'])
    .where('f.form_id', '=', slot('formId'))
    .where(({ not, ref }) => not(isPlaced(ref('f.organization_id')))),
)

/** Finds the organization that has the form, where its family has a database of its own. */
const findPlaced = template(() =>
  db
    .selectFrom('placed_forms as placed')
    .innerJoin('placed_organizations as p', 'p.organization_id', 'placed.organization_id')
    .innerJoin('families as f', 'f.family_id', 'p.family_id')
    .select(placedText.as('place'))
    .where('placed.form_id', '=', slot('formId')),
)

/** The directory of forms. `submissionsOf` opens the organization that owns a form for writing. */
export function createFormDirectory(options: StorageOptions): FormDirectory {
  const { executor, clock } = options
  return {
    async find(formId) {
      const [found, placed] = await resultsOf(executor, [
        bind(findForm, { formId }),
        bind(findPlaced, { formId }),
      ])
      const [row] = found.rows
      const [elsewhereRow] = placed.rows
      if (row === undefined && elsewhereRow !== undefined) throw elsewhere(elsewhereRow.place)
      if (row === undefined) return null
      return {
        organizationId: row.organization_id,
        formId: row.form_id,
        version: row.version,
        isPublished: row.is_published === 1,
        definition: parsed(row.definition),
        passwordHash: row.password_hash,
        phoneCountry: row.phone_country,
        organizationName: row.organization_name,
      }
    },
    submissionsOf: (organizationId) =>
      createSubmissionWriter(tenantExecutors(options, organizationId), clock, organizationId),
  }
}

const replaceHash = template(() =>
  db
    .updateTable('forms')
    .set({ password_hash: slot('to') })
    .where('organization_id', '=', slot('organizationId'))
    .where('form_id', '=', slot('formId'))
    .where('password_hash', '=', slot('from')),
)

/** Opens one organization for submissions of its forms. */
export function createSubmissionWriter(
  executors: TenantExecutors,
  clock: Clock,
  organizationId: string,
): SubmissionWriter {
  return {
    saveSubmission: (submission) => saveSubmission(executors, organizationId, submission, nowOf(clock)),

    async replacePasswordHash(formId, from, to) {
      await executors.executor.batch([bind(replaceHash, { organizationId, formId, from, to })])
    },
  }
}

// A submission is one batch of the statements below, in this order. Each of the later ones writes for the submission that
// the second one saved at the instant to which the first one moved the clock, so without that they write nothing.

const organizationId = slot<string>('organizationId')
const submissionId = slot<string>('submissionId')
const formId = slot<string>('formId')
const emailKey = slot<string | null>('emailKey')
const phone = slot<string | null>('phone')
const limit = slot<number | null>('limit')
const nowMs = slot<number>('nowMs')

/** Whether the organization lives here and may be written. */
const isOpen = sql`not exists (select 1 from placed_organizations as p where p.organization_id = ${organizationId})
  and not exists (select 1 from write_pauses as w where w.organization_id = ${organizationId})`

/** The organization's clock moves to the instant of this write. */
const moveClock = template(sql`
  update organizations set clock_at = ${nextInstant(sql.ref('clock_at'))}
  where organization_id = ${organizationId} and ${isOpen}`)

/** The id of the organization's oldest contact that satisfies a condition. */
const oldest = (condition: RawBuilder<unknown>) => sql`(select contact_id from contacts
    where organization_id = ${organizationId} and ${condition} order by created_at, contact_id limit 1)`

/** Whom it is of: the oldest contact with its email, else the oldest with its phone and no other email, else a new one. */
export const matched = sql`matched (contact_id) as materialized (select coalesce(
    ${oldest(sql`email_key = ${emailKey}`)},
    ${oldest(sql`phone = ${phone} and (email_key is null or ${emailKey} is null)`)},
    ${slot('newContactId')}))`

/**
 * Why it is spam, as a JSON array; empty: it is not. A sign that as many have had as it allows is a reason; one that is
 * not in the text of the list need not be counted. Most submissions come without signs and reasons to an organization
 * that has taught nothing, and read no list for it.
 */
const judged = sql`judged (reasons) as materialized (select iif(${slot('signs')} = '[]' and ${slot('reasons')} = '[]'
    and not exists (select 1 from spam_models where organization_id = ${organizationId}), '[]', (
      select json_group_array(distinct reason) from (
        select value as reason from json_each(${slot('reasons')})
        union all select ${sql.lit('learned' satisfies SpamReason)} from spam_models as m
          where m.organization_id = ${organizationId} and (select sum(w.value) from json_each(m.weights) as w
            where w.key in (select value from json_each(${slot('words')}))) > ${sql.lit(LEARNED_BOUND)}
        union all select g.value ->> 3 from form_signs as r cross join json_each(${slot('signs')}) as g
          where r.organization_id = ${organizationId} and r.form_id = ${formId} and instr(r.signs, g.value ->> 0)
            and (select count(*) from (select 1 from json_each(r.signs) as e where e.value ->> 0 = g.value ->> 0
              and e.value ->> 1 > ${nowMs} limit +${slot('signsCounted')})) >= g.value ->> 2))))`

/** So much work of an organization may be due, and more is still announced to the queue. What is not, the sweep finds. */
const ANNOUNCED_MAX = 50

/**
 * Whether more work of the organization is due already than is announced. Messages are worked on in their order, so an
 * organization with thousands of them would delay all others; the sweep lets each have its turn.
 */
const isBacklogged = sql<number>`${sql.lit(ANNOUNCED_MAX)} < (select count(*) from (
    select 1 from outbox indexed by outbox_turns where organization_id = ${organizationId} and status = 'pending'
      and next_attempt_at <= ${slot('now')} limit ${sql.lit(ANNOUNCED_MAX + 1)}))`

/**
 * The submission is saved for its contact; for none when it names nobody, or is spam. It is not saved when the form is no
 * longer as the answers were checked against it, when it was saved before, or when the contact has submitted the form as
 * often as it allows. That is counted at most so far, among what the contact sent and not among what the form got, because
 * a form may have a million submissions.
 */
const saveRow = template(sql<SavedRow>`
  with ${matched}, ${judged}
  insert into form_submissions (organization_id, submission_id, form_id, contact_id, attribution, source, submitted_at,
    updated_at, answers, typed, extra, spam, spam_reasons, held)
  select o.organization_id, ${submissionId}, f.form_id, iif(j.reasons = '[]', m.contact_id, null), ${slot('attribution')},
    ${slot('source')}, ${slot('submittedAt')}, o.clock_at, ${slot('answers')}, ${slot('typed')}, ${slot('extra')},
    j.reasons <> '[]', nullif(j.reasons, '[]'), iif(j.reasons = '[]', null, ${slot('held')})
  from organizations as o
  join forms as f on f.organization_id = o.organization_id and f.form_id = ${formId}
    and f.is_published = 1 and f.version = ${slot('formVersion')}
  cross join matched as m cross join judged as j
  where o.organization_id = ${organizationId} and ${isOpen}
    and not exists (select 1 from form_submissions as s
      where s.organization_id = ${organizationId} and s.submission_id = ${submissionId})
    and (${limit} is null or m.contact_id is null or ${limit} > (select count(*) from (
      select 1 from form_submissions as s indexed by form_submissions_contact_id_submitted_at
        where s.organization_id = ${organizationId} and s.form_id = ${formId} and s.contact_id = m.contact_id
        limit +${limit})))
  returning contact_id, spam, ${isBacklogged} as is_backlogged`)

/** The submission that this batch has saved. One that was saved earlier has an instant before the clock. */
const saved = sql`form_submissions as s`
const isWritten = sql`s.organization_id = ${organizationId} and s.submission_id = ${submissionId} and s.updated_at = (
    select clock_at from organizations where organization_id = ${organizationId})`
/** Nothing follows from spam. */
const isSaved = sql`${isWritten} and s.spam = 0`

/** A list of signs that is longer than this, in bytes, keeps only its latest `SIGNS_KEPT`. */
const SIGNS_MAX_BYTES = 110_000
const SIGNS_KEPT = 2_000
/**
 * Signs that count no more are dropped once the oldest but this many is one of them. Dropping them means writing the
 * whole list anew, which takes longer than all else that a submission does.
 */
const OLD_SIGNS = 64
/** When what came to a form is thrown away at the latest, in ms after the last of it. */
const SIGNS_KEPT_MS = 12 * 3_600_000

/** A value, or null when a contact of the organization has its key already: it stays with whoever had it first. */
const unlessTaken = (column: 'email_key' | 'phone', key: RawBuilder<unknown>, value = key) =>
  sql`iif(exists (select 1 from contacts as other where other.organization_id = ${organizationId}
      and other.${sql.ref(column)} = ${key}), null, ${value})`

/**
 * A new contact is stored. The empty attributes of one that matched are filled, and one with nothing to fill is not
 * touched. A consent that was given before there was an address was not given for this one; a refusal stays, whatever the
 * address.
 */
const saveContact = template(sql`
  insert into contacts (organization_id, contact_id, first_name, last_name, email, email_key, phone, license_plate,
    tags, email_consent, sms_consent, source, created_at, updated_at)
  select s.organization_id, s.contact_id, ${slot('firstName')}, ${slot('lastName')},
    ${unlessTaken('email_key', emailKey, slot('email'))}, ${unlessTaken('email_key', emailKey)},
    ${unlessTaken('phone', phone)}, ${slot('licensePlate')},
    '[]', 'unknown', 'unknown', 'form', s.submitted_at, s.updated_at
  from ${saved} where ${isSaved} and s.contact_id is not null
  on conflict (organization_id, contact_id) do update set
    first_name = coalesce(nullif(first_name, ''), excluded.first_name, first_name),
    last_name = coalesce(nullif(last_name, ''), excluded.last_name, last_name),
    license_plate = coalesce(nullif(license_plate, ''), excluded.license_plate, license_plate),
    email = coalesce(email, excluded.email), email_key = coalesce(email_key, excluded.email_key),
    email_consent = iif(email is null and excluded.email is not null and email_consent = 'subscribed', 'unknown',
      email_consent),
    phone = coalesce(phone, excluded.phone),
    sms_consent = iif(phone is null and excluded.phone is not null and sms_consent = 'subscribed', 'unknown',
      sms_consent),
    updated_at = excluded.updated_at
  where (excluded.first_name is not null and coalesce(first_name, '') = '')
    or (excluded.last_name is not null and coalesce(last_name, '') = '')
    or (excluded.license_plate is not null and coalesce(license_plate, '') = '')
    or (excluded.email is not null and email is null)
    or (excluded.phone is not null and phone is null)`)

/**
 * Follow-up work is due by the clock of the service, because the organization's clock may be ahead of it. It is never due
 * later than the instant of the write, because the clock of the service may be wrong.
 */
const dueAt = sql`min(${slot('now')}, s.updated_at)`

const digestMs = sql.lit(DIGEST_MS)
/**
 * Whether as many of the form's submissions were told of one by one lately as may be: `told` has the milliseconds of the
 * latest ones, in the order in which they came, and the first of so many is not long ago.
 */
const isOver = sql`ifnull((select r.told ->> ${sql.lit(`$[#-${SINGLES_MAX}]`)} from form_signs as r
    where r.organization_id = ${organizationId} and r.form_id = ${formId}) > ${nowMs} - ${digestMs}, 0)`

/** The digest of the form that is still gathered; null: there is none, or a worker has taken it. */
const gathered = sql`(select b.outbox_id from form_signs as r
    cross join outbox as b on b.organization_id = r.organization_id and b.outbox_id = r.digest_id
    where r.organization_id = ${organizationId} and r.form_id = ${formId} and b.status = 'pending' and b.attempts = 0)`

const oneMore = sql`json_set(payload, '$.count', payload ->> 'count' + 1)`

/**
 * What follows is written to the outbox: the entries that came with the submission, or one more for the form's digest
 * instead when it is over what is told one by one; a run of each automation that the form triggers at this very moment;
 * and what webhooks are to be told: of the submission, and of its contact if that is new or was changed. A digest is not
 * due when it is written, so it waits from the beginning, as the empty token says.
 */
const saveWork = template(sql<WorkRow>`
  with s as materialized (select s.organization_id, s.submission_id, s.form_id, s.contact_id, s.updated_at,
    ${dueAt} as due_at from ${saved} where ${isSaved})
  insert into outbox (organization_id, outbox_id, submission_id, kind, payload, next_attempt_at, created_at, updated_at,
    lease_token, waiting_since, last_error)
  select organization_id, outbox_id, submission_id, kind, payload, ifnull(digest_at, due_at), due_at, due_at,
    iif(digest_at is null, null, ''), iif(digest_at is null, null, due_at),
    iif(digest_at is null, null, 'Waits for a digest. Submissions so far: 1.') from (
    select s.*, entry.value ->> 0 as outbox_id, entry.value ->> 1 as kind, entry.value ->> 2 as payload, null as digest_at
    from s cross join json_each(${slot('outbox')}) as entry where not ${isOver}
    union all
    select s.*, ifnull(${gathered}, 'dig_' || s.submission_id), 'notification_digest',
      json_object('formId', s.form_id, 'servedAt', ${slot('servedAt')}, 'count', 1, 'first', json_array(s.submission_id)),
      strftime('%Y-%m-%dT%H:%M:%fZ', s.due_at, ${sql.lit(`+${DIGEST_MS / 1000} seconds`)})
    from s where ${slot('outbox')} <> '[]' and ${isOver}
    union all
    select s.*, 'run_' || s.submission_id || '_' || (select count(*) from automations as b
        where b.organization_id = a.organization_id and b.trigger_form_id = a.trigger_form_id and b.status = 'active'
          and b.automation_id <= a.automation_id), 'automation_run', json_object('automationId', a.automation_id), null
    from s cross join automations as a indexed by automations_trigger_form_id_status
    where a.organization_id = s.organization_id and a.trigger_form_id = s.form_id and a.status = 'active'
    union all
    select s.*, 'whd_' || s.submission_id || '_' || substr(w.webhook_id, 4) || iif(e.value = 'submission.created', '', '_c'),
      'webhook_delivery', json_object('webhookId', w.webhook_id, 'event', e.value, 'subjectId',
        iif(e.value = 'submission.created', s.submission_id, s.contact_id), 'at', s.due_at), null
    from s cross join webhooks as w cross join json_each(w.events) as e
    where w.organization_id = s.organization_id and w.is_on = 1
      and iif(e.value = 'submission.created',
        w.form_ids is null or s.form_id in (select value from json_each(w.form_ids)),
        e.value = iif(s.contact_id = ${slot('newContactId')}, 'contact.created', 'contact.updated')
          and (select updated_at from contacts as c
            where c.organization_id = s.organization_id and c.contact_id = s.contact_id) = s.updated_at))
  where true on conflict (organization_id, outbox_id) do update set updated_at = excluded.updated_at,
    payload = iif(json_array_length(payload, '$.first') < ${sql.lit(DIGEST_NAMED_MAX)},
      json_insert(${oneMore}, '$.first[#]', excluded.submission_id), ${oneMore}),
    last_error = 'Waits for a digest. Submissions so far: ' || (payload ->> 'count' + 1) || '.'
    where kind = 'notification_digest'
  returning outbox_id, kind`)

/**
 * Whether the oldest sign has not counted for so long that all are looked through: a sign of a network is a hash of an
 * address, which is thrown away within a day.
 */
const isStale = sql`ifnull(r.signs ->> '$[0][1]' <= ${nowMs} - ${sql.lit(SIGNS_KEPT_MS)}, 0)`
/** The signs of others that still count, oldest first. */
const counting = sql`(select json_group_array(json(value)) from (select value from (
    select key, value from json_each(r.signs) where value ->> 1 > ${nowMs} order by key desc limit ${sql.lit(SIGNS_KEPT)})
    order by key))`
const others = sql`iif(${isStale} or r.signs ->> ${sql.lit(`$[${OLD_SIGNS - 1}][1]`)} <= ${nowMs} or octet_length(r.signs) > ${sql.lit(SIGNS_MAX_BYTES)},
    ${counting}, ifnull(r.signs, '[]'))`
/** The signs of others, and after them those of the submission: two lists as one text. */
const remembered = sql`(select iif(o.list = '[]', own.list, iif(own.list = '[]', o.list, substr(o.list, 1, length(o.list) - 1) || ',' || substr(own.list, 2)))
    from (select ${others} as list) as o cross join (select json_group_array(json_array(value ->> 0,
      value ->> 1 + ${nowMs})) as list from json_each(${slot('signs')})) as own)`

/** When the latest submissions were told of one by one, this one too if it is. */
const told = sql`iif(s.spam = 1 or ${slot('outbox')} = '[]' or ${isOver}, ifnull(r.told, '[]'),
    json_remove(json_insert(ifnull(r.told, '[]'), '$[#]', ${nowMs}), ${sql.lit(`$[#-${SINGLES_MAX + 1}]`)}))`

/**
 * What is remembered of what came to the form, in its one row: the signs; when its submissions were told of one by one;
 * and its digest. Last, because what came before it is judged by what is remembered of others.
 */
const remember = template(sql`
  insert into form_signs (organization_id, form_id, expires_at, updated_at, signs, told, digest_id)
  select s.organization_id, s.form_id, ${slot('signsExpireAt')}, s.updated_at,
    iif(${slot('signs')} = '[]' and not ${isStale}, ifnull(r.signs, '[]'), ${remembered}), ${told},
    (select b.outbox_id from outbox as b
      where b.organization_id = s.organization_id and b.outbox_id = 'dig_' || s.submission_id)
  from ${saved} left join form_signs as r on r.organization_id = s.organization_id and r.form_id = s.form_id
  where ${isWritten}
  on conflict (organization_id, form_id) do update set signs = excluded.signs, expires_at = excluded.expires_at,
    updated_at = excluded.updated_at, told = excluded.told, digest_id = ifnull(excluded.digest_id, digest_id)
    where (signs, told, expires_at, digest_id) is not
      (excluded.signs, excluded.told, excluded.expires_at, ifnull(excluded.digest_id, digest_id))`)

/** Why nothing was saved: the submission was saved before, the form is no longer current, or the limit is reached. */
const readRefusal = template(sql<RefusalRow>`
  select s.submission_id, s.contact_id, exists (select 1 from forms
      where organization_id = ${organizationId} and form_id = ${formId}
        and is_published = 1 and version = ${slot('formVersion')}) as is_current
  from (select 1) left join form_submissions as s
    on s.organization_id = ${organizationId} and s.submission_id = ${submissionId}`)

interface SavedRow {
  readonly contact_id: string | null
  readonly spam: number
  readonly is_backlogged: number
}

interface WorkRow {
  readonly outbox_id: string
  readonly kind: string
}

interface RefusalRow {
  readonly submission_id: string | null
  readonly contact_id: string | null
  readonly is_current: number
}

/**
 * Saves a submission in one call. When nothing was saved, a second one finds out why, behind the guard, which refuses an
 * organization that lives elsewhere or whose writes are paused, and ends a pause that has passed. The submission is then
 * saved by that call.
 */
async function saveSubmission(
  { executor, submissions }: TenantExecutors,
  organizationId: string,
  submission: NewSubmission,
  now: string,
): Promise<SaveSubmissionOutcome> {
  const values = { organizationId, ...memoryValues(now), ...submissionValues(submission) }
  const statements = [
    uncounted(bind(moveClock, values)),
    uncounted(bind(saveRow, values)),
    ...(submission.contact === null ? [] : [uncounted(bind(saveContact, values))]),
    uncounted(bind(saveWork, values)),
    ...(isRemembered(submission) ? [uncounted(bind(remember, values))] : []),
  ]
  const outcome = savedOutcome(submission, await submissions.batch(statements))
  if (outcome !== null) return outcome
  const results = await executor.batch([...statements, bind(readRefusal, values)])
  const [refusal] = declared<readonly [Statement<RefusalRow>]>(results.slice(-1))
  return savedOutcome(submission, results) ?? refusalOutcome(refusal.rows[0])
}

/** Whether later submissions of the form are judged by this one, or what follows from them depends on it. */
function isRemembered({ judged, outbox }: NewSubmission): boolean {
  return outbox.length > 0 || (judged?.signs ?? []).length > 0
}

/** The outcome when the submission was saved; null: it was not. */
function savedOutcome(
  { contact }: NewSubmission,
  results: Awaited<ReturnType<Executor['batch']>>,
): SaveSubmissionOutcome | null {
  const [row, work] = declared<readonly [Statement<SavedRow>, Statement<WorkRow>]>(
    [1, contact === null ? 2 : 3].flatMap((index) => results[index] ?? []),
  )
  const [found] = row.rows
  if (found === undefined) return null
  if (found.spam === 1) return { kind: 'saved', contactId: null, outboxIds: [] }
  const announced =
    found.is_backlogged === 1 ? [] : work.rows.filter(({ kind }) => kind !== NOTIFICATION_DIGEST)
  return {
    kind: 'saved',
    contactId: found.contact_id,
    outboxIds: announced.map(({ outbox_id: outboxId }) => outboxId),
  }
}

/**
 * The statements that write what follows from a submission that the present batch has saved, or found to be no spam.
 */
export function followingStatements(
  organizationId: string,
  {
    submissionId,
    formId,
    contact,
    outbox,
  }: Pick<NewSubmission, 'submissionId' | 'formId' | 'contact' | 'outbox'>,
  now: string,
): readonly Statement[] {
  const remembered = { ...memoryValues(now), formId, signs: '[]', servedAt: null }
  const following = { ...(contact ?? NOBODY), outbox: entryValues(outbox) }
  const values = { organizationId, submissionId, ...remembered, ...following }
  return [
    ...(contact === null ? [] : [bind(saveContact, values)]),
    bind(saveWork, values),
    ...(outbox.length === 0 ? [] : [bind(remember, values)]),
  ]
}

/** The present time, and when what is remembered now is thrown away. */
function memoryValues(now: string) {
  const nowMs = Date.parse(now)
  return { now, nowMs, signsExpireAt: toInstant(nowMs + SIGNS_KEPT_MS) }
}

function submissionValues({
  contact,
  outbox,
  judged,
  ...of
}: NewSubmission): Readonly<Record<string, BoundValue>> {
  return {
    ...(contact ?? NOBODY),
    outbox: entryValues(outbox),
    submissionId: of.submissionId,
    formId: of.formId,
    servedAt: of.servedAt,
    formVersion: of.formVersion,
    submittedAt: of.submittedAt,
    source: of.source,
    answers: JSON.stringify(of.answers),
    typed: of.typed === null ? null : JSON.stringify(of.typed),
    extra: of.extra === null ? null : JSON.stringify(of.extra),
    attribution: JSON.stringify(of.attribution),
    limit: of.limitPerContact,
    reasons: JSON.stringify(judged?.reasons ?? []),
    words: JSON.stringify(judged?.words ?? []),
    signs: JSON.stringify(
      (judged?.signs ?? []).map(({ sign, keptMs, earlierMax, reason }) => [sign, keptMs, earlierMax, reason]),
    ),
    signsCounted: Math.max(0, ...(judged?.signs ?? []).map(({ earlierMax }) => earlierMax)),
    held: JSON.stringify(contact ?? NOBODY),
  }
}

/** The contact of a submission that names nobody. */
export const NOBODY = {
  newContactId: null,
  email: null,
  emailKey: null,
  phone: null,
  firstName: null,
  lastName: null,
  licensePlate: null,
} as const satisfies Readonly<Record<keyof SubmittedContact, null>>

/** Outbox entries as JSON, for statements that write them. */
export function entryValues(entries: NewSubmission['outbox']): string {
  return JSON.stringify(
    entries.map(({ outboxId, kind, payload }) => [outboxId, kind, JSON.stringify(payload ?? null)]),
  )
}

/** The outcome when nothing was saved. A row with the submission's id means that an earlier attempt saved it. */
function refusalOutcome(row: RefusalRow | undefined): SaveSubmissionOutcome {
  if (row === undefined) throw new Error('A refused submission gave no reason')
  if (row.submission_id !== null) return { kind: 'saved', contactId: row.contact_id, outboxIds: [] }
  return row.is_current === 1 ? { kind: 'limit_reached' } : { kind: 'stale' }
}
