import type { Lease } from '../../ports/outbox-store.ts'
import type { RandomSource } from '../../ports/random-source.ts'
import { randomBase62 } from '../text/encoding.ts'
import { toInstant } from '../text/instant.ts'

/**
 * How long a claimed entry is left to its worker, in ms: longer than a storage call, a send and another storage call
 * may take together, and short enough that what a crash left is taken up by the next sweep or the one after it.
 */
export const LEASE_MS = 45_000
const TOKEN_LENGTH = 22

/** An entry's lease, as its worker knows it. */
export type Held = Pick<Lease, 'token'>

/** A lease that begins now. */
export function newLease(nowMs: number, random: RandomSource): Lease {
  return { token: randomBase62(TOKEN_LENGTH, (length) => random.bytes(length)), until: leaseEnd(nowMs) }
}

/** The end of a lease that begins, or is renewed, now. */
export function leaseEnd(nowMs: number): string {
  return toInstant(nowMs + LEASE_MS)
}
