import { WorkerEntrypoint } from 'cloudflare:workers'

export { default, FamilyDatabase } from './worker.js'

/** Takes what objects hand over and leaves it undone, as nobody takes anything from the queue of the bench. */
export class FollowUp extends WorkerEntrypoint {
  handOver() {
    return undefined
  }
}
