import { organizationIds } from '../setting.ts'
import type { Client, ClientParts } from './client.ts'
import { createClient } from './client.ts'
import { mail } from './mailer.ts'
import { operate, retryFailed } from './operator.ts'
import { checkComplete, newCopies, read, sync } from './reader.ts'
import { visit } from './visitor.ts'

/** Everybody who uses the simulated service. */
export interface Clients {
  /** How many of them have not come to an end yet. */
  active(): number
  /** Brings every copy of the readers up to date, and checks that they are complete. False: some sync came to no end. */
  syncAll(): Promise<boolean>
  /** Has entries of the outbox tried again. */
  retry(outboxIds: readonly string[]): Promise<true>
}

const VISITORS_MAX = 8

/** @param broken told of a client that came to an end by a mistake in its own code */
export function startClients(parts: ClientParts, broken: (error: unknown) => void): Clients {
  const copies = newCopies()
  let active = 0
  const start = (name: string, live: (client: Client) => Promise<void>): void => {
    active += 1
    const life = parts.rest().then(() => live(createClient(name, parts)))
    void life.catch(broken).finally(() => {
      active -= 1
    })
  }
  const visitors = 1 + parts.draw.below(VISITORS_MAX)
  for (let number = 1; number <= visitors; number += 1) start(`visitor-${number}`, visit)
  for (const organizationId of organizationIds)
    start(`op-${organizationId}`, (client) => operate(organizationId, client))
  for (const copy of copies) start(`sync-${copy.organizationId}`, (client) => read(copy, client))
  start('mailer', mail)
  const last = createClient('last', parts)
  return {
    active: () => active,
    async syncAll() {
      const ended = await Promise.all(copies.map((copy) => sync(copy, last)))
      if (ended.includes(false)) return false
      for (const copy of copies) checkComplete(copy, last)
      return true
    },
    retry: async (outboxIds) => {
      await retryFailed(outboxIds, last)
      return true
    },
  }
}
