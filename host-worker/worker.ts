import type { MessageBatch } from '@cloudflare/workers-types'
import { createMeter } from '../adapters/d1/index.ts'
import { randomBase62 } from '../domain/text/encoding.ts'
import * as formClient from './browser/built.mjs'
import type { Env } from './env.ts'
import { readEnv } from './env.ts'
import { createFetchHandler } from './http/fetch-handler.ts'
import { FORM_CLIENT_PATH, serveFormClient } from './http/form-client.ts'
import { QSTASH_PATH } from './env-providers.ts'
import { serveCron, serveQstash, serveQueue } from './jobs.ts'
import { MAILBOX_PATH, serveMailbox } from './pages/mailbox.ts'
import { REFERENCE_PATH, serveReference } from './pages/reference.ts'
import { serveStart, START_PATH } from './pages/start.ts'
import { requestFields } from './request-log.ts'
import { consoleLog, systemClock, systemRandom } from './system.ts'
import type { Lifetime } from './wiring.ts'
import { openWorld } from './wiring.ts'

const handle = createFetchHandler()

/** The Worker: checks its configuration, then serves. */
export default {
  async fetch(
    request: Request,
    bindings: Readonly<Record<string, unknown>>,
    lifetime: Lifetime,
  ): Promise<Response> {
    if (new URL(request.url).pathname === FORM_CLIENT_PATH) return serveFormClient(request, formClient)
    const reading = readEnv(bindings)
    if (!reading.ok) return refuse(reading.problems)
    const own = await serveOwn(request, reading.env)
    return own ?? answer(request, reading.env, lifetime)
  },

  /** Queue messages. A rejection makes the platform deliver them again. */
  async queue(batch: MessageBatch, bindings: Readonly<Record<string, unknown>>): Promise<void> {
    await serveQueue(batch, envOrThrow(bindings))
  },

  /** The cron trigger. */
  async scheduled(_controller: unknown, bindings: Readonly<Record<string, unknown>>): Promise<void> {
    await serveCron(envOrThrow(bindings))
  },
}

/** Endpoints of the service's own machinery, and its pages. Null: it is none of them, or it is not configured. */
async function serveOwn(request: Request, env: Env): Promise<Response | null> {
  const { pathname } = new URL(request.url)
  if (pathname.startsWith(MAILBOX_PATH)) return serveMailbox(request, env)
  switch (pathname) {
    case QSTASH_PATH:
      return serveQstash(request, env)
    case START_PATH:
      return serveStart(request, env)
    case REFERENCE_PATH:
    case `${REFERENCE_PATH}/`:
      return serveReference(request)
    default:
      return null
  }
}

function envOrThrow(bindings: Readonly<Record<string, unknown>>): Env {
  const reading = readEnv(bindings)
  if (reading.ok) return reading.env
  consoleLog.error('not_configured', { problems: reading.problems.join('; ') })
  throw new Error(`The service is not configured. ${reading.problems.join('. ')}.`)
}

async function answer(request: Request, env: Env, lifetime: Lifetime): Promise<Response> {
  const startedMs = systemClock.nowMs()
  const meter = createMeter()
  const requestId = `req_${randomBase62(16, (length) => systemRandom.bytes(length))}`
  return handle(request, {
    requestId,
    world: await openWorld(env, lifetime, meter),
    answered: (facts) => {
      consoleLog.info('request', requestFields(facts, systemClock.nowMs() - startedMs, meter))
    },
  })
}

/** A service without its configuration must not guess: it serves nothing and says why. */
function refuse(problems: readonly string[]): Response {
  consoleLog.error('not_configured', { problems: problems.join('; ') })
  return Response.json({ error: `The service is not configured. ${problems.join('. ')}.` }, { status: 503 })
}
