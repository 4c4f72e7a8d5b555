import type { SendResult } from '../../ports/messaging.ts'
import { readLimited } from '../limits/body.ts'
import { membersOf, parseJson } from '../text/encoding.ts'

/** The maximum size of a response that is read, in bytes: more than the response to one message takes. */
const ANSWER_MAX_BYTES = 65_536

const decoder = new TextDecoder()

type Members = Readonly<Record<string, unknown>>

type Unavailable = Extract<SendResult, { kind: 'unavailable' }>

/** The provider may accept the message later, or may have accepted it already without this service knowing. */
export function unavailable(reason: string): Unavailable {
  return { kind: 'unavailable', reason, throttled: false, retryAfterMs: null }
}

/** Like `unavailable`, with the exception that was caught. */
export function broken(reason: string, cause: unknown): Unavailable {
  return { ...unavailable(reason), cause }
}

/** The provider asked to wait (`waitMs`, null when it does not say how long), or refuses the account. */
export function throttled(reason: string, waitMs: number | null): Unavailable {
  return { kind: 'unavailable', reason, throttled: true, retryAfterMs: waitMs }
}

/**
 * The result of a send, judged by the status and the JSON object of the provider's response. A body that breaks off, is
 * too long or is no JSON counts as an object without members, because the status alone says whether the message was
 * accepted. The reason why the body could not be read becomes the result's `cause`.
 */
export async function judgeAnswer(
  response: Response,
  signal: AbortSignal,
  judge: (members: Members) => SendResult,
): Promise<SendResult> {
  const { members, ...unread } = await readMembers(response, signal)
  return { ...judge(members), ...unread }
}

async function readMembers(
  { body, ok }: Response,
  signal: AbortSignal,
): Promise<{ readonly members: Members; readonly cause?: unknown }> {
  if (body === null) return { members: {} }
  const read = await readLimited(body, ANSWER_MAX_BYTES, signal)
  if (read.kind === 'incomplete') return { members: {}, cause: read.cause }
  if (read.kind === 'too_large') return { members: {}, cause: new RangeError('The answer is too long') }
  try {
    return { members: membersOf(parseJson(decoder.decode(read.bytes))) }
  } catch (cause) {
    // A failure that is reported without JSON is nothing special: proxies of providers answer so.
    return ok ? { members: {}, cause } : { members: {} }
  }
}
