import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { SOURCE_NAME } from '../../../domain/pos/index.ts'
import { membersOf } from '../../../domain/text/encoding.ts'
import type { OneAnswer, PageAnswer } from '../protocol.ts'
import type { SourceConfig, GatewayConfig } from './config.ts'
import { openConnection, createPool, deadlineExceeded, type Pool } from './pool.ts'
import { DIALECTS } from './statements.ts'
import type { ConnectionSettings } from './drivers.ts'
import { DatabaseError, GatewayError } from './errors.ts'
import { MAPPINGS, hasOwnDatabases } from './mappings.ts'
import { readOne, readPage } from './read.ts'
import type { CheckedRequest } from './request.ts'

const WAITERS_MAX = 200
const IDLE_MS = 60_000
const PAUSE_MS = 250

/** Everything that this gateway can read. */
export interface Sources {
  /** Answers a request. Rejects with a `GatewayError` or a `DatabaseError`. */
  read(request: CheckedRequest): Promise<PageAnswer | OneAnswer>
  /** How many of the sources used so far succeeded at the last attempt, and how many failed. */
  health(): { readonly ready: number; readonly unavailable: number }
  /** Tries a connection to every source with a fixed place; returns for each what it failed with, or null. */
  probe(): Promise<readonly { readonly source: string; readonly problem: unknown }[]>
  close(): Promise<void>
}

interface OpenSource {
  readonly config: SourceConfig
  readonly pool: Pool
}

/** The sources of a configuration. Each is connected to only when it is used. */
export function createSources({ sources }: GatewayConfig, nowMs: () => number): Sources {
  const configured = new Map(sources.map((config) => [keyOf(config.kind, config.name ?? ''), config]))
  const opened = new Map<string, OpenSource>()

  const open = (key: string, config: SourceConfig, settings: ConnectionSettings): OpenSource => {
    const source = opened.get(key) ?? openSource(config, settings, nowMs)
    opened.set(key, source)
    return source
  }

  const openFixed = (key: string, config: SourceConfig | undefined): OpenSource | null => {
    const settings = config === undefined ? null : fixedSettings(config)
    return config === undefined || settings === null ? null : open(key, config, settings)
  }

  const find = ({ kind, tenant }: CheckedRequest['source']): OpenSource => {
    const key = keyOf(kind, hasOwnDatabases(kind) ? tenant : '')
    const source = openFixed(key, configured.get(key))
    if (source !== null) return source
    // Either the kind has one database, whose source has no name, or the configuration names a folder of databases.
    const folder = configured.get(keyOf(kind, ''))
    const file = folder === undefined ? null : fileOf(folder, tenant)
    if (file === null || folder === undefined) {
      throw new GatewayError('unknown_source', 'No source of this kind and name is configured')
    }
    return open(key, folder, { driver: 'sqlite', file, session: sessionOf(folder) })
  }

  return {
    read: async (request) => readFrom(find(request.source), request),
    health() {
      const states = [...opened.values()].map(({ pool }) => pool.isReady())
      return {
        ready: states.filter((state) => state === true).length,
        unavailable: states.filter((state) => state === false).length,
      }
    },
    probe() {
      return Promise.all(
        [...configured].flatMap(([key, config]) => {
          const source = openFixed(key, config)
          if (source === null) return []
          const named = config.name === null ? config.kind : `${config.kind} ${config.name}`
          return [probeOf(source).then((problem) => ({ source: named, problem }))]
        }),
      )
    },
    async close() {
      await Promise.all([...opened.values()].map(({ pool }) => pool.close()))
    },
  }
}

function openSource(config: SourceConfig, settings: ConnectionSettings, nowMs: () => number): OpenSource {
  const { kind, connections } = config
  const pool = createPool({
    open: (signal) => openConnection(settings, signal),
    size: connections,
    // Where several tenants share a database, one tenant may use all connections but one.
    tenantMax: hasOwnDatabases(kind) ? connections : Math.max(1, connections - 1),
    waitersMax: WAITERS_MAX,
    idleMs: IDLE_MS,
    pauseMs: PAUSE_MS,
    nowMs,
  })
  return { config, pool }
}

function readFrom({ config, pool }: OpenSource, request: CheckedRequest): Promise<PageAnswer | OneAnswer> {
  const { kind, dialect, rowsMax, listRowsMax, deadlineMs } = config
  const { tenant } = request.source
  if (request.kind === 'page' && request.parameters.limit > rowsMax)
    throw new GatewayError('invalid_parameter', `limit is above the row limit of ${rowsMax}`)
  return withinDeadline(deadlineMs, (signal) =>
    pool.use<PageAnswer | OneAnswer>(tenant, signal, (connection) => {
      const scope = { source: MAPPINGS[kind], dialect: DIALECTS[dialect], tenant }
      const run = connection.query.bind(connection)
      const context = { scope, settings: config, listRowsMax, run }
      return request.kind === 'page'
        ? readPage(context, request.collection, request.parameters)
        : readOne(context, request.collection, request.parameters.id)
    }),
  )
}

/** Tries to connect to a source. Returns what it failed with; null: nothing. */
function probeOf({ config, pool }: OpenSource): Promise<unknown> {
  return withinDeadline(config.deadlineMs, (signal) =>
    pool.use('', signal, () => Promise.resolve(null)),
  ).catch((error: unknown) => error)
}

async function withinDeadline<Value>(
  deadlineMs: number,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const controller = new AbortController()
  const timer = setTimeout(() => {
    controller.abort(deadlineExceeded())
  }, deadlineMs)
  try {
    return await work(controller.signal)
  } finally {
    clearTimeout(timer)
  }
}

function keyOf(kind: string, name: string): string {
  return `${kind} ${name}`
}

/** How to connect to a source with a fixed place; null for a folder of databases. */
function fixedSettings(config: SourceConfig): ConnectionSettings | null {
  const { place } = config
  const session = sessionOf(config)
  if (place.driver === 'odbc') return { ...place, session }
  return 'file' in place ? { ...place, session } : null
}

function sessionOf({ dialect, deadlineMs }: SourceConfig): readonly string[] {
  return DIALECTS[dialect].session(deadlineMs)
}

/** The database file of this name in a folder; null when the folder has no file with exactly this spelling. */
function fileOf({ place }: SourceConfig, name: string): string | null {
  if (!('directory' in place) || !SOURCE_NAME.test(name)) return null
  const fileName = `${name}.sqlite`
  return namesIn(place.directory).includes(fileName) ? join(place.directory, fileName) : null
}

/**
 * The names of the files in a folder; none when there is no such folder. Throws a `DatabaseError` when it cannot tell.
 */
function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch (cause) {
    const code = String(membersOf(cause).code)
    if (code === 'ENOENT') return []
    throw new DatabaseError(code, 'The folder of the databases cannot be read', { cause })
  }
}
