import { sql } from 'kysely'
import type { BeginOutcome, Restoration } from '../../../ports/whole/whole-store.ts'
import { slugTaken } from '../access/slug-taken.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Executor } from '../statement/executor.ts'
import { resultsOf } from '../statement/executor.ts'
import type { StoredTable } from './archived-tables.ts'

/** The condition of the present restoration of an organization, while it is closed. */
export const ofRestoration = sql`organization_id = ${slot('organizationId')} and restore_id = ${slot('restoreId')}
  and ended_at is null`

/** Tables that an organization without rows may be in: itself, its keys, and what is said of rows that it had. */
const NO_ROWS: readonly string[] = ['organizations', 'api_keys', 'removals', 'retention']

const isRestoring = sql`exists (select 1 from restores
  where organization_id = ${slot('organizationId')} and ended_at is null)`

/** Closes an organization. Everything is judged in the same step. */
export async function begin(
  executor: Executor,
  tables: readonly StoredTable[],
  organizationId: string,
  restoration: Restoration,
  slug: string | null,
): Promise<BeginOutcome> {
  const hasRows = tables
    .filter(({ archived: { name } }) => !NO_ROWS.includes(name))
    .map(
      ({ archived: { name } }) =>
        sql`exists (select 1 from ${sql.id(name)} where organization_id = ${slot('organizationId')})`,
    )
  // A compound condition may have a hundred parts, and there are fewer tables.
  const occupied = sql`(${sql.join(hasRows, sql` or `)})`
  const mayBegin = sql`not ${isRestoring} and not ${occupied} and not ${slugTaken}`
  const values = { ...restoration, organizationId, organization_id: organizationId, slug }
  const [judgement] = await resultsOf(executor, [
    bind(
      template(sql<Judgement>`select ${isRestoring} as "isRestoring", ${occupied} as "hasRows",
        ${slugTaken} as "isSlugTaken"`),
      values,
    ),
    bind(
      template(sql`delete from restores
        where organization_id = ${slot('organizationId')} and ended_at is not null and ${mayBegin}`),
      values,
    ),
    bind(
      template(sql`
        insert into restores (organization_id, restore_id, archive, digest, next_part, progress, started_at)
        select ${slot('organizationId')}, ${slot('restoreId')}, ${slot('archive')}, ${slot('digest')},
          ${slot('nextPart')}, ${slot('progress')}, ${slot('startedAt')} where ${mayBegin}`),
      values,
    ),
    bind(
      template(sql`delete from organizations where organization_id = ${slot('organizationId')}
        and exists (select 1 from restores where ${ofRestoration})`),
      values,
    ),
  ])
  const { isRestoring: restoring, hasRows: rows, isSlugTaken } = judgement.rows[0] ?? {}
  if (restoring === 1) return 'restoring'
  if (rows === 1) return 'has_rows'
  return isSlugTaken === 1 ? 'slug_taken' : 'begun'
}

interface Judgement {
  readonly isRestoring: number
  readonly hasRows: number
  readonly isSlugTaken: number
}
