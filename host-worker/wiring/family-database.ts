import type { DurableObjectState } from '@cloudflare/workers-types'
import { FamilyDatabaseObject, type FollowUp } from '../../adapters/durable-object/object/family-database.ts'
import { consoleLog, systemClock } from '../system.ts'

export { FollowUpEntrypoint } from '../../adapters/durable-object/object/family-database.ts'

/** The Durable Object class for families with databases of their own. */
export class FamilyDatabase extends FamilyDatabaseObject {
  constructor(state: DurableObjectState, env: Readonly<Record<string, unknown>>) {
    // The exports of the Worker, by their names in host-worker/worker.ts.
    const { FollowUp: followUp } = state.exports as unknown as { readonly FollowUp: FollowUp }
    super(state, env, {
      clock: systemClock,
      log: consoleLog,
      handOver: (refs) => followUp.handOver(refs),
    })
  }
}
