import { join } from 'node:path'
import type { D1Database } from '@cloudflare/workers-types'
import { projectRoot } from '../../host-worker/local/root.ts'
import { persistPath } from '../../host-worker/local/state.ts'
import { wranglerEnvironment } from '../../host-worker/local/wrangler-environment.ts'

/** The database of a local service, seen from outside; `close` ends what shows it. */
export interface SeenDatabase {
  readonly database: D1Database
  close(): Promise<void>
}

/** Opens the database of a state directory beside the service that runs there, for what no interface of it shows. */
export async function openLocalDatabase(stateDirectory: string): Promise<SeenDatabase> {
  Object.assign(process.env, wranglerEnvironment(stateDirectory), { WRANGLER_LOG: 'error' })
  const { getPlatformProxy } = await import('wrangler')
  const proxy = await getPlatformProxy<{ readonly DB: D1Database }>({
    configPath: join(projectRoot, 'wrangler.toml'),
    persist: { path: persistPath(stateDirectory) },
    remoteBindings: false,
  })
  return { database: proxy.env.DB, close: () => proxy.dispose() }
}
