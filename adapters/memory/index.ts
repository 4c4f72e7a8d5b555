import type { Administration } from '../../ports/administration.ts'
import type { Analytics } from '../../ports/analytics.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ExitSurveySource } from '../../ports/exit-survey-source.ts'
import type { FormDirectory } from '../../ports/form-directory.ts'
import type { KeyedStorage } from '../../ports/keyed-storage.ts'
import type { OutboxStore } from '../../ports/outbox-store.ts'
import type { SendLog } from '../../ports/send-log.ts'
import type { TenantWriter } from '../../ports/tenant-writer.ts'
import { createMemoryAdministration } from './administration.ts'
import { createMemoryAnalytics } from './analytics.ts'
import { createMemoryExitSurvey } from './exit-survey.ts'
import { createMemoryFormDirectory } from './form-directory.ts'
import { createMemoryKeyedStorage } from './keyed-storage.ts'
import { createMemoryOutboxStore } from './outbox-store.ts'
import { createMemorySendLog } from './send-log.ts'
import type { KeptOutboxEntry, MemoryMeter, MemoryState } from './state.ts'
import { createTenantWriter } from './tenant.ts'

export type { MemoryPos } from './pos-sources.ts'
export { createMemoryPos } from './pos-sources.ts'
export type { KeptOutboxEntry, MemoryMeter } from './state.ts'

/** Every storage port over plain maps. */
export interface MemoryStorage {
  readonly keyed: KeyedStorage
  readonly administration: Administration
  readonly forms: FormDirectory
  readonly outbox: OutboxStore
  readonly sends: SendLog
  readonly analytics: Analytics
  readonly exitSurvey: ExitSurveySource
  /** Opens one organization for writing. */
  readonly tenant: (organizationId: string) => TenantWriter
  readonly meter: MemoryMeter
  /** What waits in an organization's outbox, in the order in which it was written. */
  outboxOf(organizationId: string): readonly KeptOutboxEntry[]
}

/**
 * The reference implementation of the storage ports, for tests and for running without a database. It lasts as
 * long as the process, and it scans: its size is that of a test.
 */
export function createMemoryStorage({ clock }: { readonly clock: Clock }): MemoryStorage {
  const state: MemoryState = {
    clock,
    meter: { calls: 0 },
    keys: new Map(),
    tenants: new Map(),
    sends: new Map(),
  }
  const tenant = (organizationId: string) => createTenantWriter(state, organizationId)
  return {
    keyed: createMemoryKeyedStorage(state),
    administration: createMemoryAdministration(state),
    forms: createMemoryFormDirectory(state, tenant),
    outbox: createMemoryOutboxStore(state),
    sends: createMemorySendLog(state),
    analytics: createMemoryAnalytics(state),
    exitSurvey: createMemoryExitSurvey(state),
    tenant,
    meter: state.meter,
    outboxOf: (organizationId) => [...(state.tenants.get(organizationId)?.outbox.values() ?? [])],
  }
}
