import { organizationIds } from '../setting.ts'
import type { Client, ClientParts } from './client.ts'
import { createClient } from './client.ts'
import { mail } from './mailer.ts'
import { moveAround } from './mover.ts'
import { operate, retryFailed } from './operator.ts'
import { checkComplete, newCopies, read, sync } from './reader.ts'
import { visit } from './visitor.ts'

/** All clients of the simulated service. */
export interface Clients {
  /** The names of the clients that have not finished, without those that only wait for these organizations. */
  active(without: ReadonlySet<string>): readonly string[]
  /**
   * Brings every reader's copy up to date, except those of these organizations, and checks that the copies are
   * complete. False: a sync could not finish.
   */
  syncAll(without: ReadonlySet<string>): Promise<boolean>
  /** Asks to try entries of the outbox again. */
  retry(entries: Parameters<typeof retryFailed>[0]): Promise<true>
}

const VISITORS_MAX = 8

/**
 * @param roots the root organizations of the families that are moved
 * @param broken called when a client fails because of a mistake in its own code
 */
export function startClients(
  parts: ClientParts,
  roots: readonly string[],
  broken: (error: unknown) => void,
): Clients {
  const copies = newCopies()
  const active = new Map<string, string | null>()
  const start = (name: string, about: string | null, live: (client: Client) => Promise<void>): void => {
    active.set(name, about)
    const client = createClient(name, parts)
    const life = client.rest().then(() => live(client))
    void life.catch(broken).finally(() => {
      active.delete(name)
    })
  }
  const visitors = 1 + parts.decide.below('more visitors', VISITORS_MAX)
  for (let number = 1; number <= visitors; number += 1) start(`visitor-${number}`, null, visit)
  for (const organizationId of organizationIds)
    start(`op-${organizationId}`, organizationId, (client) => operate(organizationId, client))
  for (const root of roots) start(`mover-${root}`, root, (client) => moveAround(root, client))
  for (const copy of copies) {
    const name = `sync-${copy.organizationId}-${copy.collection.table}`
    start(name, copy.organizationId, (client) => read(copy, client))
  }
  start('mailer', null, mail)
  const last = createClient('last', parts)
  return {
    active: (without) =>
      [...active].filter(([, about]) => about === null || !without.has(about)).map(([name]) => name),
    async syncAll(without) {
      const wanted = copies.filter(({ organizationId }) => !without.has(organizationId))
      const ended = await Promise.all(wanted.map((copy) => sync(copy, last)))
      if (ended.includes(false)) return false
      for (const copy of wanted) checkComplete(copy, last)
      return true
    },
    retry: async (entries) => {
      await retryFailed(entries, last)
      return true
    },
  }
}
