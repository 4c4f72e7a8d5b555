import { sql } from 'kysely'
import { FAILING_DAYS } from '../../../domain/webhooks/webhook.ts'
import { db } from '../statement/compiler.ts'

/** The conditions are those of the index of failing webhooks, of which there are few. */
export const failing = db
  .selectFrom('webhooks as w')
  .where('w.is_on', '=', sql.lit(1))
  .where('w.failing_since', 'is not', null)

/** All that the sweep of a database will have to do, and when. */
export const comingDue = db
  .selectFrom('retention')
  .select(['organization_id', 'due_at as at'])
  .unionAll(db.selectFrom('send_requests').select(['organization_id', 'expires_at as at']))
  .unionAll(db.selectFrom('webhook_deliveries').select(['organization_id', 'expires_at as at']))
  .unionAll(
    failing
      .select('w.organization_id')
      .select(({ ref }) =>
        sql<string>`strftime('%Y-%m-%dT%H:%M:%fZ', ${ref('w.failing_since')}, ${sql.lit(`+${FAILING_DAYS} days`)})`.as(
          'at',
        ),
      ),
  )
  .unionAll(db.selectFrom('form_signs').select(['organization_id', 'expires_at as at']))
