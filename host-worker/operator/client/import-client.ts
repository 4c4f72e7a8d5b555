import { setTimeout as pause } from 'node:timers/promises'
import type { Backoff } from '../../../domain/bounds/backoff.ts'
import { doublingPauses, repeatWhileRejected } from '../../../domain/bounds/backoff.ts'
import type { ReceivedPart } from '../../../domain/imports/receive-part.ts'
import type {
  ImportOutcome,
  ImportProgress,
  ImportTarget,
  Transfer,
  TransferAnswer,
} from '../../../domain/imports/transfer-file.ts'
import { transferFile } from '../../../domain/imports/transfer-file.ts'
import { isJsonObject, parseJson } from '../../../domain/text/json.ts'

/**
 * Sends one request to the operator interface, with the operator's key. Rejects when no answer comes, and for answers
 * that say nothing about the request itself: a key that is refused, a role that is missing.
 */
export type OperatorCall = (
  method: 'POST' | 'PUT' | 'DELETE',
  path: string,
  init?: {
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: string | Uint8Array<ArrayBuffer>
  },
) => Promise<Response>

export interface RemoteImport extends Omit<Transfer, 'target'> {
  readonly organizationId: string
  readonly call: OperatorCall
  /** Whether a rejection of `call` may pass when the request is repeated: no connection, no answer in time. */
  readonly isPassing: (rejection: unknown) => boolean
}

/** About a minute in all: long enough for a service that is started again. */
const BACKOFF: Backoff = { pausesMs: doublingPauses(100, 12, 8_000), spread: { least: 0.5, most: 1.5 } }

/**
 * Imports a file through the operator interface of a service. Every request may be repeated without harm, so one that got
 * no answer is. When that does not help either, this rejects as the last request did, and the same call made again, also
 * by another process or with another key, goes on where this one stopped.
 */
export function importThroughService({
  organizationId,
  call,
  isPassing,
  ...file
}: RemoteImport): Promise<ImportOutcome> {
  return transferFile({ ...file, target: serviceTarget(organizationId, call, isPassing) })
}

function serviceTarget(
  organizationId: string,
  call: OperatorCall,
  isPassing: RemoteImport['isPassing'],
): ImportTarget {
  const all = `/operator/v1/organizations/${encodeURIComponent(organizationId)}/imports`
  const one = (importId: string) => `${all}/${encodeURIComponent(importId)}`
  const ask = async (...request: Parameters<OperatorCall>): Promise<TransferAnswer> => {
    const repeating = {
      isPassing: (rejection: unknown) => rejection instanceof ServiceFailure || isPassing(rejection),
      draw: () => Math.random(),
      wait: (durationMs: number) => pause(durationMs),
    }
    return repeatWhileRejected(BACKOFF, repeating, async () => answerOf(await call(...request)))
  }
  // The decision is asked for once; from then on the import is written whoever asks.
  const committed = new Set<string>()
  return {
    open: (file) => ask('POST', all, json(file)),
    part: (importId, part) => ask('PUT', `${one(importId)}/parts/${part.part}`, bodyOf(part)),
    commit: async (importId) => {
      const answer = await ask('POST', `${one(importId)}/${committed.has(importId) ? 'write' : 'commit'}`)
      if ('session' in answer) committed.add(importId)
      return answer
    },
    abort: (importId) => ask('DELETE', one(importId)),
  }
}

/** The service failed in a way that may pass. */
class ServiceFailure extends Error {}

function json(body: object): Parameters<OperatorCall>[2] {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

function bodyOf({ bytes, digest }: ReceivedPart): Parameters<OperatorCall>[2] {
  const base64 = `${digest.replaceAll('-', '+').replaceAll('_', '/')}=`
  const headers = { 'content-type': 'application/octet-stream', 'content-digest': `sha-256=:${base64}:` }
  return { headers, body: bytes }
}

/** What an answer says of the import. Throws a `ServiceFailure` for one that the same request may not get again. */
async function answerOf(response: Response): Promise<TransferAnswer> {
  const text = await response.text()
  if (response.status >= 500)
    throw new ServiceFailure(sentenceIn(text) ?? `The service answered ${response.status}.`)
  // Only a service that answers otherwise than its document says gets here with something else.
  if (response.ok) return { session: parseJson(text) as ImportProgress }
  if (response.status === 422) return { session: refusedSession(text) }
  return { message: sentenceIn(text) ?? `The service answered ${response.status}.` }
}

function refusedSession(text: string): ImportProgress {
  const { problems } = parseJson(text) as Pick<ImportProgress, 'problems'>
  return {
    importId: '',
    state: 'refused',
    nextPart: 0,
    readRows: 0,
    problems,
    writtenRows: 0,
    changedRows: 0,
  }
}

function sentenceIn(text: string): string | null {
  try {
    const body = parseJson(text)
    return isJsonObject(body) && typeof body.error === 'string' ? body.error : null
  } catch {
    return null
  }
}
