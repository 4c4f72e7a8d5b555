import type { KeyClaim } from '../../ports/keys.ts'
import type { PresentedKey } from './api-key.ts'
import type { Secrets } from './secrets.ts'

/** A key that was proven before: its parts and its claim. */
export interface RememberedKey {
  readonly key: PresentedKey
  readonly claim: KeyClaim
}

/** The maximum number of remembered keys. They take a few hundred kilobytes. */
const KEYS_MAX = 1_000

/** The remembered keys by the root secrets that their hashes were made with, and then by their text. */
const remembered = new WeakMap<Secrets, Map<string, RememberedKey>>()

/**
 * What is remembered of a key, so that its parts and its hashes need not be computed again; null: nothing. It does not
 * tell whether the key still works: storage decides that for each request.
 */
export function recallKey(text: string, secrets: Secrets): RememberedKey | null {
  return remembered.get(secrets)?.get(text) ?? null
}

/** Remembers a key that storage has found to work. Forged keys are not remembered, so they cannot displace others. */
export function rememberKey(known: RememberedKey, secrets: Secrets): void {
  const keys = remembered.get(secrets) ?? new Map<string, RememberedKey>()
  remembered.set(secrets, keys)
  if (keys.size >= KEYS_MAX) keys.clear()
  keys.set(known.key.text, known)
}
