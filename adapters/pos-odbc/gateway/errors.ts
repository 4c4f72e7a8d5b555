import { thrownAt } from '../../../domain/text/terminal.ts'
import type { Log } from '../../../ports/platform.ts'
import type { ErrorCode } from '../protocol.ts'

/** A refusal or failure with a code for the caller. Its message never contains a value of a row or request. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError'
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** An error of a database or its driver, which is its cause where it was thrown. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError'
  /** SQLSTATE where the driver gives one, such as `08001`; else a word of the driver. */
  readonly state: string

  constructor(state: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.state = state
  }

  /** The part of it that may be logged: errors about data (class 22 of SQLSTATE) quote the value. */
  textForLog(): string {
    return this.state.startsWith('22') ? 'An error of data' : this.message.slice(0, 300)
  }
}

/**
 * A mistake of this program in a process that holds a connection. It has the mistake's name and place; the message
 * stays in that process, because it may quote a row.
 */
export class ConnectionFault extends Error {
  constructor(name: string, place: string) {
    super()
    this.name = name
    this.stack = `${name}\n    at ${place}`
  }
}

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
