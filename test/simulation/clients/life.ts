import type { Answer } from '../service/processes/network.ts'
import { passing } from '../setting.ts'
import type { Client } from './client.ts'

/** The life of the organization that comes and goes. */
export interface Life {
  /** How many people it has had; each has a number of its own. */
  people: number
  /** The people whose erasure was asked for, by their numbers. */
  readonly erasing: Set<number>
  isThere: boolean
  archive: Archive | null
  /** A key of the organization; null: none was issued since it exists. */
  key: string | null
  copy: SyncedCopy
}

/** An archive of the organization that comes and goes. */
export interface Archive {
  readonly name: string
  readonly pieces: readonly Uint8Array<ArrayBuffer>[]
  /** The people who are in it. */
  readonly people: readonly number[]
}

/** A copy that is kept by syncing, with the removals: the `updatedAt` of the rows, by collection and id. */
export interface SyncedCopy {
  readonly rows: Map<string, string>
  /** Where each next sync begins, by collection. */
  readonly from: Map<string, string>
}

export function newSyncedCopy(): SyncedCopy {
  return { rows: new Map(), from: new Map() }
}

/** The longest pause before something is asked again, in ms. */
const AGAIN_MAX_MS = 20_000

/**
 * Asks until an answer says what became of it.
 * @param action the action of the audit record; null: it changes nothing
 */
export async function insist(
  action: string | null,
  path: string,
  body: object,
  client: Client,
): Promise<Answer & { readonly wasLost: boolean }> {
  const { organizationId } = passing
  const request = {
    method: 'POST',
    path: `/operator/v1/organizations/${organizationId}${path}`,
    body: JSON.stringify(body),
  } as const
  for (let wasLost = false; ; wasLost = true) {
    const answer = await (action === null
      ? client.send({ ...request, key: client.operatorKey })
      : client.change({ action, organizationId }, request))
    if (answer !== null && answer.status < 500) return { ...answer, wasLost }
    await client.pause(client.decide.delayMs('waits', AGAIN_MAX_MS))
  }
}

/** The organization begins anew. */
export function begins(life: Life, { reference }: Client): void {
  Object.assign(life, { isThere: true, key: null, copy: newSyncedCopy() })
  reference.passing.days.clear()
}
