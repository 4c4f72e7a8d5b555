import type { Lease } from '../../ports/outbox-store.ts'
import type { RandomSource } from '../../ports/platform.ts'
import { randomBase62 } from '../text/encoding.ts'
import { toInstant } from '../text/instant.ts'

/**
 * How long a claimed entry belongs to its worker, in ms. That is longer than a storage call, a send and another storage
 * call may take together, and short enough that after a crash one of the next two sweeps takes the entry up.
 */
export const ENTRY_LEASE_MS = 45_000
const TOKEN_LENGTH = 22

/** The lease of an entry, for the worker that holds it. */
export type HeldLease = Pick<Lease, 'token'>

/** A lease that begins now. */
export function newLease(nowMs: number, random: RandomSource): Lease {
  return { token: randomBase62(TOKEN_LENGTH, (length) => random.bytes(length)), until: leaseEnd(nowMs) }
}

/** The end of a lease that begins, or is renewed, now. */
export function leaseEnd(nowMs: number): string {
  return toInstant(nowMs + ENTRY_LEASE_MS)
}
