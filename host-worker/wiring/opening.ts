import { openSecrets, type Secrets } from '../../domain/access/secrets.ts'
import type { Background, Meter, LogFields } from '../../ports/platform.ts'
import type { Env } from '../env/index.ts'
import type { RequestHost, Answered } from '../http/fetch-handler.ts'
import { backgroundOn, consoleLog } from '../system.ts'

export { createMeter } from '../../adapters/sqlite/statement/executor.ts'

/** Lets the platform keep the isolate alive for work after the response. */
export interface Lifetime {
  waitUntil(work: Promise<unknown>): void
}

/** What the ports of one request are made of. */
export interface Opening {
  readonly env: Env
  readonly lifetime: Lifetime
  /** Counts what the request's storage costs. */
  readonly meter: Meter
}

/**
 * Serves the requests of one interface. Each interface is a module of its own, with its ports, which the first request
 * for it loads: an isolate that takes submissions needs nothing that reads, and the other way round.
 */
export type Serve = (
  request: Request,
  host: Omit<RequestHost<never>, 'world'>,
  opening: Opening,
) => Promise<Response>

/** The root secrets, kept for the lifetime of the isolate. */
const openedSecrets = new Map<string, Promise<Secrets>>()

/** The root secrets. They are opened once in the lifetime of the isolate. */
export function secretsOf({ rootSecret, previousRootSecret }: Env): Promise<Secrets> {
  const name = `${rootSecret}.${previousRootSecret ?? ''}`
  const known = openedSecrets.get(name)
  if (known !== undefined) return known
  const opened = openSecrets(rootSecret, previousRootSecret)
  openedSecrets.set(name, opened)
  return opened
}

/** Runs background work where nothing keeps the isolate alive for it, so only for work that may be lost. */
export const detached = backgroundOn(consoleLog)

/** Runs work after the response, and logs its failures. */
export function backgroundOf(lifetime: Lifetime): Background {
  return backgroundOn(consoleLog, (work) => {
    lifetime.waitUntil(work)
  })
}

/**
 * The fields of a request's log line. The endpoint is logged instead of the path, which may contain an identifier. The
 * query, the headers and the body are not logged.
 */
export function requestFields(facts: Answered, durationMs: number, meter: Meter): LogFields {
  return {
    requestId: facts.requestId,
    endpointId: facts.endpointId,
    status: facts.status,
    durationMs,
    organizationId: facts.organizationId,
    keyId: facts.keyId,
    ...(facts.submissionId === undefined ? {} : { submissionId: facts.submissionId }),
    storageCalls: meter.calls,
    rowsRead: meter.rowsRead,
    rowsWritten: meter.rowsWritten,
  }
}
