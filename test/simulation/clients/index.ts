import type { Network } from '../service/processes/network.ts'
import { organizationIds } from '../setting.ts'
import { createClient, type Client, type ClientParts } from './client.ts'
import { audit } from './auditor.ts'
import { browse } from './browser.ts'
import { foundMore } from './operators/founder.ts'
import { intrude } from './intruder.ts'
import { keepKeys } from './operators/keys.ts'
import { mail } from './mailer.ts'
import { keepHooks } from './operators/hooks.ts'
import { markSpam } from './operators/marker.ts'
import { abortMove, moveAround } from './operators/mover.ts'
import { removeAgain } from './operators/remover.ts'
import { operate, retryFailed } from './operators/operator.ts'
import { checkComplete, newCopies, read, sync, type Copy } from './reader.ts'
import { visit } from './visitor.ts'

/** All clients of the simulated service. */
export interface Clients {
  /** The names of the clients that have not finished, without those that only wait for these organizations. */
  active(without: ReadonlySet<string>): readonly string[]
  /**
   * Brings every reader's copy up to date over a network, except those of these organizations, and checks that the
   * copies are complete. False: a sync failed as often as `triesMax` says.
   */
  syncAll(without: ReadonlySet<string>, over: Network, triesMax: number): Promise<boolean>
  /** Asks to abort the move of a family. */
  abortMove(familyId: string): Promise<boolean>
  /** Asks to try entries of the outbox again. */
  retry(entries: Parameters<typeof retryFailed>[0]): Promise<true>
}

const VISITORS_MAX = 8

/** How long a client waits before it repeats a sync, in ms: longer than an isolate takes to doubt what it remembers. */
const SYNC_AGAIN_MS = 15_000

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
  for (const organizationId of organizationIds) {
    const own = copies.filter((copy) => copy.organizationId === organizationId)
    start(`sync-${organizationId}`, organizationId, (client) => read(own, client))
  }
  start('mailer', null, mail)
  start('browser', null, browse)
  start('intruder', null, intrude)
  start('auditor', null, audit)
  start('founder', ANY, foundMore)
  start('keeper', ANY, keepKeys)
  start('remover', ANY, removeAgain)
  // Where it is not decided, as in the record of an earlier run, they do not come at all.
  for (const organizationId of organizationIds)
    if (parts.decide.chance(`somebody marks spam of ${organizationId}`, 40))
      start(`marker-${organizationId}`, organizationId, (client) => markSpam(organizationId, client))
  for (const organizationId of organizationIds)
    if (parts.decide.chance(`somebody has webhooks of ${organizationId}`, 40))
      start(`hooks-${organizationId}`, organizationId, (client) => keepHooks(organizationId, client))
  const last = createClient('last', parts)
  const aborter = createClient('aborter', parts)
  return {
    active: (without) => [...active].filter(([, about]) => !mayWait(about, without)).map(([name]) => name),
    async syncAll(without, network, triesMax) {
      const client = createClient('last', { ...parts, network })
      const wanted = copies.filter(({ organizationId }) => !without.has(organizationId))
      const ended = await Promise.all(wanted.map((copy) => syncAgain(copy, client, triesMax)))
      if (ended.includes(false)) return false
      for (const copy of wanted) checkComplete(copy, client)
      return true
    },
    abortMove: (familyId) => abortMove(familyId, aborter),
    retry: async (entries) => {
      await retryFailed(entries, last)
      return true
    },
  }
}

/** What a client is about that repeats its requests for any organization until they succeed. */
const ANY = 'any organization'

/** Whether a client may wait for good when nothing can be done for these organizations. */
function mayWait(about: string | null, without: ReadonlySet<string>): boolean {
  return about === ANY ? without.size > 0 : about !== null && without.has(about)
}

async function syncAgain(copy: Copy, client: Client, triesMax: number): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    if (await sync(copy, client)) return true
    if (tries >= triesMax) return false
    await client.pause(SYNC_AGAIN_MS)
  }
}
