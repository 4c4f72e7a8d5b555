import type { D1Database } from '@cloudflare/workers-types'
import type { Administration } from '../../ports/administration.ts'
import type { Analytics } from '../../ports/analytics.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ExitSurveySource } from '../../ports/exit-survey-source.ts'
import type { FormDirectory } from '../../ports/form-directory.ts'
import type { KeyedStorage } from '../../ports/keyed-storage.ts'
import type { OutboxStore } from '../../ports/outbox-store.ts'
import type { SendLog } from '../../ports/send-log.ts'
import type { TenantWriter } from '../../ports/tenant-writer.ts'
import { createD1Administration } from './administration.ts'
import { createD1Analytics } from './analytics.ts'
import type { Meter } from './executor.ts'
import { createExecutor, createMeter } from './executor.ts'
import { createD1ExitSurvey } from './exit-survey.ts'
import { createD1FormDirectory } from './form-directory.ts'
import { createD1KeyedStorage } from './keyed-storage.ts'
import { createD1OutboxStore } from './outbox-store.ts'
import { createD1SendLog } from './send-log.ts'
import { createTenantWriter } from './tenant.ts'

export type { Executor, Meter } from './executor.ts'
export { createExecutor, createMeter, isLockFailure } from './executor.ts'

export interface D1StorageOptions {
  /** A database with every migration of `adapters/d1/migrations` applied. */
  readonly database: D1Database
  readonly clock: Clock
  /** Counts what the storage costs; left out, nobody looks. */
  readonly meter?: Meter
}

/** Every storage port over one D1 database, behind one executor and one meter. */
export interface D1Storage {
  readonly keyed: KeyedStorage
  readonly administration: Administration
  readonly forms: FormDirectory
  readonly outbox: OutboxStore
  readonly sends: SendLog
  readonly analytics: Analytics
  readonly exitSurvey: ExitSurveySource
  /** Opens one organization for writing. No I/O. */
  readonly tenant: (organizationId: string) => TenantWriter
}

/** Opens the storage. No I/O. Cheap enough to be done for each request, which gives each a meter of its own. */
export function createD1Storage({ database, clock, meter = createMeter() }: D1StorageOptions): D1Storage {
  const executor = createExecutor({ database, clock, meter })
  const tenant = (organizationId: string) => createTenantWriter(executor, clock, organizationId)
  return {
    keyed: createD1KeyedStorage(executor),
    administration: createD1Administration(executor, clock),
    forms: createD1FormDirectory(executor, tenant),
    outbox: createD1OutboxStore(executor),
    sends: createD1SendLog(executor),
    analytics: createD1Analytics(executor),
    exitSurvey: createD1ExitSurvey(executor),
    tenant,
  }
}
