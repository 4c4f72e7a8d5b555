import { sql } from 'kysely'
import type { OutboxRef, Settlement } from '../../../ports/messaging/outbox-store.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Executor, Statement } from '../statement/executor.ts'
import { recordStatements } from './send-log.ts'
import { advanceClock } from '../write/write-clock.ts'

/** An entry that is held under a lease. */
export interface HeldEntry extends OutboxRef {
  readonly token: string
}

/**
 * The condition that selects an entry while its lease is valid. A worker that took the entry over has written another
 * token.
 */
export const heldRow = sql`organization_id = ${slot('organizationId')} and outbox_id = ${slot('outboxId')}
  and lease_token = ${slot('token')} and status = 'pending'`

const complete = template(sql`delete from outbox where ${heldRow}`)

/** An empty token says that the entry waits and nobody holds it. */
const retryLater = template(sql`
  update outbox set next_attempt_at = ${slot('at')}, attempts = attempts - ${slot('uncounted')}, lease_token = '',
    last_error = ${slot('reason')}, waiting_since = ${slot('waitingSince')}, updated_at = ${slot('now')}
  where ${heldRow}`)

const failRun = template(sql`
  update automation_runs set status = 'failed', failure_reason = ${slot('reason')},
    updated_at = (select clock_at from organizations where organization_id = ${slot('organizationId')})
  where organization_id = ${slot('organizationId')} and run_id = ${slot('outboxId')} and status = 'running'
    and exists (select 1 from outbox where ${heldRow})`)

const fail = template(sql`
  update outbox set status = 'failed', lease_token = '', last_error = ${slot('reason')}, updated_at = ${slot('now')}
  where ${heldRow}`)

/** Writes the outcome of an entry, in one batch. False: the lease has been lost. */
export async function settle(
  executor: Executor,
  held: HeldEntry,
  settlement: Settlement,
  now: string,
): Promise<boolean> {
  const sends = settlement.kind === 'retry' ? [] : recordStatements(held.organizationId, settlement.sends)
  const results = await executor.batch([...sends, ...outcome({ ...held }, settlement, now)])
  return (results.at(-1)?.changes ?? 0) > 0
}

function outcome(
  held: Readonly<Record<string, string>>,
  settlement: Settlement,
  now: string,
): readonly Statement[] {
  switch (settlement.kind) {
    case 'done':
      return [bind(complete, held)]
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
