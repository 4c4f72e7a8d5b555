import type { MessageBatch } from '@cloudflare/workers-types'
import { dropUnreadBody } from '../domain/limits/body.ts'
import { submissionFailure, unknownOutcome } from '../domain/forms/result.ts'
import { FORM_PAGE_PREFIX, isSentToForm } from '../domain/forms/page-path.ts'
import { isSubmissionPath } from '../domain/forms/routes.ts'
import { internalError } from '../domain/record/reply.ts'
import { isLoopbackName } from '../domain/text/http.ts'
import { randomBase62 } from '../domain/text/encoding.ts'
import type { OutboxRef } from '../ports/outbox.ts'
import { readEnv, type Env, type EnvReading, QSTASH_PATH, RESEND_EVENTS_PATH } from './env/index.ts'
import { overTransport, respond, type Answered, isConsoleCall, isSignedInRead } from './http/fetch-handler.ts'
import { FORM_CLIENT_PATH, serveFormClient } from './http/form-client.ts'
import { consoleLog, systemClock, systemDeadline, systemRandom } from './system.ts'
import { FollowUpEntrypoint } from './wiring/family-database.ts'
import { requestFields, createMeter, type Lifetime, type Serve } from './wiring/opening.ts'
import type * as Pages from './pages/index.ts'
import * as paths from './pages/paths.ts'

export { FamilyDatabase } from './wiring/family-database.ts'

/** The Worker: checks its configuration, then serves. */
export default {
  async fetch(
    request: Request,
    bindings: Readonly<Record<string, unknown>>,
    lifetime: Lifetime,
  ): Promise<Response> {
    const url = new URL(request.url)
    const response = overTransport(await serve(request, url, bindings, lifetime), url)
    await dropUnreadBody(request, systemDeadline)
    return response
  },

  /** Handles queue messages. A rejection makes the platform deliver them again. */
  async queue(batch: MessageBatch, bindings: Readonly<Record<string, unknown>>): Promise<void> {
    const { openFollowUp } = await import('./wiring/jobs.ts')
    await openFollowUp(envOrThrow(bindings)).queue(batch)
  },

  /** Handles the cron trigger. */
  async scheduled(_controller: unknown, bindings: Readonly<Record<string, unknown>>): Promise<void> {
    const { openFollowUp } = await import('./wiring/jobs.ts')
    await openFollowUp(envOrThrow(bindings)).cron()
  },
}

async function serve(
  request: Request,
  url: URL,
  bindings: Readonly<Record<string, unknown>>,
  lifetime: Lifetime,
): Promise<Response> {
  if (url.pathname === FORM_CLIENT_PATH) {
    return serveFormClient(request, await import('./browser/built.mjs'))
  }
  const reading = envOf(bindings)
  if (!reading.ok) return refuse(reading.problems, url)
  const own = url.pathname.startsWith(API_PREFIX) ? null : await serveOwn(request, url, reading.env)
  return own ?? notFoundFor(request, url, await answer(request, url, reading.env, lifetime))
}

/** Paths with this prefix belong to the contract; the service's own pages and callbacks have other paths. */
const API_PREFIX = '/api/'

/** Paths with this prefix belong to the operator interface. */
const OPERATOR_PREFIX = '/operator/'

/** Paths with this prefix belong to the form client. */
const FORM_CLIENT_PREFIX = '/forms/'

/** Processes the due entries that the databases of families hand over. It can only be called from within the Worker. */
export class FollowUp extends FollowUpEntrypoint {
  protected override async workOff(refs: readonly OutboxRef[]): Promise<void> {
    const { openFollowUp } = await import('./wiring/jobs.ts')
    await openFollowUp(envOrThrow(await this.bindings())).workOff(refs)
  }

  /** The bindings of the Worker, which a local start completes. */
  protected async bindings(): Promise<Readonly<Record<string, unknown>>> {
    return this.env
  }
}

/**
 * Configurations that were read before, by their bindings: the platform passes the same object to every request of an
 * isolate.
 */
const readings = new WeakMap<object, EnvReading>()

function envOf(bindings: Readonly<Record<string, unknown>>): EnvReading {
  const known = readings.get(bindings)
  if (known !== undefined) return known
  const reading = readEnv(bindings)
  readings.set(bindings, reading)
  return reading
}

function envOrThrow(bindings: Readonly<Record<string, unknown>>): Env {
  const reading = envOf(bindings)
  if (reading.ok) return reading.env
  consoleLog.error('not_configured', { problems: reading.problems.join('; ') })
  throw new Error(`The service is not configured. ${reading.problems.join('. ')}.`)
}

async function answer(request: Request, url: URL, env: Env, lifetime: Lifetime): Promise<Response> {
  const startedMs = systemClock.nowMs()
  const meter = createMeter()
  const host = {
    requestId: `req_${randomBase62(16, (length) => systemRandom.bytes(length))}`,
    url,
    answered: (facts: Answered) => {
      consoleLog.info('request', requestFields(facts, systemClock.nowMs() - startedMs, meter))
    },
  }
  let loaded: { readonly serve: Serve }
  try {
    loaded = await interfaceOf(request, url.pathname)
  } catch (cause) {
    const { requestId } = host
    consoleLog.error('request_failed', { requestId, endpointId: null }, cause)
    const reply =
      isSubmissionPath(url.pathname) || isSentToForm(request.method, url.pathname)
        ? submissionFailure('internal_error', unknownOutcome(requestId))
        : internalError(requestId)
    return respond(reply, { request, url }, host)
  }
  return loaded.serve(request, host, { env, lifetime, meter })
}

/**
 * Serves the host's own endpoints, such as QStash deliveries and the events of Resend, and its pages. Few requests need them, so each is loaded
 * on demand. Null: the request is for none of them, or the endpoint is not configured.
 */
async function serveOwn(request: Request, { pathname }: URL, env: Env): Promise<Response | null> {
  if (pathname === QSTASH_PATH) return (await import('./wiring/jobs.ts')).serveQstash(request, env)
  if (pathname === RESEND_EVENTS_PATH)
    return (await import('./wiring/jobs.ts')).serveResendEvent(request, env)
  if (isOfInterface(pathname) || isConsoleCall(request, pathname)) return null
  return servePage(request, pathname, await import('./pages/index.ts'))
}

/** The answer to a path that has nothing, as a page for a browser. It keeps the id under which it is logged. */
async function notFoundFor(request: Request, { pathname }: URL, answered: Response): Promise<Response> {
  if (answered.status !== 404 || isOfInterface(pathname)) return answered
  const pages = await import('./pages/index.ts')
  return pages.acceptsPages(request) ? pages.notFoundPage(request, answered) : answered
}

/** Whether a path belongs to an interface, which answers in its own way also where there is nothing. */
function isOfInterface(pathname: string): boolean {
  const prefixes = [API_PREFIX, OPERATOR_PREFIX, FORM_CLIENT_PREFIX, FORM_PAGE_PREFIX]
  return prefixes.some((prefix) => pathname.startsWith(prefix))
}

async function servePage(request: Request, pathname: string, pages: typeof Pages): Promise<Response | null> {
  if (pathname === paths.CONSOLE_PATH || pathname.startsWith(`${paths.CONSOLE_PATH}/`))
    return pages.serveConsole(request)
  if (pathname === paths.GUIDES_PATH || pathname.startsWith(`${paths.GUIDES_PATH}/`))
    return pages.serveGuides(request, pathname)
  switch (pathname) {
    case paths.START_PATH:
      return pages.serveStart(request)
    case paths.REFERENCE_PATH:
    case `${paths.REFERENCE_PATH}/`:
      return pages.serveReference(request)
    case paths.HEALTH_PATH:
      return pages.serveHealth(request)
    case paths.ROBOTS_PATH:
      return pages.serveRobots(request)
    case paths.FAVICON_PATH:
      return pages.serveFavicon()
    case paths.LLMS_PATH:
      return pages.serveLlms(request)
    default:
      return null
  }
}

/** Loads the interface that a path belongs to, so that a request waits for no other. Loading it again is free. */
function interfaceOf(request: Request, pathname: string): Promise<{ readonly serve: Serve }> {
  if (isSubmissionPath(pathname)) return import('./wiring/submissions.ts')
  if (pathname.startsWith(FORM_CLIENT_PREFIX)) return import('./wiring/form-client.ts')
  if (pathname.startsWith(FORM_PAGE_PREFIX)) return import('./wiring/form-pages.ts')
  if (isSignedInRead(pathname)) return import('./wiring/tenants.ts')
  if (pathname.startsWith(OPERATOR_PREFIX) || isConsoleCall(request, pathname))
    return import('./wiring/operators.ts')
  return import('./wiring/tenants.ts')
}

/** The response without a valid configuration: the service must not guess, so it serves nothing and says why. */
function refuse(problems: readonly string[], { hostname }: URL): Response {
  consoleLog.error('not_configured', { problems: problems.join('; ') })
  const local = isLoopbackName(hostname)
    ? " On a developer's machine, `npm start` and `npx wrangler dev` configure and serve it."
    : ''
  const error = `The service is not configured. ${problems.join('. ')}.${local}`
  return Response.json({ error }, { status: 503 })
}
