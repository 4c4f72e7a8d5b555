import { expressionBuilder, sql } from 'kysely'
import type { OutboxRef, Settlement, SendRecord } from '../../../ports/messaging.ts'
import type { Database } from '../database/database.ts'
import { bind, db, eb, slot, template } from '../statement/compiler.ts'
import { rowsAmong, type Executor, type Statement } from '../statement/executor.ts'
import { one } from '../statement/words.ts'
import { advanceClock, writtenAt } from '../write/write-clock.ts'
import { beginning, endStatements } from './send-log.ts'

/** An entry that is held under a lease. */
export interface HeldEntry extends OutboxRef {
  readonly token: string
}

/**
 * The condition that selects an entry while its lease is valid. A worker that took the entry over has written another
 * token.
 */
export const heldRow = expressionBuilder<Database, 'outbox'>().and({
  organization_id: slot('organizationId'),
  outbox_id: slot('outboxId'),
  lease_token: slot('token'),
  status: sql.lit<'pending'>('pending'),
})

/** Whether the entry is held under a valid lease. */
export const isHeld = eb.exists(db.selectFrom('outbox').select(one).where(heldRow))

const beginSend = beginning(isHeld)
const judge = template(db.selectNoFrom(isHeld.as('isHeld')))

/** Records that the message of an entry is about to be handed over. False: the lease has been lost. */
export async function begin(executor: Executor, held: HeldEntry, send: SendRecord): Promise<boolean> {
  const values = { ...held }
  const [row] = await rowsAmong(executor, { before: beginSend(send, values), giving: bind(judge, values) })
  return row?.isHeld === 1
}

const complete = template(db.deleteFrom('outbox').where(heldRow))

/** An empty token says that the entry waits and nobody holds it. */
const released = { lease_token: sql.lit(''), last_error: slot('reason'), updated_at: slot('now') }
const change = db.updateTable('outbox').where(heldRow)

const retryLater = template(
  change.set(released).set(({ eb }) => ({
    next_attempt_at: slot('at'),
    attempts: eb('attempts', '-', slot('uncounted')),
    waiting_since: slot('waitingSince'),
  })),
)

const fail = template(change.set(released).set('status', sql.lit('failed')))
const failRun = template(
  db
    .updateTable('automation_runs')
    .set({ status: sql.lit('failed'), failure_reason: slot('reason'), updated_at: writtenAt })
    .where('organization_id', '=', slot('organizationId'))
    .where('run_id', '=', slot('outboxId'))
    .where('status', '=', sql.lit('running'))
    .where(isHeld),
)

/** Writes the outcome of an entry, in one batch. False: the lease has been lost. */
export async function settle(
  executor: Executor,
  held: HeldEntry,
  settlement: Settlement,
  now: string,
): Promise<boolean> {
  const sends = endStatements(held.organizationId, settlement.sends ?? [])
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
