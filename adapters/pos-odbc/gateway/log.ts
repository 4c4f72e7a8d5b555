import { thrownAt } from '../../../domain/text/thrown-at.ts'
import type { Log } from '../../../ports/platform.ts'

/**
 * A log that writes one JSON object a line. Of an error's cause only the name and the place are logged, because its
 * text may quote a row.
 */
export function createJsonLog(write: (line: string) => void, now: () => string): Log {
  const line = (level: string, event: string, fields: object): void => {
    write(`${JSON.stringify({ time: now(), level, event, ...fields })}\n`)
  }
  return {
    info: (event, fields) => {
      line('info', event, fields)
    },
    error: (event, fields, cause) => {
      line(
        'error',
        event,
        cause instanceof Error ? { ...fields, cause: cause.name, causeAt: thrownAt(cause) } : fields,
      )
    },
  }
}
