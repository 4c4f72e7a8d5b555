import { readLimited } from '../../domain/bounds/read-limited.ts'
import { pause } from '../../domain/bounds/within.ts'
import { retryAfterMs } from '../../domain/text/retry-after.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Deadline } from '../../ports/deadline.ts'
import type { SourceFailure } from '../../ports/record-source.ts'

/** Where Dub's API answers. */
export const DUB_URL = 'https://api.dub.co'

/** One attempt, its body included. Two of them and the pause between fit into the patience of a caller. */
const TIMEOUT_MS = 5_000
/** The longest pause before the second attempt. A service that asks for more is not asked again. */
const PAUSE_MAX_MS = 2_000
const FIRST_PAUSE_MS = 100
const BODY_MAX_BYTES = 8 * 1024 * 1024

export interface DubOptions {
  readonly apiKey: string
  readonly baseUrl: string
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  readonly deadline: Deadline
  readonly clock: Clock
}

/** What came of one read: JSON, nothing of that name, or no use of the service. */
export type DubRead =
  { readonly kind: 'json'; readonly body: unknown } | { readonly kind: 'missing' } | SourceFailure

/** A failed attempt, and how long to wait before another; null: another would be no use. */
interface Failed extends SourceFailure {
  readonly pauseMs: number | null
}

/**
 * Reads from Dub's HTTP API. A read that got no answer, or one that speaks of a passing trouble (5xx, or 429 with a short
 * `Retry-After`), is tried once more. Never rejects.
 */
export async function readDub(options: DubOptions, path: string, query: URLSearchParams): Promise<DubRead> {
  const first = await attempt(options, path, query)
  if (first.kind !== 'unavailable' || first.pauseMs === null) return withoutPause(first)
  await pause(options.deadline, first.pauseMs)
  return withoutPause(await attempt(options, path, query))
}

function withoutPause(read: Exclude<DubRead, SourceFailure> | Failed): DubRead {
  return read.kind === 'unavailable' ? unavailable(read.reason) : read
}

export function unavailable(reason: string): SourceFailure {
  return { kind: 'unavailable', reason }
}

async function attempt(
  { apiKey, baseUrl, fetch, deadline, clock }: DubOptions,
  path: string,
  query: URLSearchParams,
): Promise<Exclude<DubRead, SourceFailure> | Failed> {
  const signal = deadline.after(TIMEOUT_MS)
  try {
    const response = await fetch(`${baseUrl}${path}?${query.toString()}`, {
      headers: { authorization: `Bearer ${apiKey}`, accept: 'application/json' },
      // A redirect would take the key elsewhere.
      redirect: 'manual',
      signal,
    })
    if (response.status === 200) return await bodyOf(response, signal)
    await response.body?.cancel()
    return failureOf(response, clock.nowMs())
  } catch {
    return failed('The link service did not answer.', FIRST_PAUSE_MS)
  }
}

async function bodyOf(
  { body }: Response,
  signal: AbortSignal,
): Promise<Exclude<DubRead, SourceFailure> | Failed> {
  const read = body === null ? null : await readLimited(body, BODY_MAX_BYTES, signal)
  if (read?.kind === 'incomplete') return failed('The link service broke off its answer.', FIRST_PAUSE_MS)
  if (read?.kind !== 'bytes') return failed('The link service gave no answer of a usable size.', null)
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(read.bytes)
    return { kind: 'json', body: JSON.parse(text) as unknown }
  } catch {
    return failed('The link service answered with something that is no JSON.', null)
  }
}

function failureOf({ status, headers }: Response, nowMs: number): { readonly kind: 'missing' } | Failed {
  if (status === 404) return { kind: 'missing' }
  if (status === 401 || status === 403) return failed('The link service refused the key.', null)
  if (status === 429) {
    const pauseMs = retryAfterMs(headers.get('retry-after'), nowMs)
    const isShort = pauseMs !== null && pauseMs <= PAUSE_MAX_MS
    return failed('The link service asked for patience.', isShort ? pauseMs : null)
  }
  return failed(`The link service answered with status ${status}.`, status >= 500 ? FIRST_PAUSE_MS : null)
}

function failed(reason: string, pauseMs: number | null): Failed {
  return { ...unavailable(reason), pauseMs }
}
