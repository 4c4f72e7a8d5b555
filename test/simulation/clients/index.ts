import { organizationIds } from '../setting.ts'
import type { Client, ClientParts } from './client.ts'
import { createClient } from './client.ts'
import { mail } from './mailer.ts'
import { moveAround } from './mover.ts'
import { operate, retryFailed } from './operator.ts'
import { checkComplete, newCopies, read, sync } from './reader.ts'
import { visit } from './visitor.ts'

/** Everybody who uses the simulated service. */
export interface Clients {
  /** Names of those who have not come to an end yet, but for those who only wait for these organizations. */
  active(without: ReadonlySet<string>): readonly string[]
  /**
   * Brings every copy of the readers up to date, but for those of these organizations, and checks that they are complete.
   * False: some sync came to no end.
   */
  syncAll(without: ReadonlySet<string>): Promise<boolean>
  /** Has entries of the outbox tried again. */
  retry(entries: Parameters<typeof retryFailed>[0]): Promise<true>
}

const VISITORS_MAX = 8

/**
 * @param roots the organizations that families are moved by
 * @param broken told of a client that came to an end by a mistake in its own code
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
