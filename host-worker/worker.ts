import { createMeter } from '../adapters/d1/index.ts'
import { randomBase62 } from '../domain/text/encoding.ts'
import type { Env } from './env.ts'
import { readEnv } from './env.ts'
import { createFetchHandler } from './http/fetch-handler.ts'
import { consoleLog, systemClock, systemRandom } from './system.ts'
import type { Lifetime } from './wiring.ts'
import { openWorld } from './wiring.ts'

const handle = createFetchHandler()

/** The Worker: checks its configuration, then serves. */
export default {
  async fetch(request: Request, bindings: Readonly<Record<string, unknown>>, lifetime: Lifetime): Promise<Response> {
    const reading = readEnv(bindings)
    return reading.ok ? answer(request, reading.env, lifetime) : refuse(reading.problems)
  },
}

async function answer(request: Request, env: Env, lifetime: Lifetime): Promise<Response> {
  const startedMs = systemClock.nowMs()
  const meter = createMeter()
  const requestId = `req_${randomBase62(16, (length) => systemRandom.bytes(length))}`
  return handle(request, {
    requestId,
    world: await openWorld(env, lifetime, meter),
    answered: (facts) => {
      consoleLog.info('request', {
        requestId,
        endpointId: facts.endpointId,
        status: facts.status,
        durationMs: systemClock.nowMs() - startedMs,
        storageCalls: meter.calls,
        rowsRead: meter.rowsRead,
        rowsWritten: meter.rowsWritten,
      })
    },
  })
}

/** A service without its configuration must not guess: it serves nothing and says why. */
function refuse(problems: readonly string[]): Response {
  consoleLog.error('not_configured', { problems: problems.join('; ') })
  return Response.json({ error: `The service is not configured. ${problems.join('. ')}.` }, { status: 503 })
}
