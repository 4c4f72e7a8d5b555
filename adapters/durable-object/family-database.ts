import { DurableObject, WorkerEntrypoint } from 'cloudflare:workers'
import type { DurableObjectState } from '@cloudflare/workers-types'
import type { OutboxRef } from '../../ports/outbox-store.ts'
import type { Statement } from '../sqlite/statement/executor.ts'
import type { Family, FamilyTools } from './family.ts'
import { openFamily } from './family.ts'
import { NEWEST_MIGRATION } from './newest-migration.ts'
import type { ObjectDatabase } from './object-database.ts'
import type { BatchAnswer, FamilyObject, Mode } from './protocol.ts'
import type { Alarm } from './wake-up.ts'

/** What the Worker brings along: everything that is not the platform's. */
export type WorkerTools = Pick<FamilyTools, 'clock' | 'log' | 'handOver'>

/**
 * The object of one family: its SQLite database and its alarm. The class gives the platform's parts to `openFamily`, which
 * does the work. A method here is one that may be called over RPC.
 */
export class FamilyDatabaseObject extends DurableObject implements FamilyObject {
  readonly #tools: WorkerTools
  #family: Promise<Family> | null = null

  constructor(state: DurableObjectState, env: Readonly<Record<string, unknown>>, tools: WorkerTools) {
    super(state, env)
    this.#tools = tools
  }

  async batch(mode: Mode, statements: readonly Statement[]): Promise<BatchAnswer> {
    return (await this.#open()).batch(mode, statements)
  }

  async create(familyId: string): Promise<boolean> {
    return (await this.#open()).create(familyId)
  }

  async beginFilling(familyId: string): Promise<boolean> {
    return (await this.#open()).beginFilling(familyId)
  }

  async openFilled(): Promise<boolean> {
    return (await this.#open()).openFilled()
  }

  async pause(token: string, untilMs: number): Promise<boolean> {
    return (await this.#open()).pause(token, untilMs)
  }

  async resume(token: string): Promise<boolean> {
    return (await this.#open()).resume(token)
  }

  async seal(token: string): Promise<boolean> {
    return (await this.#open()).seal(token)
  }

  async unseal(token: string): Promise<boolean> {
    return (await this.#open()).unseal(token)
  }

  async close(): Promise<boolean> {
    return (await this.#open()).close()
  }

  async empty(): Promise<boolean> {
    return (await this.#open()).empty()
  }

  async size(): Promise<number> {
    return (await this.#open()).size()
  }

  /** Called by the platform when the alarm rings. */
  async alarm(): Promise<void> {
    await (await this.#open()).ring()
  }

  /** Opened by the first call. One that fails leaves it to the next. */
  #open(): Promise<Family> {
    this.#family ??= this.#openAnew().catch((error: unknown) => {
      this.#family = null
      throw error
    })
    return this.#family
  }

  async #openAnew(): Promise<Family> {
    return openFamily({
      ...this.#tools,
      database: databaseOf(this.ctx),
      alarm: alarmOf(this.ctx),
      alarmAtMs: await this.ctx.storage.getAlarm(),
      migrations: { newest: NEWEST_MIGRATION, load: loadMigrations },
      breathe,
    })
  }
}

function databaseOf({ storage }: DurableObjectState): ObjectDatabase {
  const { sql } = storage
  return {
    run(text, parameters = []) {
      const cursor = sql.exec(text, ...parameters)
      const rows = [...cursor.raw()]
      const { columnNames: columns, rowsRead, rowsWritten } = cursor
      return { columns, rows, rowsRead, rowsWritten }
    },
    script: (text) => {
      sql.exec(text)
    },
    transaction: (work) => storage.transactionSync(work),
    sizeBytes: () => sql.databaseSize,
    async clear() {
      await storage.deleteAlarm()
      await storage.deleteAll()
    },
  }
}

/** The platform makes the alarm a part of the transaction that is under way. Its promise only says that it is on disk. */
function alarmOf({ storage }: DurableObjectState): Alarm {
  return {
    set: (atMs) => {
      void storage.setAlarm(atMs)
    },
    clear: () => {
      void storage.deleteAlarm()
    },
  }
}

async function loadMigrations() {
  const { migrationTexts } = await import('./migration-texts.ts')
  return migrationTexts()
}

/** The clock of a Worker stands still while code runs; a timer lets it, and other calls, go on. */
function breathe(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0))
}

/** The part of a Worker to which an object hands over what is due. It answers at once: the object is billed until then. */
export abstract class FollowUpEntrypoint extends WorkerEntrypoint {
  handOver(refs: readonly OutboxRef[]): Promise<void> {
    this.ctx.waitUntil(this.workOff(refs))
    return Promise.resolve()
  }

  protected abstract workOff(refs: readonly OutboxRef[]): Promise<void>
}

/** What `FollowUpEntrypoint` offers to the object that calls it. */
export type FollowUp = Pick<FollowUpEntrypoint, 'handOver'>
