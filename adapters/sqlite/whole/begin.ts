import {
  expressionBuilder,
  sql,
  type AliasableExpression,
  type Expression,
  type RawBuilder,
  type SqlBool,
} from 'kysely'
import { keysOf } from '../../../domain/text/json.ts'
import type { BeginOutcome, Restoration } from '../../../ports/archives.ts'
import { slugTaken } from '../access/slug-taken.ts'
import type { Database } from '../database/database.ts'
import { bind, db, eb, slot, template } from '../statement/compiler.ts'
import { resultsOf, type Executor } from '../statement/executor.ts'
import { ofOwner, one } from '../statement/words.ts'
import type { StoredTable } from './archived-tables.ts'

const organizationId = slot<string>('organizationId')
const restores = expressionBuilder<Database, 'restores'>()

/** The condition of the present restoration of an organization, while it is closed. */
export const ofRestoration = restores.and([
  restores('organization_id', '=', organizationId),
  restores('restore_id', '=', slot('restoreId')),
  restores('ended_at', 'is', null),
])

/** Whether the present restoration is still this one. */
export const isPresent = eb.exists(db.selectFrom('restores').select(one).where(ofRestoration))

/** Tables that an organization without rows may be in: itself, its keys, and what is said of rows that it had. */
const NO_ROWS: readonly string[] = ['organizations', 'api_keys', 'removals', 'retention']

const isRestoring = eb.exists(
  db
    .selectFrom('restores')
    .select(one)
    .where('organization_id', '=', organizationId)
    .where('ended_at', 'is', null),
)

/** What says of a closed organization why it is. */
type Closing = Exclude<keyof Database['restores'], 'organization_id' | 'ended_at'>

/** The insert that closes an organization if the condition holds. */
export function closing(
  given: Readonly<Record<Closing, AliasableExpression<unknown>>>,
  condition: Expression<SqlBool>,
) {
  const columns = keysOf(given)
  return db
    .insertInto('restores')
    .columns(['organization_id', ...columns])
    .expression(
      db
        .selectNoFrom(organizationId.as('organization_id'))
        .select(columns.map((column) => given[column].as(column)))
        .where(condition),
    )
}

const restored = {
  restore_id: slot('restoreId'),
  archive: slot('archive'),
  digest: slot('digest'),
  next_part: slot('nextPart'),
  progress: slot('progress'),
  started_at: slot('startedAt'),
}

/** Whether a table has rows of the organization. */
export function hasRows(table: string): RawBuilder<SqlBool> {
  return sql`exists (select 1 from ${sql.table(table)} where ${ofOwner})`
}

const removePrevious = db
  .deleteFrom('restores')
  .where('organization_id', '=', organizationId)
  .where('ended_at', 'is not', null)

/** The organization is closed: its row comes back when it is opened. */
const removeRow = template(
  db.deleteFrom('organizations').where('organization_id', '=', organizationId).where(isPresent),
)

/** Closes an organization. Everything is judged in the same step. */
export async function begin(
  executor: Executor,
  tables: readonly StoredTable[],
  organizationId: string,
  restoration: Restoration,
  slug: string | null,
): Promise<BeginOutcome> {
  // A compound condition may have a hundred parts, and there are fewer tables.
  const occupied = eb.or(
    tables
      .filter(({ archived: { name } }) => !NO_ROWS.includes(name))
      .map(({ archived }) => hasRows(archived.name)),
  )
  const mayBegin = eb.not(eb.or([isRestoring, occupied, slugTaken]))
  const judge = template(
    db.selectNoFrom([isRestoring.as('isRestoring'), occupied.as('hasRows'), slugTaken.as('isSlugTaken')]),
  )
  const values = { ...restoration, organizationId, organization_id: organizationId, slug }
  const [judgement] = await resultsOf(executor, [
    bind(judge, values),
    bind(template(removePrevious.where(mayBegin)), values),
    bind(template(closing(restored, mayBegin)), values),
    bind(removeRow, values),
  ])
  const { isRestoring: restoring, hasRows: rows, isSlugTaken } = judgement.rows[0] ?? {}
  if (restoring === 1) return 'restoring'
  if (rows === 1) return 'has_rows'
  return isSlugTaken === 1 ? 'slug_taken' : 'begun'
}
