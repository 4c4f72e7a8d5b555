import type { Deadline } from '../../../ports/platform.ts'
import { readRequestBody } from '../../bounds/read-body.ts'
import { acceptedType, type HeaderValue } from '../../text/content-type.ts'
import type { BodyProblem, Entries, SubmittedBody } from '../definition/answers/entries.ts'
import { parseMembers } from './members.ts'
import { parseMultipart } from './multipart.ts'
import { refused, type Refused } from '../answer/result.ts'
import { BODY_MAX_BYTES } from '../definition/limits.ts'
import { acceptedTypes, anyAcceptedType } from './accepted-types.ts'
import { parseUrlencoded } from './urlencoded.ts'

/**
 * The longest time that a sender may take: enough for a full body at 30 kbit/s, but an end to one that sends only a
 * trickle.
 */
const BODY_DEADLINE_MS = 20_000

/** A request with its parsed `Content-Type` header; null: the header is malformed. */
export interface Posted {
  readonly request: Request
  readonly contentType: HeaderValue | null
}

export type BodyReading = { readonly kind: 'body'; readonly body: SubmittedBody } | Refused

/**
 * Reads the body of a submission, once, and checks it in this order: size (413), content type (415), syntax (400). The
 * type is checked only after the size, so a body that is too large is always refused for its size.
 */
export async function readBody({ request, contentType }: Posted, deadline: Deadline): Promise<BodyReading> {
  const bounds = { maxBytes: BODY_MAX_BYTES, durationMs: BODY_DEADLINE_MS }
  const read = await readRequestBody(request, bounds, deadline)
  if (read.kind === 'too_large') return tooLarge()
  const type = acceptedType(contentType, request.headers, acceptedTypes)
  if (type === null) {
    return refused('unsupported_media_type', `Send ${anyAcceptedType} in UTF-8, uncompressed.`)
  }
  if (read.kind === 'incomplete')
    return refused('invalid_body', 'The request body did not arrive completely.')
  if (read.bytes.length === 0) return refused('invalid_body', 'The request has no body.')
  return parse(read.bytes, type)
}

function tooLarge(): Refused {
  return refused('body_too_large', `The request body exceeds ${BODY_MAX_BYTES} bytes.`)
}

function parse(bytes: Uint8Array, type: HeaderValue): BodyReading {
  const format = type.value === 'application/json' ? 'json' : 'form'
  const entries = parseEntries(bytes, type)
  if (!('kind' in entries)) return { kind: 'body', body: { format, entries } }
  const { kind, message, isOfPage = false } = entries
  return { ...refused(kind === 'malformed' ? 'invalid_body' : 'unsupported_media_type', message), isOfPage }
}

function parseEntries(bytes: Uint8Array, type: HeaderValue): Entries | BodyProblem {
  if (type.value === 'application/json') return parseMembers(bytes)
  if (type.value === 'multipart/form-data')
    return parseMultipart(bytes, type.parameters.get('boundary') ?? '')
  return parseUrlencoded(bytes)
}
