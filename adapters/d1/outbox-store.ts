import { sql } from 'kysely'
import type { ListedEntry, OutboxRef, OutboxStore, TenantOutbox } from '../../ports/outbox-store.ts'
import { bind, slot, template } from './compiler.ts'
import type { Executor } from './executor.ts'
import { claim } from './outbox-claim.ts'
import { finishStep, startRun } from './outbox-runs.ts'
import { settle } from './outbox-settle.ts'

const due = template(sql`
  select organization_id as "organizationId", outbox_id as "outboxId" from outbox indexed by outbox_due
  where status = 'pending' and next_attempt_at <= ${slot('now')}
  order by next_attempt_at, organization_id, outbox_id limit ${slot('limit')}`)

const listed = sql`select organization_id as "organizationId", outbox_id as "outboxId", kind,
  submission_id as "submissionId", status, attempts, next_attempt_at as "nextAttemptAt", last_error as "lastError",
  created_at as "createdAt" from outbox`

const listAll = template(sql`${listed} order by created_at, outbox_id limit ${slot('limit')}`)
const listOf = template(sql`${listed} where organization_id = ${slot('organizationId')}
  order by created_at, outbox_id limit ${slot('limit')}`)

/** Looks at every entry: the operator names one by its id alone, and only open entries are kept. */
const named = sql`outbox_id = ${slot('outboxId')}`
const free = sql`(status <> 'pending' or coalesce(lease_token, '') = '' or next_attempt_at <= ${slot('now')})`

const redrive = template(sql`
  update outbox set status = 'pending', attempts = 0, next_attempt_at = ${slot('now')}, lease_token = null,
    updated_at = ${slot('now')}
  where ${named} and ${free}`)
const isOpen = template(sql`select 1 from outbox where ${named}`)

/** The outbox on D1. */
export function createD1OutboxStore(executor: Executor): OutboxStore {
  return {
    open: (organizationId) => openTenant(executor, organizationId),

    async due(now, limit) {
      const [found] = await executor.batch([bind(due, { now, limit })])
      return (found?.results ?? []) as unknown as readonly OutboxRef[]
    },

    async list(organizationId, limit) {
      const statement =
        organizationId === null ? bind(listAll, { limit }) : bind(listOf, { organizationId, limit })
      const [found] = await executor.batch([statement])
      return (found?.results ?? []) as unknown as readonly ListedEntry[]
    },

    async redrive(outboxId, now) {
      const [driven, found] = await executor.batch([
        bind(redrive, { outboxId, now }),
        bind(isOpen, { outboxId }),
      ])
      if ((driven?.meta.changes ?? 0) > 0) return 'driven'
      return found?.results.length === 0 ? 'missing' : 'leased'
    },
  }
}

function openTenant(executor: Executor, organizationId: string): TenantOutbox {
  return {
    claim: (outboxId, lease, now) => claim(executor, { organizationId, outboxId }, lease, now),
    settle: (outboxId, token, settlement, now) =>
      settle(executor, { organizationId, outboxId, token }, settlement, now),
    startRun: (outboxId, token, automationId, contactId, now) =>
      startRun(executor, { organizationId, outboxId, token }, { automationId, contactId }, now),
    finishStep: (token, step, now) =>
      finishStep(executor, { organizationId, outboxId: step.runId, token }, step, now),
  }
}
