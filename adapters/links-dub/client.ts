import { pauseAfter, type Backoff, pause } from '../../domain/limits/waiting.ts'
import { readLimited } from '../../domain/limits/body.ts'
import { decodeUtf8, parsedOr } from '../../domain/text/encoding.ts'
import { retryAfterMs } from '../../domain/text/http.ts'
import type { Clock, Deadline } from '../../ports/platform.ts'
import type { SourceFailure } from '../../ports/records.ts'

/**
 * The longest time for one attempt, its body included. Two attempts and the pause between them are still quick enough
 * for a caller who waits.
 */
const TIMEOUT_MS = 5_000
/** One pause, so at most two attempts. */
const BACKOFF: Backoff = { pausesMs: [100] }
/** The longest pause that Dub may ask for. If it asks for a longer one, no second attempt is made. */
const ASKED_PAUSE_MAX_MS = 2_000
const BODY_MAX_BYTES = 8 * 1024 * 1024

export interface DubOptions {
  readonly apiKey: string
  readonly baseUrl: string
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  readonly deadline: Deadline
  readonly clock: Clock
}

/** The result of one read: JSON, "not found", or "the service cannot be used". */
export type DubRead =
  | { readonly kind: 'json'; readonly body: unknown }
  | { readonly kind: 'missing' }
  | SourceFailure

type Answer = Exclude<DubRead, SourceFailure>

/** When a second attempt is worth making: after the usual pause, after the pause that Dub asked for, or never. */
type Retry = 'usual' | 'never' | { readonly afterMs: number }

interface Failed {
  readonly kind: 'failed'
  readonly failure: SourceFailure
  readonly retry: Retry
}

/**
 * Reads from Dub's HTTP API. A read that got no answer, or an answer that reports a temporary failure (5xx, or 429 with
 * a short `Retry-After`), is tried once more. Never rejects.
 */
export async function readDub(options: DubOptions, path: string, query: URLSearchParams): Promise<DubRead> {
  for (let tries = 1; ; tries += 1) {
    const read = await attempt(options, path, query)
    if (read.kind !== 'failed') return read
    const { failure, retry } = read
    const usualMs = pauseAfter(BACKOFF, tries)
    if (usualMs === null || retry === 'never') return failure
    await pause(options.deadline, retry === 'usual' ? usualMs : retry.afterMs)
  }
}

/** The link service cannot be used now. */
export function unavailable(reason: string): SourceFailure {
  return { kind: 'unavailable', reason }
}

async function attempt(
  { apiKey, baseUrl, fetch, deadline, clock }: DubOptions,
  path: string,
  query: URLSearchParams,
): Promise<Answer | Failed> {
  const signal = deadline.after(TIMEOUT_MS)
  try {
    const response = await fetch(`${baseUrl}${path}?${query.toString()}`, {
      headers: { authorization: `Bearer ${apiKey}`, accept: 'application/json' },
      // Following a redirect would send the key to another host.
      redirect: 'manual',
      signal,
    })
    if (response.status === 200) return await bodyOf(response, signal)
    await response.body?.cancel()
    return failureOf(response, clock.nowMs())
  } catch (cause) {
    return failed('The link service did not answer.', 'usual', cause)
  }
}

async function bodyOf({ body }: Response, signal: AbortSignal): Promise<Answer | Failed> {
  const read = body === null ? null : await readLimited(body, BODY_MAX_BYTES, signal)
  if (read?.kind === 'incomplete')
    return failed('The link service broke off its answer.', 'usual', read.cause)
  if (read?.kind !== 'bytes') return failed('The link service gave no answer of a usable size.', 'never')
  const json = parsedOr(decodeUtf8(read.bytes, true) ?? '', undefined)
  return json === undefined
    ? failed('The link service answered with something that is no JSON.', 'never')
    : { kind: 'json', body: json }
}

function failureOf({ status, headers }: Response, nowMs: number): { readonly kind: 'missing' } | Failed {
  if (status === 404) return { kind: 'missing' }
  if (status === 401 || status === 403) return failed('The link service refused the key.', 'never')
  if (status === 429) {
    const afterMs = retryAfterMs(headers.get('retry-after'), nowMs)
    const isShort = afterMs !== null && afterMs <= ASKED_PAUSE_MAX_MS
    return failed('The link service asked for patience.', isShort ? { afterMs } : 'never')
  }
  return failed(`The link service answered with status ${status}.`, status >= 500 ? 'usual' : 'never')
}

function failed(reason: string, retry: Retry, cause?: unknown): Failed {
  return { kind: 'failed', failure: { ...unavailable(reason), cause }, retry }
}
