import type { Deadline } from '../../ports/platform.ts'
import { declaredLength } from './read-body.ts'
import { dropLimited } from './read-limited.ts'

/**
 * The most bytes of a refused body that are read: as many as the largest part of an import, so that whoever sends a
 * little too much still learns why it is refused. Whoever sends far more loses the connection.
 */
export const DROPPED_MAX_BYTES = 1024 * 1024

/** The longest time that reading them takes, in ms. A sender that trickles holds its request no longer. */
export const DROPPED_MAX_MS = 1_000

/**
 * Reads what is left of a request's body and drops it. A request that is answered before its body has arrived makes
 * some hosts close the connection, often before the sender has read the answer. Does nothing when the body was read to
 * its end, or declares more than `DROPPED_MAX_BYTES`. Never rejects.
 */
export async function dropUnreadBody(request: Request, deadline: Deadline): Promise<void> {
  const { body } = request
  // A body whose reading was given up is still locked by its reader.
  if (body === null || body.locked || declaredLength(request) > DROPPED_MAX_BYTES) return
  await dropLimited(body, DROPPED_MAX_BYTES, deadline.after(DROPPED_MAX_MS))
}
