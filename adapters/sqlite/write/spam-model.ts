import { sql, type SqlBool } from 'kysely'
import { taught, weightsOf, wordsOf, type Lesson, type SpamModel } from '../../../domain/spam/learn.ts'
import { bind, failsWhen, slot, template } from '../statement/compiler.ts'
import { parsed, type JsonText } from '../statement/database.ts'
import { resultsOf, rowsOf, type Executor, type Statement } from '../statement/executor.ts'

const organizationId = slot<string>('organizationId')

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
const guard =
  failsWhen(sql<SqlBool>`(select updated_at from spam_models where organization_id = ${organizationId})
  is not ${slot('readAt')}`)

const write = template(sql`
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
export async function teaching(
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
    bind(guard, { organizationId, readAt: row?.updatedAt ?? null }),
    bind(write, {
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
