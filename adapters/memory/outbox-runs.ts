import type { FinishedStep, RunState, StepEffect, StepOutcome } from '../../ports/outbox-store.ts'
import type { Held } from './outbox-settle.ts'
import { heldEntry } from './outbox-settle.ts'
import { recordSends } from './send-log.ts'
import type { KeptRow, MemoryState, TenantState } from './state.ts'
import { nextInstant, rowsOf } from './state.ts'
import { refreshTallies } from './tallies.ts'

/** Begins a run, or finds it as it was left. */
export function startRun(
  state: MemoryState,
  tenant: TenantState,
  held: Held,
  { automationId, contactId }: { readonly automationId: string; readonly contactId: string | null },
  now: string,
): RunState | null {
  if (heldEntry(tenant, held) === null) return null
  const runs = rowsOf(tenant, 'automation-runs')
  const automation = rowsOf(tenant, 'automations').get(automationId)
  const before = runs.get(held.outboxId)
  const updatedAt = tick(state, tenant)
  if (before?.status === 'failed') {
    runs.set(held.outboxId, { ...before, status: 'running', failureReason: null, updatedAt })
  } else if (before === undefined && automation !== undefined) {
    const isEmpty = automation.stepCount === 0
    runs.set(held.outboxId, {
      runId: held.outboxId,
      automationId,
      contactId,
      status: isEmpty ? 'completed' : 'running',
      currentStep: isEmpty ? null : 1,
      stepCount: automation.stepCount ?? 0,
      failureReason: null,
      startedAt: now,
      completedAt: isEmpty ? now : null,
      updatedAt,
      steps: automation.steps ?? null,
    })
    refreshTallies(tenant, 'automation-runs', updatedAt)
  }
  const run = runs.get(held.outboxId)
  if (run === undefined) return null
  return {
    status: run.status as string,
    nextStep: (run.currentStep as number | null) ?? 1,
    steps: JSON.parse((run.steps as string | null) ?? '[]') as unknown,
  }
}

/** Saves a step with its effect. Runs without a pause, so it is atomic. */
export function finishStep(
  state: MemoryState,
  tenant: TenantState,
  token: string,
  { runId, step, effect, sends, leaseUntil }: FinishedStep,
  now: string,
): StepOutcome {
  recordSends(state, tenant.organization.organizationId, sends)
  const runs = rowsOf(tenant, 'automation-runs')
  const run = runs.get(runId)
  if (run?.status === 'completed' || Number(run?.currentStep) > step) return 'saved'
  const entry = heldEntry(tenant, { outboxId: runId, token })
  if (entry === null) return 'lost'
  tenant.outbox.set(runId, { ...entry, nextAttemptAt: leaseUntil })
  if (run?.status !== 'running' || run.currentStep !== step) return 'impossible'
  const updatedAt = tick(state, tenant)
  if (!apply(tenant, effect, now, updatedAt)) return 'impossible'
  const isLast = step >= Number(run.stepCount)
  const ended = isLast ? { status: 'completed', completedAt: now } : { currentStep: step + 1 }
  runs.set(runId, { ...run, ...ended, updatedAt })
  return 'saved'
}

/** Whether the effect has come about, now or before. */
function apply(tenant: TenantState, effect: StepEffect, now: string, updatedAt: string): boolean {
  switch (effect.kind) {
    case 'none':
      return true
    case 'add_to_list':
      return addToList(tenant, effect.listId, effect.contactId, now, updatedAt)
    case 'add_tag':
      return addTag(tenant, effect.contactId, effect.tag, updatedAt)
  }
}

function addToList(
  tenant: TenantState,
  listId: string,
  contactId: string,
  addedAt: string,
  updatedAt: string,
): boolean {
  const members = rowsOf(tenant, 'list-members')
  const key = JSON.stringify([listId, contactId])
  if (members.has(key)) return true
  const isStatic = rowsOf(tenant, 'contact-lists').get(listId)?.type === 'static'
  if (!isStatic || !rowsOf(tenant, 'contacts').has(contactId)) return false
  members.set(key, { listId, contactId, addedAt, updatedAt })
  refreshTallies(tenant, 'list-members', updatedAt)
  return true
}

function addTag(tenant: TenantState, contactId: string, tag: string, updatedAt: string): boolean {
  const contacts = rowsOf(tenant, 'contacts')
  const contact: KeptRow | undefined = contacts.get(contactId)
  if (contact === undefined) return false
  const tags = JSON.parse(contact.tags as string) as readonly string[]
  if (!tags.includes(tag)) {
    contacts.set(contactId, { ...contact, tags: JSON.stringify([...tags, tag]), updatedAt })
  }
  return true
}

function tick(state: MemoryState, tenant: TenantState): string {
  const { ms, text } = nextInstant(state, tenant)
  tenant.clockMs = ms
  return text
}
