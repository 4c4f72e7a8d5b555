import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { GatewayConfig } from './config.ts'
import { openConnection } from './pool.ts'
import { openOdbc, saidByDriver, openSqlite } from './drivers.ts'
import { DatabaseError, createJsonLog } from './errors.ts'
import type { CheckedRequest } from './request.ts'
import { createSources } from './sources.ts'
import { scratchFolder } from '../../../test/support/scratch/scratch-folder.ts'

const folder = scratchFolder()

const file = join(folder, 'north.sqlite')
new DatabaseSync(file).close()
const settings = { driver: 'sqlite', file, session: [] } as const

const rejectionOf = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  )

test('what SQLite says is an error of the database, with what was thrown as its cause', async () => {
  const error = await rejectionOf(
    openSqlite(settings).query({ sql: 'select * from missing', parameters: [] }),
  )
  expect(error).toMatchObject({ name: 'DatabaseError', state: 'ERR_SQLITE_ERROR' })
  expect((error as Error).cause).toMatchObject({ code: 'ERR_SQLITE_ERROR' })
  expect(() => openSqlite({ ...settings, file: join(folder, 'missing', 'x') })).toThrow(DatabaseError)
})

test('a number that is too large is an error of data, whose text is not logged', async () => {
  const error = await rejectionOf(
    openSqlite(settings).query({ sql: 'select 9007199254740993 as x', parameters: [] }),
  )
  if (!(error instanceof DatabaseError)) throw error
  expect([error.state, error.textForLog()]).toEqual(['22003', 'An error of data'])
})

test('what an ODBC driver says is an error of the database; nothing else is', () => {
  const odbcErrors = [{ state: '08001', code: 1, message: 'no server' }]
  const thrown = Object.assign(new Error('[odbc] Error'), { odbcErrors })
  const said = saidByDriver(thrown)
  expect([said?.state, said?.message, said?.cause]).toEqual(['08001', 'no server', thrown])
  const silent = saidByDriver(Object.assign(new Error('[odbc] Error'), { odbcErrors: [] }))
  expect([silent?.state, silent?.message]).toEqual(['unknown', '[odbc] Error'])
  expect(saidByDriver(new TypeError('ours'))).toBeNull()
})

test('a package of drivers that cannot be loaded, or that knows no such source, is an error of the database', async () => {
  const connectionString = 'DSN=no-such-source'
  const error = await rejectionOf(openOdbc({ driver: 'odbc', connectionString, session: [] }))
  if (!(error instanceof DatabaseError)) throw error
  // Which of the two errors it is depends on what is installed here. The log shows the text of either.
  expect(error.textForLog()).toMatch(/odbc/i)
})

test('a mistake of this program in the process of a connection is logged by name and place alone', async () => {
  const connection = await openConnection(settings, AbortSignal.timeout(60_000))
  try {
    expect(await connection.query({ sql: 'select 1 as x', parameters: [] })).toEqual([{ x: 1 }])
    const said = await rejectionOf(connection.query({ sql: 'select * from missing', parameters: [] }))
    expect(said).toMatchObject({ name: 'DatabaseError', message: 'no such table: missing' })
    // A query whose text is not a string makes the driver throw a `TypeError`.
    const fault = await rejectionOf(connection.query({ sql: 7 as unknown as string, parameters: [] }))
    const lines: string[] = []
    createJsonLog(
      (line) => lines.push(line),
      () => 'now',
    ).error('request_failed', {}, fault)
    const [line = ''] = lines
    expect(JSON.parse(line)).toEqual({
      time: 'now',
      level: 'error',
      event: 'request_failed',
      cause: 'TypeError',
      causeAt: expect.stringContaining('gateway/drivers.ts') as string,
    })
  } finally {
    await connection.end()
  }
})

test('a folder that is gone has no sources; one that cannot be read is an unreachable database', async () => {
  const directory = join(folder, 'second')
  const sources = createSources(configOf(directory), () => 0)
  const request: CheckedRequest = {
    source: { kind: 'odbc_second', tenant: 'north' },
    kind: 'one',
    collection: 'pos-transactions',
    parameters: { id: 't1' },
  }
  expect(await rejectionOf(sources.read(request))).toMatchObject({ code: 'unknown_source' })
  writeFileSync(directory, 'no folder')
  expect(await rejectionOf(sources.read(request))).toMatchObject({
    name: 'DatabaseError',
    state: 'ENOTDIR',
    message: 'The folder of the databases cannot be read',
    cause: { code: 'ENOTDIR' },
  })
  await sources.close()
})

function configOf(directory: string): GatewayConfig {
  const limits = { connections: 1, deadlineMs: 60_000, rowsMax: 500, listRowsMax: 500 }
  const place = { driver: 'sqlite', directory } as const
  const common = {
    kind: 'odbc_second',
    name: null,
    dialect: 'sqlite',
    timeZone: 'UTC',
    currency: 'USD',
  } as const
  return { listen: { host: '', port: 0 }, secrets: [], sources: [{ ...common, ...limits, place }] }
}
