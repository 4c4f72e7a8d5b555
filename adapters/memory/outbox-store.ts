import type { ClaimedEntry, ListedEntry, OutboxStore, TenantOutbox } from '../../ports/outbox-store.ts'
import { finishStep, startRun } from './outbox-runs.ts'
import { settle } from './outbox-settle.ts'
import type { KeptOutboxEntry, KeptRow, MemoryState, TenantState } from './state.ts'
import { rowsOf } from './state.ts'
import { compareBytes } from '../../domain/text/text-order.ts'

/** The outbox of the service. */
export function createMemoryOutboxStore(state: MemoryState): OutboxStore {
  const all = () =>
    [...state.tenants].flatMap(([organizationId, { outbox }]) =>
      [...outbox.values()].map((entry) => ({ organizationId, entry })),
    )
  return {
    open: (organizationId) => openTenant(state, organizationId),

    async due(now, limit) {
      state.meter.calls += 1
      return all()
        .filter(({ entry }) => entry.status === 'pending' && entry.nextAttemptAt <= now)
        .sort(
          (left, right) =>
            compareBytes(left.entry.nextAttemptAt, right.entry.nextAttemptAt) ||
            compareBytes(left.organizationId, right.organizationId) ||
            compareBytes(left.entry.outboxId, right.entry.outboxId),
        )
        .slice(0, limit)
        .map(({ organizationId, entry }) => ({ organizationId, outboxId: entry.outboxId }))
    },

    async list(organizationId, limit) {
      state.meter.calls += 1
      return all()
        .filter((one) => organizationId === null || one.organizationId === organizationId)
        .map(({ organizationId: owner, entry }) => listed(owner, entry))
        .sort(
          (left, right) =>
            compareBytes(left.createdAt, right.createdAt) || compareBytes(left.outboxId, right.outboxId),
        )
        .slice(0, limit)
    },

    async redrive(outboxId, now) {
      state.meter.calls += 1
      const found = all().find(({ entry }) => entry.outboxId === outboxId)
      if (found === undefined) return 'missing'
      const { entry } = found
      if (entry.status === 'pending' && (entry.leaseToken ?? '') !== '' && entry.nextAttemptAt > now)
        return 'leased'
      const driven = { status: 'pending', attempts: 0, nextAttemptAt: now, leaseToken: null } as const
      state.tenants.get(found.organizationId)?.outbox.set(outboxId, { ...entry, ...driven })
      return 'driven'
    },
  }
}

function openTenant(state: MemoryState, organizationId: string): TenantOutbox {
  const tenantOrNull = () => {
    state.meter.calls += 1
    return state.tenants.get(organizationId) ?? null
  }
  return {
    async claim(outboxId, { token, until }, now) {
      const tenant = tenantOrNull()
      const entry = tenant?.outbox.get(outboxId)
      if (tenant === null || entry?.status !== 'pending') return null
      if (entry.leaseToken !== null && entry.nextAttemptAt > now) return null
      const claimed = { ...entry, leaseToken: token, nextAttemptAt: until, attempts: entry.attempts + 1 }
      tenant.outbox.set(outboxId, claimed)
      return claimedEntry(tenant, claimed)
    },
    async settle(outboxId, token, settlement) {
      const tenant = tenantOrNull()
      return tenant !== null && settle(state, tenant, { outboxId, token }, settlement)
    },
    async startRun(outboxId, token, automationId, contactId, now) {
      const tenant = tenantOrNull()
      return tenant === null
        ? null
        : startRun(state, tenant, { outboxId, token }, { automationId, contactId }, now)
    },
    async finishStep(token, step, now) {
      const tenant = tenantOrNull()
      return tenant === null ? 'lost' : finishStep(state, tenant, token, step, now)
    },
  }
}

function claimedEntry(tenant: TenantState, entry: KeptOutboxEntry): ClaimedEntry {
  const submission = rowsOf(tenant, 'form-submissions').get(entry.submissionId)
  const form = rowsOf(tenant, 'forms').get(String(submission?.formId))
  const contact = rowsOf(tenant, 'contacts').get(String(submission?.contactId))
  const { outboxId, kind, attempts } = entry
  return {
    outboxId,
    kind,
    attempts,
    payload: structuredClone(entry.payload),
    organization: tenant.organization,
    submission:
      submission === undefined
        ? null
        : {
            ...picked(submission, ['submissionId', 'formId', 'submittedAt', 'contactId']),
            answers: JSON.parse(submission.answers as string) as unknown,
          },
    form:
      form === undefined
        ? null
        : { name: form.name, definition: JSON.parse(form.definition as string) as unknown },
    contact:
      contact === undefined
        ? null
        : picked(contact, ['contactId', 'email', 'phone', 'emailConsent', 'smsConsent']),
  }
}

function picked(row: KeptRow, names: readonly string[]): KeptRow {
  return Object.fromEntries(names.map((name) => [name, row[name] ?? null]))
}

function listed(organizationId: string, entry: KeptOutboxEntry): ListedEntry {
  const { outboxId, kind, submissionId, status, attempts, nextAttemptAt, lastError, createdAt } = entry
  return {
    organizationId,
    outboxId,
    kind,
    submissionId,
    status,
    attempts,
    nextAttemptAt,
    lastError,
    createdAt,
  }
}
