import type { OpenDatabase } from '../../host-worker/operator/database.ts'
import { openLocalDatabase, openRemoteDatabase } from '../../host-worker/operator/database.ts'
import { runOperator } from '../../host-worker/operator/run-operator.ts'

/** The result of a command. */
export interface Operated {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** The operator's commands, run in this process. */
export interface TestOperator {
  readonly run: (...args: readonly string[]) => Promise<Operated>
  /** The databases of the local state, which stay open from one command to the next. */
  readonly database: () => Promise<OpenDatabase>
  readonly close: () => Promise<void>
}

/**
 * An operator whose commands share one open database, because opening one takes longer than all other work of a
 * command.
 */
export function openTestOperator(stateDirectory: string): TestOperator {
  let opened: Promise<OpenDatabase> | null = null
  const database = () => (opened ??= openLocalDatabase(stateDirectory))
  const local = async () => ({ ...(await database()), close: async () => undefined })
  return {
    database,
    async run(...args) {
      let stdout = ''
      let stderr = ''
      const streams = {
        out: (line: string) => (stdout += `${line}\n`),
        note: (line: string) => (stderr += `${line}\n`),
      }
      const code = await runOperator(args, streams, { local, remote: openRemoteDatabase })
      return { code, stdout, stderr }
    },
    close: async () => {
      await (await opened)?.close()
    },
  }
}
