import type { Deadline } from '../../ports/deadline.ts'
import type { LimitedRead } from './read-limited.ts'
import { readDeclared, readLimited } from './read-limited.ts'

/** How large a request body may be, and how long it may take to arrive. */
export interface BodyBounds {
  readonly maxBytes: number
  readonly durationMs: number
}

/**
 * Reads the body of a request, once and within its bounds. One that declares itself too large is not read at all. A declared
 * length ends the body (RFC 9112, section 6.3), unless it is sent in chunks: then hosts hide or refuse the declaration.
 */
export async function readRequestBody(
  request: Request,
  { maxBytes, durationMs }: BodyBounds,
  deadline: Deadline,
): Promise<LimitedRead> {
  const declaredBytes = declaredLength(request)
  if (declaredBytes > maxBytes) return { kind: 'too_large' }
  if (declaredBytes > 0) return readDeclared(request, maxBytes, deadline.after(durationMs))
  // Hosts make a stream of the body when they are asked for it, which the way above does without.
  const { body } = request
  return body === null
    ? { kind: 'bytes', bytes: new Uint8Array(0) }
    : readLimited(body, maxBytes, deadline.after(durationMs))
}

function declaredLength(request: Request): number {
  const text = request.headers.get('content-length') ?? ''
  return /^\d+$/.test(text) ? Number(text) : 0
}
