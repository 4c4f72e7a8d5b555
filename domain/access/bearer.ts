import type { Scope } from '../record/operation/description.ts'
import { AUTH_SCHEME, keyRefused, unauthorized, type Reply } from '../record/operation/reply.ts'
import type { RoutedRequest } from '../record/operation/routed-request.ts'
import { isLoopbackName } from '../text/http/loopback.ts'
import { readKey, type PresentedKey } from './api-key.ts'

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

/** What an `Authorization` header that carries a key looks like, also one that is written wrongly. */
const CARRIES_KEY = new RegExp(`^(?:${AUTH_SCHEME}|Root-Secret-Proof) |_live_`, 'i')

/**
 * Refuses credentials that came over plain http, where others can read them, before anything is looked up. Between
 * programs of one machine nobody can, so loopback may use it. The scheme is that of the request's URL.
 * @param scope as for `unauthorized`; the sends keep the contract's one word. Null: the operator interface
 * @returns null: the request carries none, or came over https
 */
export function refuseExposedKey(
  { request, url }: Pick<RoutedRequest, 'request' | 'url'>,
  scope: Scope | null,
): Reply | null {
  if (url.protocol !== 'http:' || isLoopbackName(url.hostname)) return null
  if (!CARRIES_KEY.test(request.headers.get('authorization') ?? '')) return null
  return scope === 'send' ? unauthorized(scope) : keyRefused(KEY_EXPOSED)
}

const KEY_EXPOSED =
  'No key is accepted over plain http, where others can read it. Use https, and replace the key that was sent.'
