import * as v from 'valibot'
import type { RequestHeader } from '../../record/operation/operation.ts'
import { toBase64Url, utf8 } from '../../text/encoding.ts'

/** For how long the key of a request to send is known, in hours. */
export const KEY_KEPT_HOURS = 24

const HEADER = 'Idempotency-Key'
const KEY = /^[\x20-\x7e]{1,255}$/
const MALFORMED = `${HEADER}: must be 1 to 255 printable ASCII characters`

/** The header of both sends, for the contract document. */
export const idempotencyHeaders = {
  [HEADER]: {
    description: `Any text of your choice, new for each message: 1 to 255 printable ASCII characters. It is known for ${KEY_KEPT_HOURS} hours, for the organization (or the platform) and this endpoint. A request with the same key and the same body sends nothing again and answers the same results.`,
    schema: v.pipe(v.string(), v.regex(KEY)),
    example: 'receipts-2026-05-20',
  },
} as const satisfies Readonly<Record<string, RequestHeader>>

/** The idempotency key of a request; null: it has none. Or what is wrong with it, as `path: message`. */
export function idempotencyKeyOf(
  headers: Headers,
): { readonly key: string | null } | { readonly malformed: string } {
  const key = headers.get(HEADER)
  return key === null || KEY.test(key) ? { key } : { malformed: MALFORMED }
}

/** A request with a key, as far as a repetition must be recognised. Neither the key nor the body can be read from it. */
export interface Recognisable {
  readonly requestKey: string
  readonly bodyHash: string
}

/**
 * How a request is recognised when it comes again.
 * @param endpointId keys of different endpoints are different ones
 * @param meaning the request as it was read: equal JSON means an equal request
 */
export async function recognisable(endpointId: string, key: string, meaning: unknown): Promise<Recognisable> {
  const [requestKey, bodyHash] = await Promise.all(
    [`${endpointId} ${key}`, JSON.stringify(meaning)].map(sha256),
  )
  if (requestKey === undefined || bodyHash === undefined) throw new Error('A hash is missing')
  return { requestKey, bodyHash }
}

async function sha256(text: string): Promise<string> {
  return toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', utf8(text))))
}
