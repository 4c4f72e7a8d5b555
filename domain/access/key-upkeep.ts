import type { Background, Clock } from '../../ports/platform.ts'
import type { KeyUpkeep } from '../../ports/keys.ts'
import { toInstant } from '../text/instant.ts'
import { hashKey } from './api-key.ts'
import type { Secrets } from './secrets.ts'

/** The parts of a stored key, of any kind, on which its upkeep depends. */
interface KeptKey {
  readonly keyId: string
  readonly secretVersion: string
  readonly lastUsedAt: string | null
  /** The organization that owns the key, for kinds of keys whose database depends on it. */
  readonly organizationId?: string | null
}

/** The ports that the upkeep of keys needs. */
export interface UpkeepWorld {
  readonly secrets: Secrets
  readonly background: Background
  readonly clock: Clock
}

const HOUR_MS = 3_600_000

/**
 * After the response, writes what the use of a proven key changes: the hour of its use, once for each hour however many
 * requests the key makes; and its hash under the current root secret, when it was stored under the previous one.
 * @param text the whole key
 */
export function keepUp(
  text: string,
  { keyId, secretVersion, lastUsedAt, organizationId }: KeptKey,
  store: KeyUpkeep,
  { secrets: { current }, background, clock }: UpkeepWorld,
): void {
  if (secretVersion !== current.version) {
    const rehash = async () =>
      store.rehashKey(keyId, await hashKey(text, current), current.version, organizationId)
    background.run(rehash())
  }
  const nowMs = clock.nowMs()
  const hour = toInstant(nowMs - (nowMs % HOUR_MS))
  if (lastUsedAt === null || lastUsedAt < hour) background.run(store.noteKeyUse(keyId, hour, organizationId))
}
