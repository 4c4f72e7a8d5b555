import type { Background } from '../../ports/background.ts'
import type { Clock } from '../../ports/clock.ts'
import type { KeyUpkeep } from '../../ports/key-upkeep.ts'
import { toInstant } from '../text/instant.ts'
import { hashKey } from './api-key.ts'
import type { Secrets } from './secrets.ts'

/** What a stored key of any kind says about its upkeep. */
interface KeptKey {
  readonly keyId: string
  readonly secretVersion: string
  readonly lastUsedAt: string | null
}

/** The ports that the upkeep of keys needs. */
export interface UpkeepWorld {
  readonly secrets: Secrets
  readonly background: Background
  readonly clock: Clock
}

const HOUR_MS = 3_600_000

/**
 * Writes what follows from the use of a proven key, after the answer: the hour, once for each hour however many requests
 * come with the key; and its hash under the current root secret, when it was made under the previous one.
 * @param text the whole key
 */
export function keepUp(
  text: string,
  { keyId, secretVersion, lastUsedAt }: KeptKey,
  store: KeyUpkeep,
  { secrets: { current }, background, clock }: UpkeepWorld,
): void {
  if (secretVersion !== current.version) {
    const rehash = async () => store.rehashKey(keyId, await hashKey(text, current), current.version)
    background.run(rehash())
  }
  const nowMs = clock.nowMs()
  const hour = toInstant(nowMs - (nowMs % HOUR_MS))
  if (lastUsedAt === null || lastUsedAt < hour) background.run(store.noteKeyUse(keyId, hour))
}
