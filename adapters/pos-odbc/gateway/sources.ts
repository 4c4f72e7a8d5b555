import { countWithinPage } from '../../../domain/read/page.ts'
import { isStorableText, compareBytes } from '../../../domain/text/typed-text.ts'
import type { Statement } from '../../sql/statement.ts'
import {
  COLLECTIONS,
  orderMayBeNull,
  type CollectionName,
  type NeutralRow,
  type OneAnswer,
  type PageAnswer,
  type PageParameters,
  type SourcePosition,
} from '../protocol.ts'
import { Unreadable, type SourceSettings, type Codec } from './codec.ts'
import { GatewayError, DatabaseError } from './errors.ts'
import { listsOf, type ChildMapping, type TableMapping, MAPPINGS, hasOwnDatabases } from './mappings.ts'
import { childrenStatement, oneStatement, pageStatement, type Scope, DIALECTS } from './statements.ts'
import type { RecordedRow } from './tables.ts'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { SOURCE_NAME } from '../../../domain/pos/index.ts'
import { membersOf } from '../../../domain/text/encoding.ts'
import type { SourceConfig, GatewayConfig } from './config.ts'
import { openConnection, createPool, deadlineExceeded, type Pool } from './pool.ts'
import type { ConnectionSettings } from './drivers.ts'
import type { CheckedRequest } from './request.ts'

const WAITERS_MAX = 200
/** More than a driver may take to log in (`drivers.ts`). */
const OPEN_MS = 15_000
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
    openMs: OPEN_MS,
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

/** Runs one statement. Rejects with a `DatabaseError` or a `GatewayError`. */
type RunStatement = (statement: Statement) => Promise<readonly RecordedRow[]>

/** The source that is read, and how. */
export interface ReadContext {
  readonly scope: Scope
  readonly settings: SourceSettings
  /** The maximum number of rows that the statement for a page's lists may return. */
  readonly listRowsMax: number
  readonly run: RunStatement
}

/**
 * A page of a collection, newest first, with rows that have no time last. One more row than asked for is read, to learn
 * whether another page follows. The page ends early when its rows would be too large for a Worker.
 */
export async function readPage(
  context: ReadContext,
  name: CollectionName,
  parameters: PageParameters,
): Promise<PageAnswer> {
  const { filters, after, limit } = parameters
  if (holdsUnstorableText([...Object.values(filters), context.scope.tenant])) return { rows: [], next: null }
  const asked = { ...parameters, limit: limit + 1 }
  const found: RecordedRow[] = []
  if (after?.value !== null) {
    found.push(...(await context.run(pageStatement(context.scope, name, 'valued', asked))))
  }
  if (orderMayBeNull(COLLECTIONS[name]) && found.length <= limit) {
    const rest = { ...asked, limit: asked.limit - found.length }
    found.push(...(await context.run(pageStatement(context.scope, name, 'without_value', rest))))
  }
  const whole = await neutralRows(context, name, found.slice(0, limit))
  const rows = whole.slice(0, countWithinPage(whole.map((row) => JSON.stringify(row))))
  const last = rows.at(-1)
  return { rows, next: found.length > rows.length && last !== undefined ? positionOf(name, last) : null }
}

/** The row of this id; null when there is none. */
export async function readOne(context: ReadContext, name: CollectionName, id: string): Promise<OneAnswer> {
  if (holdsUnstorableText([id, context.scope.tenant])) return { row: null }
  const found = await context.run(oneStatement(context.scope, name, id))
  const [row = null] = await neutralRows(context, name, found.slice(0, 1))
  return { row }
}

/**
 * Whether one of the texts cannot be stored by any database. ODBC ends a text at a NUL and replaces half a surrogate
 * pair, so such a filter would find the rows of another value.
 */
function holdsUnstorableText(values: readonly (string | boolean)[]): boolean {
  return values.some((value) => typeof value === 'string' && !isStorableText(value))
}

function positionOf(name: CollectionName, row: NeutralRow): SourcePosition {
  const { field, idField } = COLLECTIONS[name].order
  const value = row[field]
  return { value: typeof value === 'string' ? value : null, id: String(row[idField]) }
}

async function neutralRows(
  context: ReadContext,
  name: CollectionName,
  recorded: readonly RecordedRow[],
): Promise<readonly NeutralRow[]> {
  const mapping = context.scope.source.collections[name]
  const rows = recorded.map((row) => neutralRow(mapping, row, context.settings))
  const ids = rows.map((row) => String(row[COLLECTIONS[name].order.idField]))
  const lists: [string, ReadonlyMap<string, readonly unknown[]>][] = []
  for (const [field, child] of listsOf(mapping)) {
    lists.push([field, await childrenOf(context, child, ids)])
  }
  return rows.map((row, index) => ({
    ...row,
    ...Object.fromEntries(lists.map(([field, byParent]) => [field, byParent.get(ids[index] ?? '') ?? []])),
  }))
}

async function childrenOf(
  { scope, settings, listRowsMax, run }: ReadContext,
  child: ChildMapping,
  parentIds: readonly string[],
): Promise<ReadonlyMap<string, readonly unknown[]>> {
  if (parentIds.length === 0) return new Map()
  const found = await run(childrenStatement(scope, child, parentIds, listRowsMax + 1))
  if (found.length > listRowsMax) {
    throw new GatewayError('too_many_rows', `A page needs more than ${listRowsMax} rows of ${child.table}`)
  }
  return neutralChildren(child, found, settings)
}

/**
 * A recorded row in the neutral form. Throws the `GatewayError` `unreadable_row`, which names the table, the row's id
 * and the column, when a value has no meaning there.
 */
function neutralRow(
  { fields, table }: TableMapping,
  recorded: RecordedRow,
  settings: SourceSettings,
): NeutralRow {
  let index = 0
  const read = ([field, codec]: [string, Codec]) => {
    const values = codec.columns.map((_, offset) => recorded[`c${index + offset}`] ?? null)
    index += codec.columns.length
    return [field, codec.read(values, settings)] as const
  }
  try {
    return Object.fromEntries(Object.entries(fields).map(read))
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    // The first column is the row's id, in every mapping.
    throw new GatewayError('unreadable_row', `${table} ${recorded.c0 ?? ''}: ${error.message} cannot be read`)
  }
}

/** The rows of a child table in the neutral form, in their order, by the id of the row that they belong to. */
export function neutralChildren(
  child: ChildMapping,
  recorded: readonly RecordedRow[],
  settings: SourceSettings,
): ReadonlyMap<string, readonly unknown[]> {
  const byParent = new Map<string, { readonly row: NeutralRow; readonly position: number }[]>()
  for (const each of recorded) {
    const parent = String(each.parent)
    const rows = byParent.get(parent) ?? []
    rows.push({ row: neutralRow(child, each, settings), position: Number(each.position ?? 0) })
    byParent.set(parent, rows)
  }
  const lists = [...byParent].map(([parent, rows]) => {
    rows.sort((left, right) =>
      child.order.kind === 'latest' ? newestFirst(left.row, right.row) : left.position - right.position,
    )
    return [parent, rows.map(({ row }) => (child.valueField === null ? row : row[child.valueField]))] as const
  })
  return new Map(lists)
}

/** By bytes, as the databases sort, which have picked the latest rows. */
function newestFirst(left: NeutralRow, right: NeutralRow): number {
  return (
    compareBytes(String(right.occurredAt), String(left.occurredAt)) ||
    compareBytes(String(right.eventId), String(left.eventId))
  )
}
