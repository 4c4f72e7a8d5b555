import type { FamilyObjects } from '../objects/family-objects.ts'
import { startFleet, type Fleet } from './fleet.ts'
import { createNetwork, type Network } from './network.ts'
import type { HandedOver } from './handed-over.ts'
import { createEmailProvider, createSmsProvider } from '../providers.ts'
import { createQueue } from '../queue.ts'
import { createReceivers, type Receivers } from '../receivers.ts'
import { createStorageCalls } from '../storage-calls.ts'
import type { Universe } from '../universe.ts'

/** The service with its whole environment. */
export interface RunningService {
  readonly fleet: Fleet
  readonly network: Network
  readonly objects: FamilyObjects
  /** What was handed over to the providers of email and of SMS. */
  readonly email: HandedOver
  readonly sms: HandedOver
  /** What webhooks call. */
  readonly receivers: Receivers
}

const MINUTE_MS = 60_000
/** After how long without an answer the queue considers a message not delivered, in ms. */
const VISIBILITY_MS = 60_000

export function startService(universe: Universe, objects: FamilyObjects): RunningService {
  const { scheduler } = universe
  const email = createEmailProvider(universe)
  const sms = createSmsProvider(universe)
  const queue = createQueue(universe, (ref) => {
    const isolate = fleet.any('for the queue')
    const died = new Promise<'retry'>((resolve) => {
      isolate.whenDead(() => {
        scheduler.schedule(VISIBILITY_MS, () => {
          resolve('retry')
        })
      })
    })
    return Promise.race([isolate.consume(ref), died])
  })
  const receivers = createReceivers(universe)
  const storage = createStorageCalls(universe)
  const fleet = startFleet(universe, { storage, objects, email, sms, queue, receivers })
  startCron(universe, fleet)
  return {
    fleet,
    objects,
    network: createNetwork(universe, () => fleet),
    email: email.handedOver,
    sms: sms.handedOver,
    receivers,
  }
}

/** How long the cron trigger rests at most when nothing is due, in minutes. */
const IDLE_MAX = 60

/**
 * Fires the cron trigger once a minute. Once all faults have ended, most minutes in which nothing is due are skipped,
 * because nothing would happen in them.
 */
function startCron(universe: Universe, fleet: Fleet): void {
  const { scheduler, faults, trace, stored } = universe
  let idle = 0
  const fire = (): void => {
    const isolate = fleet.any('for the cron')
    trace.say(isolate.name, 'is called by the cron')
    isolate.cron()
  }
  const isIdle = (): boolean => {
    if (!faults.isMended() || idle >= IDLE_MAX) return false
    const rows = stored.look(
      `select min(at) as at from (select next_attempt_at as at from outbox where status = 'pending'
        union all select touched_at from import_sessions where state = 'writing'
        union all select due_at from retention
        union all select work_since from families where work_since is not null
        union all select started_at from moves where ended_at is null
        union all select not_before from moves where ended_at is not null and not_before is not null)`,
    )
    return rows.every(({ at }) => typeof at !== 'string' || Date.parse(at) > scheduler.nowMs())
  }
  const tick = (): void => {
    idle = isIdle() ? idle + 1 : 0
    if (idle === 0) {
      if (!faults.strikes('cronMissed', 'a minute')) fire()
      if (faults.strikes('cronDoubled', 'a minute')) fire()
    }
    scheduler.schedule(MINUTE_MS, tick)
  }
  scheduler.schedule(MINUTE_MS, tick)
}
