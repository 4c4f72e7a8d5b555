import type { D1Database, ExecutionContext } from '@cloudflare/workers-types'
import { createD1Storage } from 'tenant-data-api/adapters/d1'
import { createFormCache, createRateLimiter, openSecrets } from 'tenant-data-api/domain'
import { backgroundOn, consoleLog, createService, type Service } from 'tenant-data-api/http'

/** A Worker of one's own, with the API of the package on a D1 database: see `wrangler.toml`. */
interface Env {
  readonly DATABASE: D1Database
  /** 32 bytes in base64url. */
  readonly ROOT_SECRET: string
}

const clock = { nowMs: () => Date.now() }
// Kept for the lifetime of the isolate; the rest is made for each request.
const kept = { formCache: createFormCache(), rateLimiter: createRateLimiter(clock) }

async function serviceOf(env: Env, context: ExecutionContext): Promise<Service> {
  return createService({
    ...kept,
    storage: createD1Storage({ database: env.DATABASE, clock }),
    secrets: await openSecrets(env.ROOT_SECRET, null),
    background: backgroundOn(consoleLog, (work) => context.waitUntil(work)),
  })
}

export default {
  async fetch(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
    if (new URL(request.url).pathname === '/') return new Response('A page of your own.')
    return (await serviceOf(env, context)).fetch(request)
  },
  async scheduled(_controller: unknown, env: Env, context: ExecutionContext): Promise<void> {
    await (await serviceOf(env, context)).sweep()
  },
}
