import type { SendResult } from '../../ports/send-result.ts'
import { membersOf } from '../text/json.ts'

type Unavailable = Extract<SendResult, { kind: 'unavailable' }>

/** The provider may take the message later, or has taken it already without our knowing. */
export function unavailable(reason: string): Unavailable {
  return { kind: 'unavailable', reason, throttled: false, retryAfterMs: null }
}

/** As `unavailable`, because of something that was caught. */
export function broken(reason: string, cause: unknown): Unavailable {
  return { ...unavailable(reason), cause }
}

/** The provider asks for patience (`waitMs`, null when it does not say how much) or for a working account. */
export function throttled(reason: string, waitMs: number | null): Unavailable {
  return { kind: 'unavailable', reason, throttled: true, retryAfterMs: waitMs }
}

/** The JSON object of a provider's answer; empty when the answer is none. */
export async function jsonOf(response: Response): Promise<Readonly<Record<string, unknown>>> {
  const body: unknown = await response.json().catch(() => null)
  return membersOf(body)
}
