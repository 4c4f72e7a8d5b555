import type { Log } from '../../../ports/log.ts'

/** One JSON object a line on standard output. An error's cause is logged by its name alone: its text may quote a row. */
export function createJsonLog(write: (line: string) => void, now: () => string): Log {
  const line = (level: string, event: string, fields: object): void => {
    write(`${JSON.stringify({ time: now(), level, event, ...fields })}\n`)
  }
  return {
    info: (event, fields) => {
      line('info', event, fields)
    },
    error: (event, fields, cause) => {
      line('error', event, cause instanceof Error ? { ...fields, cause: cause.name } : fields)
    },
  }
}
