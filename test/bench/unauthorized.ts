import { crc32 } from '../../domain/text/crc32.ts'
import { toBase62, utf8 } from '../../domain/text/encoding.ts'
import { quantile, runLoad } from './load.ts'

const ROUNDS = 4_000

/**
 * Measures how long the refusal of a forged key takes, in turn for an organization that exists and two that do not. The
 * difference between the two that do not exist is noise.
 */
export async function benchUnauthorized(origin: string): Promise<void> {
  const latenciesMs: Record<string, number[]> = { bench: [], 'nobody-a': [], 'nobody-b': [] }
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [organizationId, latencies] of Object.entries(latenciesMs)) {
      const headers = { authorization: `Bearer ${forgedKey(organizationId)}` }
      const shot = {
        method: 'GET',
        path: '/api/v1/contacts?limit=500',
        headers,
        body: null,
        status: 401,
      } as const
      const result = await runLoad(origin, shot, 1, 1)
      latencies.push(...result.latenciesMs)
    }
  }
  for (const [organizationId, latencies] of Object.entries(latenciesMs)) {
    const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => quantile(latencies, share).toFixed(3))
    const exists = organizationId === 'bench' ? 'exists' : 'does not exist'
    console.log(`401 for an organization that ${exists}: median ${middle} ms (${low}–${high})`)
  }
}

/** A key with the right form and checksum, which are public. */
function forgedKey(organizationId: string): string {
  const unchecked = `ck_live_${organizationId}_${'A'.repeat(12)}${'z'.repeat(28)}`
  return unchecked + toBase62(crc32(utf8(unchecked)), 6)
}
