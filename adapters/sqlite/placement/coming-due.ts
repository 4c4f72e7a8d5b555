import { sql, type SqlBool } from 'kysely'
import { FAILING_DAYS } from '../../../domain/webhooks/webhook.ts'

/** The condition of a webhook that fails, which is that of the index of these few. */
export const isFailing = sql<SqlBool>`is_on = 1 and failing_since is not null`

const failsForDays = sql`strftime('%Y-%m-%dT%H:%M:%fZ', failing_since, ${sql.lit(`+${FAILING_DAYS} days`)})`

/** All that the sweep of a database will have to do: when it is due, and the rows of which. */
const parts = [
  [sql`due_at`, sql`retention`],
  [sql`expires_at`, sql`send_requests`],
  [sql`expires_at`, sql`webhook_deliveries`],
  [sql`expires_at`, sql`form_signs`],
  [failsForDays, sql`webhooks where ${isFailing}`],
] as const

/** The first instant at which something is due. SQLite reads each part by its index, and none of them whole. */
export const firstDue = sql<{ readonly at: string }>`${sql.join(
  parts.map(([at, rows]) => sql`select ${at} as at from ${rows}`),
  sql` union all `,
)} order by at limit 1`

/** The organizations that have something that will be due. */
export const withSomethingDue = sql<{ readonly organization_id: string }>`(${sql.join(
  parts.map(([, rows]) => sql`select organization_id from ${rows}`),
  sql` union all `,
)})`
