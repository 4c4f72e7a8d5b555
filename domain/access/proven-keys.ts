import type { KeyClaim } from '../../ports/keyed-storage.ts'
import type { PresentedKey } from './api-key.ts'
import type { Secrets } from './secrets.ts'

/** A key that was proven before, as it was read, and what it claims. */
export interface RememberedKey {
  readonly key: PresentedKey
  readonly claim: KeyClaim
}

/** Most keys that are remembered: they take some hundred kilobytes. */
const KEYS_MAX = 1_000

/** By the root secrets that their hashes were made under, and then by the text of the key. */
const remembered = new WeakMap<Secrets, Map<string, RememberedKey>>()

/**
 * What was remembered of a key, so that neither its parts nor its hashes are computed again; null: nothing. It says nothing
 * about whether the key still works: storage decides that for each request.
 */
export function recallKey(text: string, secrets: Secrets): RememberedKey | null {
  return remembered.get(secrets)?.get(text) ?? null
}

/** Remembers a key that storage has found to work. Forged keys are not remembered, so nobody can crowd out the others. */
export function rememberKey(known: RememberedKey, secrets: Secrets): void {
  const keys = remembered.get(secrets) ?? new Map<string, RememberedKey>()
  remembered.set(secrets, keys)
  if (keys.size >= KEYS_MAX) keys.clear()
  keys.set(known.key.text, known)
}
