import type { PresentedKey } from './api-key.ts'
import { readKey } from './api-key.ts'
import { AUTH_SCHEME } from '../record/operation/reply.ts'

const PREFIX = `${AUTH_SCHEME} `

/**
 * The key of an `Authorization` header, or null. The prefix `Bearer ` is mandatory and case-sensitive, with exactly
 * one space (contract, Authentication 1).
 */
export function readBearer(header: string | null): PresentedKey | null {
  const token = bearerToken(header)
  return token === null ? null : readKey(token)
}

/** The text after the prefix `Bearer `, whatever it is; null: the header does not have that prefix. */
export function bearerToken(header: string | null): string | null {
  return header?.startsWith(PREFIX) === true ? header.slice(PREFIX.length) : null
}
