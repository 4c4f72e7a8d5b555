import { sql, type SqlBool } from 'kysely'
import type { Clock } from '../../../ports/platform.ts'
import type { SubmissionMarks } from '../../../ports/records.ts'
import { bind, CONDITION_HELD, failsWhen, jsonChunks, slot, template } from '../statement/compiler.ts'
import { resultsOf, rowsOf, type Executor } from '../statement/executor.ts'
import { advanceClock, nowOf } from './write-clock.ts'

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

/** A mark that says what is the case already is not written, nor one that an unread submission is unread. */
const write = template(sql`
  insert into submission_marks (organization_id, submission_id, is_read, updated_at)
  select o.organization_id, g.value, ${slot('isRead')}, o.clock_at
  from organizations as o cross join (select distinct value from ${given}) as g
  where o.organization_id = ${organizationId} and (${slot('isRead')} = 1 or exists (
    select 1 from submission_marks as m where m.organization_id = ${organizationId} and m.submission_id = g.value))
  on conflict (organization_id, submission_id) do update
    set is_read = excluded.is_read, updated_at = excluded.updated_at where is_read <> excluded.is_read`)

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
  select count(*) as looked, ifnull(sum(not ${isRead}), 0) as unread from (
    select submission_id from form_submissions indexed by ${sql.id(index)}
    where organization_id = ${organizationId} and ${condition}
    order by submitted_at desc, submission_id desc limit +${slot('looksAtMax')}) as s`)
const countAll = countIn('form_submissions_submitted_at', sql`true`)
const countOfForm = countIn('form_submissions_form_id_submitted_at', sql`form_id = ${slot('formId')}`)

/** The marks of one organization's submissions. */
export function createSubmissionMarks(
  executor: Executor,
  clock: Clock,
  organizationId: string,
): SubmissionMarks {
  return {
    async markSubmissions(submissionIds, { isRead }) {
      const values = { organizationId, ids: JSON.stringify(submissionIds), isRead: Number(isRead) }
      try {
        await executor.batch([
          bind(guard, values),
          bind(advanceClock, { organizationId, now: nowOf(clock) }),
          bind(write, values),
        ])
        return []
      } catch (error) {
        if (!CONDITION_HELD.test(String(error))) throw error
        return (await rowsOf(executor, bind(findUnknown, values))).map(({ id }) => id)
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
