import type { PresentedKey } from './api-key.ts'
import { readKey } from './api-key.ts'

/**
 * The key of an `Authorization` header, or null. The prefix `Bearer ` is mandatory and case-sensitive, with exactly
 * one space (contract, Authentication 1).
 */
export function readBearer(header: string | null): PresentedKey | null {
  const token = bearerToken(header)
  return token === null ? null : readKey(token)
}

/** What follows the prefix, whatever it is; null: there is no such prefix. */
export function bearerToken(header: string | null): string | null {
  const prefix = 'Bearer '
  return header?.startsWith(prefix) === true ? header.slice(prefix.length) : null
}
