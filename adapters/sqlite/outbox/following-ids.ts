import { sql, type Expression, type SqlBool } from 'kysely'

/** With which word the ids of some kind of what follows a submission begin: entries of the outbox, or runs. */
export type FollowingWord = 'obx' | 'run'

/** The character after `_`, which ends the ids that begin with some text and `_`. */
const AFTER_UNDERSCORE = '`'

/**
 * Whether an id is of something that follows a submission. Such ids begin with the submission's own id, behind the word
 * for their kind, so they are found by a range.
 */
export function followsSubmission(
  id: Expression<string>,
  word: FollowingWord,
  submissionId: Expression<string>,
): Expression<SqlBool> {
  const start = sql`${sql.lit(`${word}_`)} || ${submissionId}`
  return sql`${id} >= ${start} || '_' and ${id} < ${start} || ${sql.lit(AFTER_UNDERSCORE)}`
}
