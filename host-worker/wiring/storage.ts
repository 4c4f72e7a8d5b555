import type { D1Database } from '@cloudflare/workers-types'
import { createD1Storage, createExecutor, isLockFailure } from '../../adapters/d1/index.ts'
import type { Mailbox } from '../../adapters/local/index.ts'
import { createMailbox } from '../../adapters/local/index.ts'
import type { Executor, SqliteStorage } from '../../adapters/sqlite/index.ts'
import type { Meter } from '../../ports/meter.ts'
import type { Env } from '../env/index.ts'
import { systemClock } from '../system.ts'

export { createMeter } from '../../adapters/sqlite/index.ts'
export type { Executor, SqliteStorage } from '../../adapters/sqlite/index.ts'

/** Whether work failed because another process holds the local database: nothing was written, so it may be done again. */
export const isStorageLocked: (error: unknown) => boolean = isLockFailure

/** Opens the service's storage. No I/O. Nothing else of the Worker knows which engine keeps the data. */
export function openStorage({ database }: Pick<Env, 'database'>, meter?: Meter): SqliteStorage {
  return createD1Storage({ database, clock: systemClock, ...(meter === undefined ? {} : { meter }) })
}

/** Opens the database of the legacy vendor, which has tables of its own. No I/O. */
export function openPosLegacy(database: D1Database, meter?: Meter): Executor {
  return createExecutor({ database, clock: systemClock, ...(meter === undefined ? {} : { meter }) })
}

/** Opens the mailbox that takes the place of providers on a developer's machine. No I/O. */
export function openMailbox({ database }: Pick<Env, 'database'>): Mailbox {
  return createMailbox(database, systemClock)
}
