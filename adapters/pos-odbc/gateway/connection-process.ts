import { thrownAt } from '../../../domain/text/terminal.ts'
import type { FromConnection, ToConnection } from './pool.ts'
import { openOdbc, openSqlite, type DriverConnection } from './drivers.ts'
import { DatabaseError } from './errors.ts'

/**
 * A process that holds one database connection. Native drivers block, leak and crash; in a process of their own they
 * can be ended at a deadline, whatever they are doing. Started by `pool.ts`, which sends the settings first.
 */

let connection: DriverConnection | null = null

async function answer(message: ToConnection): Promise<FromConnection> {
  try {
    if (message.kind === 'open') {
      connection =
        message.settings.driver === 'odbc' ? await openOdbc(message.settings) : openSqlite(message.settings)
      return { kind: 'rows', rows: [] }
    }
    if (connection === null) throw new DatabaseError('unopened', 'No connection is open')
    return { kind: 'rows', rows: await connection.query(message.statement) }
  } catch (error) {
    if (error instanceof DatabaseError) return { kind: 'failed', state: error.state, message: error.message }
    if (error instanceof Error) return { kind: 'fault', name: error.name, place: thrownAt(error) }
    return { kind: 'fault', name: typeof error, place: '' }
  }
}

process.on('message', (message: ToConnection) => {
  void answer(message).then((reply) => process.send?.(reply))
})
// Signals are ignored here, because a terminal sends them to the gateway and this process at once. The gateway ends
// this process after its last request.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined)
process.on('disconnect', () => process.exit())
