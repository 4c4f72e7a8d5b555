import type { MessageBatch } from '@cloudflare/workers-types'
import { publicApi } from '../domain/api.ts'
import { dropUnreadBody } from '../domain/bounds/unread-body.ts'
import { isLoopbackName } from '../domain/text/http/loopback.ts'
import { randomBase62 } from '../domain/text/encoding.ts'
import type { Env, EnvReading } from './env/index.ts'
import { readEnv } from './env/index.ts'
import type { Answered } from './http/fetch-handler.ts'
import { createFetchHandler, overTransport } from './http/fetch-handler.ts'
import { FORM_CLIENT_PATH, serveFormClient } from './http/form-client.ts'
import { API_PREFIX, FORM_CLIENT_PREFIX, notFoundFor, OPERATOR_PREFIX, serveOwn } from './own-endpoints.ts'
import { guardLocalStart, isLocalStart } from './local-start.ts'
import { requestFields } from './request-log.ts'
import { consoleLog, systemClock, systemDeadline, systemRandom } from './system.ts'
import type { OutboxRef } from '../ports/messaging/outbox-store.ts'
import { FollowUpEntrypoint } from './wiring/family-database.ts'
import { createMeter } from './wiring/storage.ts'
import type { Lifetime } from './wiring/world.ts'
import { openWorld } from './wiring/world.ts'

export { FamilyDatabase } from './wiring/family-database.ts'

const handle = createFetchHandler(publicApi)

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
  if (isLocalStart(bindings)) {
    const answered = await guardLocalStart(request, url, bindings)
    if (answered !== null) return answered
  }
  if (url.pathname === FORM_CLIENT_PATH) {
    return serveFormClient(request, await import('./browser/built.mjs'))
  }
  const reading = envOf(bindings)
  if (!reading.ok) return refuse(reading.problems, url)
  const own = url.pathname.startsWith(API_PREFIX) ? null : await serveOwn(request, url, reading.env)
  return own ?? notFoundFor(request, url, await answer(request, url, reading.env, lifetime))
}

/** Processes the due entries that the databases of families hand over. It can only be called from within the Worker. */
export class FollowUp extends FollowUpEntrypoint {
  protected override async workOff(refs: readonly OutboxRef[]): Promise<void> {
    const { openFollowUp } = await import('./wiring/jobs.ts')
    await openFollowUp(envOrThrow(this.env)).workOff(refs)
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
  if (url.pathname.startsWith(FORM_CLIENT_PREFIX)) {
    const { handleFormClient } = await import('./form-client-service.ts')
    return handleFormClient(request, { ...host, world: await openWorld(env, lifetime, meter) })
  }
  if (!url.pathname.startsWith(OPERATOR_PREFIX))
    return handle(request, { ...host, world: await openWorld(env, lifetime, meter) })
  // Loaded by the first request of an operator, so that no other request waits for it.
  const { handleOperator, openOperatorWorld } = await import('./operator-service.ts')
  return handleOperator(request, { ...host, world: await openOperatorWorld(env, lifetime, meter) })
}

/** The response without a valid configuration: the service must not guess, so it serves nothing and says why. */
function refuse(problems: readonly string[], { hostname }: URL): Response {
  consoleLog.error('not_configured', { problems: problems.join('; ') })
  const local = isLoopbackName(hostname)
    ? " On a developer's machine, `npm start` configures and serves it."
    : ''
  const error = `The service is not configured. ${problems.join('. ')}.${local}`
  return Response.json({ error }, { status: 503 })
}
