import type { Env } from './env/index.ts'
import { QSTASH_PATH } from './env/queues.ts'
import { MAILBOX_PATH, REFERENCE_PATH, START_PATH } from './pages/paths.ts'

/**
 * Serves the host's own endpoints, such as QStash deliveries, and its pages. Few requests need them, so each is loaded
 * on demand. Null: the request is for none of them, or the endpoint is not configured.
 */
export async function serveOwn(request: Request, { pathname }: URL, env: Env): Promise<Response | null> {
  if (pathname.startsWith(MAILBOX_PATH)) return (await import('./pages/index.ts')).serveMailbox(request, env)
  switch (pathname) {
    case QSTASH_PATH:
      return (await import('./wiring/jobs.ts')).serveQstash(request, env)
    case START_PATH:
      return (await import('./pages/index.ts')).serveStart(request, env)
    case REFERENCE_PATH:
    case `${REFERENCE_PATH}/`:
      return (await import('./pages/index.ts')).serveReference(request)
    default:
      return null
  }
}
