import { sql, type SqlBool } from 'kysely'
import { outboxOf } from '../../../domain/forms/outbox.ts'
import type { SpamReason } from '../../../domain/spam/reasons.ts'
import type { Clock } from '../../../ports/platform.ts'
import type { FormDefinition, SubmissionMarks, SubmittedContact } from '../../../ports/records.ts'
import {
  bind,
  CONDITION_HELD,
  failsWhen,
  jsonChunks,
  slot,
  template,
  advanceClock,
  nowOf,
  writtenAt,
} from '../statement/compiler.ts'
import { parsed, type JsonText } from '../statement/database.ts'
import { resultsOf, rowsOf, type Executor, type Statement } from '../statement/executor.ts'
import { followingStatements, matched, NOBODY } from './submission.ts'
import { taught, weightsOf, wordsOf, type Lesson, type SpamModel } from '../../../domain/spam/content.ts'

const organizationId = slot<string>('organizationId')
const given = sql`json_each(${slot('ids')})`

/** Those of the given ids that no submission has. */
const unknown = sql<{ readonly id: string }>`select g.value as id from ${given} as g
  where not exists (select 1 from form_submissions as s
    where s.organization_id = ${organizationId} and s.submission_id = g.value)`
const guard = failsWhen(sql<SqlBool>`exists (${unknown})`)
/** How many of the unknown ids are named. */
const NAMED_MAX = 10
const findUnknown = template(sql<{ readonly id: string }>`${unknown} limit ${sql.lit(NAMED_MAX)}`)

const isReadSaid = sql`ifnull(${slot('isRead')}, is_read)`
const isSpamSaid = sql`ifnull(${slot('isSpam')}, is_spam)`

/** A mark that says what is the case already is not written, nor one that an unread submission is unread. */
const write = template(sql`
  insert into submission_marks (organization_id, submission_id, is_read, is_spam, updated_at)
  select o.organization_id, g.value, ifnull(${slot('isRead')}, 0), ${slot('isSpam')}, o.clock_at
  from organizations as o cross join (select distinct value from ${given}) as g
  where o.organization_id = ${organizationId} and (${slot('isRead')} = 1 or ${slot('isSpam')} is not null or exists (
    select 1 from submission_marks as m where m.organization_id = ${organizationId} and m.submission_id = g.value))
  on conflict (organization_id, submission_id) do update
    set is_read = ${isReadSaid}, is_spam = ${isSpamSaid}, updated_at = excluded.updated_at
    where is_read <> ${isReadSaid} or is_spam is not ${isSpamSaid}`)

/** A submission that is what it is said to be stays as it is, so that no sync gets it again. */
const setSpam = template(sql`
  update form_submissions set spam = ${slot('isSpam')}, updated_at = ${writtenAt},
    spam_reasons = iif(${slot('isSpam')}, json_array(${sql.lit('marked' satisfies SpamReason)}), null)
  where (organization_id, submission_id) in (select ${organizationId}, value from ${given}) and spam <> ${slot('isSpam')}`)

const findHeld = template(sql<HeldRow>`
  select s.submission_id as submissionId, s.form_id as formId, s.held from ${given} as g
  cross join form_submissions as s on s.organization_id = ${organizationId} and s.submission_id = g.value
  where s.spam = 1 and s.held is not null order by s.submitted_at, s.submission_id`)

const findForms = template(sql<FormRow>`
  select form_id as formId, version, definition from forms
  where organization_id = ${organizationId} and form_id in (select value from ${given})`)

interface FormRow {
  readonly formId: string
  readonly version: number
  readonly definition: JsonText<FormDefinition>
}

/** What follows is what the forms say when it is written: one that was replaced since it was read is read again. */
const formsGuard = failsWhen(sql<SqlBool>`exists (
  select 1 from json_each(${slot('versions')}) as v where not exists (select 1 from forms as f
    where f.organization_id = ${organizationId} and f.form_id = v.key and f.version = v.value))`)

/** Spam becomes a submission like others, with its contact. Without what was held of it, it stays as it is. */
const release = template(sql`
  with ${matched}
  update form_submissions as s set spam = 0, spam_reasons = null, held = null, updated_at = ${writtenAt},
    contact_id = (select contact_id from matched)
  where s.organization_id = ${organizationId} and s.submission_id = ${slot('submissionId')} and s.spam = 1
    and s.held is not null`)

interface HeldRow {
  readonly submissionId: string
  readonly formId: string
  readonly held: JsonText<Readonly<Record<keyof SubmittedContact, string | null>>>
}

/** How often a mark is tried again because others marked something at the same moment. */
const TAUGHT_AT_ONCE_MAX = 5

/** How many submissions are released in one step. Each takes three statements. */
const RELEASED_AT_ONCE = 50

const isRead = sql`exists (select 1 from submission_marks as m
  where m.organization_id = ${organizationId} and m.submission_id = s.submission_id and m.is_read = 1)`

const findRead = template(sql<{ readonly id: string }>`
  select s.submission_id as id from submission_marks as s
  where s.organization_id = ${organizationId} and s.submission_id in (select value from ${given}) and s.is_read = 1`)

interface Counted {
  readonly looked: number
  readonly unread: number
}

/** Counts among the newest submissions, whose keys an index gives in their order. */
const countIn = (index: string, condition: ReturnType<typeof sql>) =>
  template(sql<Counted>`
  select count(*) as looked, ifnull(sum(s.spam = 0 and not ${isRead}), 0) as unread from (
    select submission_id, spam from form_submissions indexed by ${sql.id(index)}
    where organization_id = ${organizationId} and ${condition}
    order by submitted_at desc, submission_id desc limit +${slot('looksAtMax')}) as s`)
const countAll = countIn('form_submissions_submitted_at', sql`true`)
const countOfForm = countIn('form_submissions_form_id_submitted_at', sql`form_id = ${slot('formId')}`)

function numberOf(said: boolean | undefined): number | null {
  return said === undefined ? null : Number(said)
}

interface Releasing {
  /** For each submission of which something is held: what releases it, and writes what follows from it. */
  readonly releases: readonly (readonly Statement[])[]
  /** What must hold when they run. */
  readonly guards: readonly Statement[]
}

async function releasing(
  executor: Executor,
  organizationId: string,
  ids: string,
  now: string,
): Promise<Releasing> {
  const held = await rowsOf(executor, bind(findHeld, { organizationId, ids }))
  if (held.length === 0) return NOTHING_RELEASED
  const formIds = JSON.stringify([...new Set(held.map(({ formId }) => formId))])
  const forms = await rowsOf(executor, bind(findForms, { organizationId, ids: formIds }))
  const definitions = new Map(forms.map(({ formId, definition }) => [formId, parsed(definition)]))
  const versions = JSON.stringify(Object.fromEntries(forms.map(({ formId, version }) => [formId, version])))
  const releases = held.map(({ submissionId, formId, held: text }) => {
    const { newContactId, ...of } = parsed(text)
    const contact = newContactId === null ? null : { newContactId, ...of }
    const definition = definitions.get(formId)
    const outbox = definition === undefined ? [] : outboxOf(definition, submissionId)
    const values = { organizationId, submissionId, ...(contact ?? NOBODY) }
    return [
      bind(release, values),
      ...followingStatements(organizationId, { submissionId, formId, contact, outbox }, now),
    ]
  })
  return { releases, guards: [bind(formsGuard, { organizationId, versions })] }
}

const NOTHING_RELEASED: Releasing = { releases: [], guards: [] }

/** The marks of one organization's submissions. */
export function createSubmissionMarks(
  executor: Executor,
  clock: Clock,
  organizationId: string,
): SubmissionMarks {
  return {
    async markSubmissions(submissionIds, { isRead, isSpam }) {
      const now = nowOf(clock)
      const ids = JSON.stringify(submissionIds)
      const said = { isRead: numberOf(isRead), isSpam: numberOf(isSpam) }
      const values = { organizationId, ids, ...said }
      const begin = [bind(guard, values), bind(advanceClock, { organizationId, now })]
      const marks = [...(isSpam === undefined ? [] : [bind(setSpam, values)]), bind(write, values)]
      const attempt = async () => {
        const lessons =
          isSpam === undefined ? [] : await teaching(executor, organizationId, submissionIds, isSpam)
        const { releases, guards } =
          isSpam === false ? await releasing(executor, organizationId, ids, now) : NOTHING_RELEASED
        const most = RELEASED_AT_ONCE
        for (let start = 0; start === 0 || start < releases.length; start += most) {
          const isLast = start + most >= releases.length
          const some = releases.slice(start, start + most).flat()
          await executor.batch([...begin, ...guards, ...some, ...(isLast ? [...lessons, ...marks] : [])])
        }
      }
      for (let left = TAUGHT_AT_ONCE_MAX; ; left -= 1) {
        try {
          await attempt()
          return []
        } catch (error) {
          if (!CONDITION_HELD.test(String(error))) throw error
          const missing = await rowsOf(executor, bind(findUnknown, values))
          if (missing.length > 0) return missing.map(({ id }) => id)
          if (left === 0) throw error
        }
      }
    },

    async findRead(submissionIds) {
      if (submissionIds.length === 0) return []
      const results = await resultsOf(
        executor,
        jsonChunks(submissionIds).map((ids) => bind(findRead, { organizationId, ids })),
      )
      return results.flatMap(({ rows }) => rows.map(({ id }) => id))
    },

    async countUnread(formId, looksAtMax) {
      const values = { organizationId, formId, looksAtMax }
      const [counted] = await rowsOf(executor, bind(formId === null ? countAll : countOfForm, values))
      const { looked = 0, unread = 0 } = counted ?? {}
      return { unread, isWhole: looked < looksAtMax }
    },
  }
}

interface UnlearnedRow {
  readonly answers: JsonText<Readonly<Record<string, unknown>>>
  readonly extra: JsonText<Readonly<Record<string, string>>> | null
  readonly before: number | null
}

/** Submissions of which nobody has said this yet, with what they said before. */
const findUnlearned = template(sql<UnlearnedRow>`
  select s.answers, s.extra, m.is_spam as "before" from json_each(${slot('ids')}) as g
  cross join form_submissions as s on s.organization_id = ${organizationId} and s.submission_id = g.value
  left join submission_marks as m on m.organization_id = s.organization_id and m.submission_id = s.submission_id
  where m.is_spam is not ${slot('isSpam')}`)

const findModel = template(sql<ModelRow>`
  select spam_count as spam, clean_count as clean, in_spam as inSpam, in_clean as inClean, updated_at as updatedAt
  from spam_models where organization_id = ${organizationId}`)

interface ModelRow {
  readonly spam: number
  readonly clean: number
  readonly inSpam: JsonText<readonly number[]>
  readonly inClean: JsonText<readonly number[]>
  readonly updatedAt: string
}

/** Fails when others have taught it since it was read. */
const isTaughtByOthers =
  failsWhen(sql<SqlBool>`(select updated_at from spam_models where organization_id = ${organizationId})
  is not ${slot('readAt')}`)

const writeModel = template(sql`
  insert into spam_models (organization_id, spam_count, clean_count, updated_at, weights, in_spam, in_clean)
  select o.organization_id, ${slot('spam')}, ${slot('clean')}, o.clock_at, ${slot('weights')}, ${slot('inSpam')},
    ${slot('inClean')}
  from organizations as o where o.organization_id = ${organizationId}
  on conflict (organization_id) do update set spam_count = excluded.spam_count, clean_count = excluded.clean_count,
    updated_at = excluded.updated_at, weights = excluded.weights, in_spam = excluded.in_spam, in_clean = excluded.in_clean`)

/** How many submissions are read at once: their answers may be large. */
const READ_AT_ONCE = 50

/**
 * The statements that teach an organization's filter what is said of submissions. They stand in the batch that marks them,
 * whose clock was moved before, and fail it when the filter was taught by others meanwhile. None: nothing is new.
 */
async function teaching(
  executor: Executor,
  organizationId: string,
  submissionIds: readonly string[],
  isSpam: boolean,
): Promise<readonly Statement[]> {
  const lessons: Lesson[] = []
  const distinct = [...new Set(submissionIds)]
  for (let start = 0; start < distinct.length; start += READ_AT_ONCE) {
    const ids = JSON.stringify(distinct.slice(start, start + READ_AT_ONCE))
    const found = await rowsOf(executor, bind(findUnlearned, { organizationId, ids, isSpam: Number(isSpam) }))
    for (const { answers, extra, before } of found) {
      const words = wordsOf(parsed(answers), extra === null ? null : parsed(extra))
      lessons.push({ words, before: before === null ? null : before === 1, isSpam })
    }
  }
  if (lessons.length === 0) return []
  const [{ rows }] = await resultsOf(executor, [bind(findModel, { organizationId })])
  const [row] = rows
  const { inSpam, inClean, ...counts } = taught(row === undefined ? null : modelOf(row), lessons)
  const weights = weightsOf({ ...counts, inSpam, inClean })
  return [
    bind(isTaughtByOthers, { organizationId, readAt: row?.updatedAt ?? null }),
    bind(writeModel, {
      organizationId,
      ...counts,
      weights: JSON.stringify(weights),
      inSpam: JSON.stringify(inSpam),
      inClean: JSON.stringify(inClean),
    }),
  ]
}

function modelOf({ spam, clean, inSpam, inClean }: ModelRow): SpamModel {
  return { spam, clean, inSpam: parsed(inSpam), inClean: parsed(inClean) }
}
