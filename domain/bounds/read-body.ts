import type { Deadline } from '../../ports/platform.ts'
import { readDeclared, readLimited, type LimitedRead } from './read-limited.ts'

/** How large a request body may be, and how long it may take to arrive. */
export interface BodyBounds {
  readonly maxBytes: number
  readonly durationMs: number
}

/**
 * Reads the body of a request, once and within its bounds. A body whose declared length is too large is not read at
 * all. A declared length ends the body (RFC 9112, section 6.3), except when the body is sent in chunks; hosts then hide
 * or refuse the declaration.
 */
export async function readRequestBody(
  request: Request,
  { maxBytes, durationMs }: BodyBounds,
  deadline: Deadline,
): Promise<LimitedRead> {
  const declaredBytes = declaredLength(request)
  if (declaredBytes > maxBytes) return { kind: 'too_large' }
  if (declaredBytes > 0) return readDeclared(request, maxBytes, deadline.after(durationMs))
  // Reading `request.body` makes hosts create a stream, which the branch above avoids.
  const { body } = request
  return body === null
    ? { kind: 'bytes', bytes: new Uint8Array(0) }
    : readLimited(body, maxBytes, deadline.after(durationMs))
}

/** The length that a request declares for its body; 0: none. */
export function declaredLength(request: Request): number {
  const text = request.headers.get('content-length') ?? ''
  return /^\d+$/.test(text) ? Number(text) : 0
}
