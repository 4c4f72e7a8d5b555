import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { D1Database } from '@cloudflare/workers-types'
import type * as wranglerModule from 'wrangler'
import { projectRoot } from '../local/root.ts'
import { persistPath, secretsPath } from '../local/state.ts'
import { wranglerEnvironment } from '../local/wrangler-environment.ts'
import { CommandError } from './errors.ts'
import { migrate } from './migrate.ts'

/** An open database; `close` ends what runs it. */
export interface OpenDatabase {
  readonly database: D1Database
  /** The legacy vendor's database; null: the deployment has none. */
  readonly posLegacy: D1Database | null
  close(): Promise<void>
}

/** How commands open their databases: `directory` is the one of the local state. */
export interface DatabaseOpeners {
  readonly local: (directory: string) => Promise<OpenDatabase>
  readonly remote: (directory: string) => Promise<OpenDatabase>
}

/** Opens the databases that `wrangler.toml` names. */
export const wranglerDatabases: DatabaseOpeners = { local: openLocalDatabase, remote: openRemoteDatabase }

const configPath = join(projectRoot, 'wrangler.toml')

/** The id of a database in `wrangler.toml` before anybody created it. */
const PLACEHOLDER_ID = /^[0-]+\d$/

interface Bindings {
  readonly DB: D1Database
  readonly POS_LEGACY?: D1Database
}

/** Opens the databases that the local service uses, with every migration applied; creates them when there are none. */
export async function openLocalDatabase(directory: string): Promise<OpenDatabase> {
  mkdirSync(directory, { recursive: true })
  const wrangler = await loadWrangler(directory)
  const proxy = await wrangler.getPlatformProxy<Bindings>({
    configPath,
    envFiles: [secretsPath(directory)],
    persist: { path: persistPath(directory) },
    remoteBindings: false,
  })
  const { DB: database, POS_LEGACY: posLegacy = null } = proxy.env
  const apply = (to: D1Database, adapter: string) =>
    migrate({
      database: to,
      directory: join(projectRoot, 'adapters', adapter, 'migrations'),
      lockPath: join(directory, 'migrate.lock'),
      split: wrangler.unstable_splitSqlQuery,
    })
  try {
    await apply(database, 'sqlite')
    if (posLegacy !== null) await apply(posLegacy, 'pos-legacy-vendor')
  } catch (error) {
    await proxy.dispose()
    throw error
  }
  return { database, posLegacy, close: () => proxy.dispose() }
}

/**
 * Opens the deployed databases through remote bindings. Needs `wrangler login` or `CLOUDFLARE_API_TOKEN`. Never
 * migrates: that belongs to the deployment (`wrangler d1 migrations apply DB --remote`).
 */
export async function openRemoteDatabase(directory: string): Promise<OpenDatabase> {
  const wrangler = await loadWrangler(directory)
  const generated = mkdtempSync(join(tmpdir(), 'operator-'))
  const remove = () => {
    rmSync(generated, { recursive: true, force: true })
  }
  try {
    const remoteConfig = join(generated, 'wrangler.json')
    const config = wrangler.unstable_readConfig({ config: configPath }) as DeployedConfig
    writeFileSync(remoteConfig, JSON.stringify(remoteConfiguration(config)))
    const proxy = await wrangler.getPlatformProxy<Bindings>({
      configPath: remoteConfig,
      persist: false,
    })
    const close = async () => {
      await proxy.dispose()
      remove()
    }
    return { database: proxy.env.DB, posLegacy: proxy.env.POS_LEGACY ?? null, close }
  } catch (error) {
    remove()
    if (error instanceof CommandError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandError(`Cannot reach the deployed database: ${reason}`, { cause: error })
  }
}

type Wrangler = typeof wranglerModule

/** Loaded on demand: commands that need no database start without it. Its own messages never reach standard output. */
async function loadWrangler(directory: string): Promise<Wrangler> {
  Object.assign(process.env, wranglerEnvironment(directory), { WRANGLER_LOG: 'error' })
  return import('wrangler')
}

/** What is read of `wrangler.toml`; wrangler's own type of it needs a package that it does not install. */
interface DeployedConfig {
  readonly name?: string
  readonly account_id?: string
  readonly compatibility_date?: string
  readonly d1_databases: readonly {
    readonly binding: string
    readonly database_name?: string
    readonly database_id?: string
  }[]
}

/** The configuration's databases alone, those that were created, bound remotely. */
function remoteConfiguration(config: DeployedConfig): Readonly<Record<string, unknown>> {
  const created = config.d1_databases.filter(
    ({ binding, database_id }) =>
      ['DB', 'POS_LEGACY'].includes(binding) &&
      database_id !== undefined &&
      !PLACEHOLDER_ID.test(database_id),
  )
  if (!created.some(({ binding }) => binding === 'DB')) {
    throw new CommandError(
      'wrangler.toml names no deployed database yet: put the id that `wrangler d1 create tenant-data-api` printed ' +
        'there as database_id.',
    )
  }
  return {
    name: config.name,
    compatibility_date: config.compatibility_date,
    ...(config.account_id === undefined ? {} : { account_id: config.account_id }),
    d1_databases: created.map(({ binding, database_name, database_id }) => {
      return { binding, database_name, database_id, remote: true }
    }),
  }
}
