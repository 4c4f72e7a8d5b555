import { DurableObject, WorkerEntrypoint } from 'cloudflare:workers'
import type { DurableObjectState } from '@cloudflare/workers-types'
import type { OutboxRef } from '../../../ports/outbox.ts'
import type { Statement } from '../../sqlite/statement/executor.ts'
import type { Family, FamilyTools, Alarm } from './family.ts'
import type { ObjectDatabase } from './batch.ts'
import type { BatchAnswer, BatchTerms, FamilyObject, Mode } from '../protocol.ts'
import type { Migration } from '../../sqlite/migration.ts'

/** The parts of an object that the Worker provides, as opposed to the platform. */
export type WorkerTools = Pick<FamilyTools, 'clock' | 'log' | 'handOver'>

/**
 * The Durable Object of one family: its SQLite database and its alarm. This class only passes the platform's parts to
 * `openFamily`, which does the work. Every public method can be called over RPC.
 */
export class FamilyDatabaseObject extends DurableObject implements FamilyObject {
  readonly #tools: WorkerTools
  #family: Promise<Family> | null = null

  constructor(state: DurableObjectState, env: Readonly<Record<string, unknown>>, tools: WorkerTools) {
    super(state, env)
    this.#tools = tools
  }

  async batch(mode: Mode, statements: readonly Statement[], terms: BatchTerms = {}): Promise<BatchAnswer> {
    return (await this.#open()).batch(mode, statements, terms)
  }

  async advance(migrations: readonly Migration[]): Promise<boolean> {
    return (await this.#open()).advance(migrations)
  }

  async create(familyId: string): Promise<boolean> {
    return (await this.#open()).create(familyId)
  }

  async begin(familyId: string): Promise<boolean> {
    return (await this.#open()).begin(familyId)
  }

  async finish(token: string): Promise<boolean> {
    return (await this.#open()).finish(token)
  }

  async reopen(token: string): Promise<boolean> {
    return (await this.#open()).reopen(token)
  }

  async open(token: string): Promise<boolean> {
    return (await this.#open()).open(token)
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

  async close(): Promise<boolean> {
    return (await this.#open()).close()
  }

  async empty(): Promise<boolean> {
    return (await this.#open()).empty()
  }

  async remove(): Promise<boolean> {
    return (await this.#open()).remove()
  }

  async size(): Promise<number> {
    return (await this.#open()).size()
  }

  /** Called by the platform when the alarm rings. */
  async alarm(): Promise<void> {
    await (await this.#open()).ring()
  }

  /** The first call opens the family. If that fails, the next call tries again. */
  #open(): Promise<Family> {
    this.#family ??= this.#openAnew().catch((error: unknown) => {
      this.#family = null
      throw error
    })
    return this.#family
  }

  /** What an object does is loaded by the first call: every isolate of the Worker has the class, and most have no object. */
  async #openAnew(): Promise<Family> {
    const [{ openFamily }, { ownMigrations }] = await Promise.all([
      import('./family.ts'),
      import('./own-migrations.ts'),
    ])
    return openFamily({
      ...this.#tools,
      database: databaseOf(this.ctx),
      alarm: alarmOf(this.ctx),
      alarmAtMs: await this.ctx.storage.getAlarm(),
      migrations: ownMigrations,
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

/**
 * The platform makes a change of the alarm part of the current transaction. The promise only tells that it is on disk,
 * so nobody waits for it.
 */
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

/** Waits for a timer: meanwhile other calls run. A Worker's clock advances only when its code waits for something. */
function breathe(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0))
}

/**
 * The entry point of the Worker to which an object hands over due outbox entries. It answers before it works on them,
 * because the object is billed while it waits.
 */
export abstract class FollowUpEntrypoint extends WorkerEntrypoint {
  handOver(refs: readonly OutboxRef[]): Promise<void> {
    this.ctx.waitUntil(this.workOff(refs))
    return Promise.resolve()
  }

  protected abstract workOff(refs: readonly OutboxRef[]): Promise<void>
}

/** The method of `FollowUpEntrypoint` that the object calls. */
export type FollowUp = Pick<FollowUpEntrypoint, 'handOver'>
