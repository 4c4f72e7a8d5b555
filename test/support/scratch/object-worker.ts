import type { DurableObjectNamespace, DurableObjectState } from '@cloudflare/workers-types'
import {
  FamilyDatabaseObject,
  FollowUpEntrypoint,
} from '../../../adapters/durable-object/object/family-database.ts'
import { consoleLog, systemClock } from '../../../host-worker/system.ts'
import type { OutboxRef } from '../../../ports/outbox.ts'

/** The entries that objects of this Worker have handed over. All parts of the Worker share one isolate. */
const handedOver: OutboxRef[] = []

/** How many instances were created of each object, by its name. */
const instances = new Map<string, number>()

/** The service's class, with additional methods for tests. */
export class FamilyDatabase extends FamilyDatabaseObject {
  constructor(state: DurableObjectState, env: Readonly<Record<string, unknown>>) {
    const { FollowUp: followUp } = state.exports as unknown as { readonly FollowUp: FollowUp }
    super(state, env, {
      clock: systemClock,
      log: consoleLog,
      handOver: (refs) => followUp.handOver(refs),
    })
    const name = state.id.name ?? ''
    instances.set(name, (instances.get(name) ?? 0) + 1)
  }

  /** Runs a batch and goes down before its answer is sent. The write may or may not be on disk by then. */
  async batchAndAbort(...given: Parameters<FamilyDatabaseObject['batch']>): Promise<void> {
    await this.batch(...given)
    await this.ctx.storage.sync()
    this.ctx.abort('aborted by a test')
  }

  /** Takes so many ms, unless the object goes down first. */
  async linger(durationMs: number): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, durationMs))
  }

  abort(): void {
    this.ctx.abort('aborted by a test')
  }

  alarmAtMs(): Promise<number | null> {
    return this.ctx.storage.getAlarm()
  }
}

export class FollowUp extends FollowUpEntrypoint {
  protected override async workOff(refs: readonly OutboxRef[]): Promise<void> {
    handedOver.push(...refs)
  }
}

/** A call of a method of an object, as JSON. */
export interface ObjectRequest {
  readonly object: string
  readonly method: string
  readonly given: readonly unknown[]
}

interface Marks {
  readonly retryable?: boolean
  readonly overloaded?: boolean
  readonly durableObjectReset?: boolean
}

/** Calls objects on behalf of tests that run outside of the runtime. */
export default {
  async fetch(request: Request, { FAMILIES }: { readonly FAMILIES: DurableObjectNamespace }) {
    const { object, method, given } = (await request.json()) as ObjectRequest
    if (method === 'handedOver') return Response.json({ answer: handedOver })
    if (method === 'instances') return Response.json({ answer: Object.fromEntries(instances) })
    const stub = FAMILIES.get(FAMILIES.idFromName(object)) as unknown as Record<
      string,
      (...given: readonly unknown[]) => Promise<unknown>
    >
    try {
      return Response.json({ answer: (await stub[method]?.(...given)) ?? null })
    } catch (error) {
      const { retryable, overloaded, durableObjectReset } = error as Marks
      const marks = { retryable, overloaded, durableObjectReset }
      return Response.json({ error: { message: String(error), marks } })
    }
  },
}
