import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DIALECTS } from '../../../adapters/pos-odbc/gateway/statements.ts'
import { openOdbc } from '../../../adapters/pos-odbc/gateway/drivers.ts'
import { TABLES } from '../../../adapters/pos-odbc/gateway/tables.ts'
import {
  openEmbeddedSource,
  writeStatements,
  type WritableRows,
} from '../../../adapters/pos-odbc/gateway/write.ts'
import type { NeutralRow } from '../../../adapters/pos-odbc/protocol.ts'
import type { OdbcTie, SourceKind } from '../../../adapters/pos-odbc/index.ts'
import { projectRoot } from '../../../host-worker/local/project.ts'
import type { PosSource } from '../../../ports/sources.ts'
import { openDirectly } from './pos-direct.ts'
import { scratchFolder } from '../scratch/scratch-folder.ts'

/** The tenants that every engine has. */
const TENANTS = ['north', 'south'] as const
export type PosTenant = (typeof TENANTS)[number]

/** Databases of a kind of source, made for one test file. */
export interface PosEngine {
  readonly name: string
  /** The databases in the form of the gateway's configuration; `changes` are additional keys. */
  sources(changes?: Readonly<Record<string, unknown>>): readonly unknown[]
  /** The tie of a tenant. Every tenant in the type exists. */
  tie(tenant: PosTenant): OdbcTie
  write(tenant: PosTenant, rows: WritableRows, values: readonly NeutralRow[]): Promise<void>
  /** Runs a test's own SQL on a tenant's database. */
  execute(tenant: PosTenant, text: string): void
  /** Deletes every row. */
  clear(): void
  /** Opens a tenant's source without HTTP and processes; null when only a gateway can reach the database. */
  direct: ((tenant: PosTenant) => PosSource) | null
}

const common = { currency: 'USD' }
const zoned = { ...common, timeZone: 'America/Chicago' }

/** The shared source in one embedded database. */
function embeddedShared(): PosEngine {
  const file = join(scratchFolder(), 'shared.sqlite')
  const write = embeddedWriter('odbc_shared', () => file)
  return {
    name: 'odbc_shared on node:sqlite',
    sources: (changes) => [{ kind: 'odbc_shared', driver: 'sqlite', file, ...common, ...changes }],
    tie: (tenant) => ({ kind: 'odbc_shared', tenant }),
    write,
    execute: (_tenant, text) => {
      executeSqlite(file, text)
    },
    clear: () => {
      executeSqlite(file, emptied('odbc_shared'))
    },
    direct: (tenant) => openDirectly({ kind: 'odbc_shared', tenant }, file, { ...common, timeZone: 'UTC' }),
  }
}

/**
 * Writes to the databases of all tenants. They stay open, because closing one each time would merge its log into it.
 */
function embeddedWriter(kind: SourceKind, fileOf: (tenant: PosTenant) => string): PosEngine['write'] {
  const names = new Set(TENANTS.map(fileOf))
  const files = new Map([...names].map((file) => [file, openEmbeddedSource(kind, file)]))
  return async (tenant, rows, values) => {
    files.get(fileOf(tenant))?.write(tenant, rows, values)
  }
}

/**
 * Runs SQL in one transaction, without waiting for the disk, because no data outlives the test. A gateway may be opening
 * or closing the same file, so a lock is waited for.
 */
function executeSqlite(file: string, text: string): void {
  const database = new DatabaseSync(file, { timeout: 5_000 })
  database.exec(`pragma synchronous = off; begin; ${text}; commit`)
  database.close()
}

function emptied(kind: SourceKind): string {
  return Object.keys(TABLES[kind])
    .map((table) => `delete from ${table};`)
    .join('')
}

/** The second kind of source, an embedded database for each tenant in a folder. */
function embeddedSecond(): PosEngine {
  const directory = scratchFolder()
  return {
    name: 'odbc_second on node:sqlite',
    ...secondIn(directory),
    sources: (changes) => [{ kind: 'odbc_second', driver: 'sqlite', directory, ...zoned, ...changes }],
    direct: (tenant) => openDirectly({ kind: 'odbc_second', tenant }, fileIn(directory, tenant), zoned),
  }
}

function fileIn(directory: string, tenant: PosTenant): string {
  return join(directory, `${tenant}.sqlite`)
}

function secondIn(directory: string): Pick<PosEngine, 'tie' | 'write' | 'execute' | 'clear'> {
  const fileOf = (tenant: PosTenant) => fileIn(directory, tenant)
  return {
    tie: (tenant) => ({ kind: 'odbc_second', tenant }),
    write: embeddedWriter('odbc_second', fileOf),
    execute: (tenant, text) => {
      executeSqlite(fileOf(tenant), text)
    },
    clear: () => {
      for (const tenant of TENANTS) executeSqlite(fileOf(tenant), emptied('odbc_second'))
    },
  }
}

/** The second kind of source through unixODBC and the SQLite driver, a data source for each tenant. */
function odbcSecond(): PosEngine {
  const directory = scratchFolder()
  return {
    name: 'odbc_second on SQLite ODBC',
    ...secondIn(directory),
    direct: null,
    sources: (changes) =>
      TENANTS.map((name) => ({
        kind: 'odbc_second',
        name,
        driver: 'odbc',
        dialect: 'sqlite',
        connection: `Driver=SQLite3;Database=${join(directory, `${name}.sqlite`)}`,
        ...zoned,
        ...changes,
      })),
  }
}

/** The PostgreSQL server that test/ci/odbc/odbc.sh has started, with its superuser. */
export const postgres = {
  port: Number(process.env.ODBC_POSTGRES_PORT ?? 0),
  connection(database: string): string {
    return `Driver=PostgreSQL Unicode;Server=127.0.0.1;Port=${this.port};Database=${database};UID=postgres`
  },
  /** Runs SQL through psql and returns its output. */
  run(database: string, text: string): string {
    const args = ['-h', '127.0.0.1', '-p', String(this.port), '-U', 'postgres', '-d', database]
    return execFileSync('psql', [...args, '-v', 'ON_ERROR_STOP=1', '-qAtX'], {
      input: text,
      encoding: 'utf8',
    })
  },
}

/** Creates a database with the schema of the shared source, and returns its name. */
export function createPostgresDatabase(): string {
  const name = `pos_${randomBytes(6).toString('hex')}`
  // The database's default collation differs from byte order, which must not matter.
  postgres.run('postgres', `create database ${name} template template0 locale 'C.UTF-8'`)
  const schema = readFileSync(
    join(projectRoot, 'adapters/pos-odbc/schema/odbc-shared.postgresql.sql'),
    'utf8',
  )
  postgres.run(name, schema)
  return name
}

/** The shared source through unixODBC and psqlODBC. */
function odbcShared(): PosEngine {
  const name = createPostgresDatabase()
  const connection = postgres.connection(name)
  // One connection for all writes: a driver closes a connection only when it is garbage-collected, and PostgreSQL
  // allows a hundred.
  let opened: ReturnType<typeof openOdbc> | null = null
  const open = () => (opened ??= openOdbc({ driver: 'odbc', connectionString: connection, session: [] }))
  return {
    name: 'odbc_shared on psqlODBC',
    sources: (changes) => [
      { kind: 'odbc_shared', driver: 'odbc', dialect: 'postgresql', connection, ...common, ...changes },
    ],
    tie: (tenant) => ({ kind: 'odbc_shared', tenant }),
    async write(tenant, rows, values) {
      const scope = { kind: 'odbc_shared', dialect: DIALECTS.postgresql, tenant } as const
      const statements = values.flatMap((row) => writeStatements(scope, rows, row))
      const database = await open()
      const begin = { sql: 'begin', parameters: [] }
      const commit = { sql: 'commit', parameters: [] }
      for (const statement of [begin, ...statements, commit]) await database.query(statement)
    },
    execute: (_tenant, text) => {
      postgres.run(name, text)
    },
    direct: null,
    clear: () => {
      postgres.run(name, emptied('odbc_shared'))
    },
  }
}

/** Whether real ODBC drivers are available, which test/ci/odbc/odbc.sh sets. */
export const hasOdbc = process.env.ODBC_TESTS === 'yes'

/** An engine of each kind: embedded ones, or ODBC if there are drivers. */
export function posEngines(): readonly PosEngine[] {
  return hasOdbc ? [odbcShared(), odbcSecond()] : [embeddedShared(), embeddedSecond()]
}
