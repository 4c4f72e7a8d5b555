import { GatewayError } from '../errors.ts'

export interface SlotsOptions {
  /** How many slots there are. */
  readonly size: number
  /** The maximum number of slots that one tenant holds at once. */
  readonly tenantMax: number
  /** The maximum number of requests that wait for a slot; any more are refused at once. */
  readonly waitersMax: number
}

/** The right to use a connection, shared out among tenants. */
export interface Slots {
  /**
   * Takes a slot, or waits for one. Rejects with a `GatewayError`: `busy`, or `deadline_exceeded` once the signal
   * aborts.
   */
  take(tenant: string, signal: AbortSignal): Promise<void>
  give(tenant: string): void
}

interface Waiter {
  readonly tenant: string
  readonly proceed: () => void
  readonly refuse: (reason: GatewayError) => void
}

/** The refusal of a request that took too long. */
export function deadlineExceeded(): GatewayError {
  return new GatewayError('deadline_exceeded', 'The source did not answer in time')
}

/**
 * A counting semaphore for several tenants. A free slot goes to the waiting tenant that holds the fewest; tenants that
 * hold as few take turns. Where too many wait, those of the tenant with the most waiting requests are refused.
 */
export function createSlots({ size, tenantMax, waitersMax }: SlotsOptions): Slots {
  let waiters: readonly Waiter[] = []
  const held = new Map<string, number>()
  let free = size
  const heldBy = (tenant: string) => held.get(tenant) ?? 0
  const waitingOf = (tenant: string) => waiters.filter((waiter) => waiter.tenant === tenant).length

  const hold = (tenant: string): void => {
    free -= 1
    held.set(tenant, heldBy(tenant) + 1)
  }

  const leave = (leaving: Waiter): void => {
    waiters = waiters.filter((waiter) => waiter !== leaving)
  }

  /**
   * Refuses the latest request of the tenant with the most waiting requests. Throws `busy` when no tenant would still
   * have more of them than the given one.
   */
  const makeRoomFor = (tenant: string): void => {
    const crowd = waiters.reduce((most, each) => Math.max(most, waitingOf(each.tenant)), 0)
    const busy = new GatewayError('busy', 'Too many requests wait for this source')
    const last = waiters.findLast((each) => waitingOf(each.tenant) === crowd)
    if (last === undefined || crowd <= waitingOf(tenant) + 1) throw busy
    leave(last)
    last.refuse(busy)
  }

  const next = (): Waiter | undefined => {
    const eligible = waiters.filter(({ tenant }) => heldBy(tenant) < tenantMax)
    const fewest = Math.min(...eligible.map(({ tenant }) => heldBy(tenant)))
    return eligible.find(({ tenant }) => heldBy(tenant) === fewest)
  }

  const wait = (tenant: string, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const abort = () => {
        leave(waiter)
        reject(deadlineExceeded())
      }
      const settled = (settle: () => void) => {
        signal.removeEventListener('abort', abort)
        settle()
      }
      const waiter: Waiter = {
        tenant,
        proceed: () => {
          settled(resolve)
        },
        refuse: (reason) => {
          settled(() => {
            reject(reason)
          })
        },
      }
      signal.addEventListener('abort', abort, { once: true })
      waiters = [...waiters, waiter]
    })

  return {
    async take(tenant, signal) {
      if (signal.aborted) throw deadlineExceeded()
      if (free > 0 && heldBy(tenant) < tenantMax) {
        hold(tenant)
        return
      }
      if (waiters.length >= waitersMax) makeRoomFor(tenant)
      await wait(tenant, signal)
    },
    give(tenant) {
      free += 1
      if (heldBy(tenant) === 1) held.delete(tenant)
      else held.set(tenant, heldBy(tenant) - 1)
      const waiter = next()
      if (waiter === undefined) return
      leave(waiter)
      // The tenant's other requests go to the end of the line, so that tenants take turns.
      const isSame = (each: Waiter) => each.tenant === waiter.tenant
      waiters = [...waiters.filter((each) => !isSame(each)), ...waiters.filter(isSame)]
      hold(waiter.tenant)
      waiter.proceed()
    },
  }
}
