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

/** An error of a database or its driver. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError'
  /** SQLSTATE where the driver gives one, such as `08001`; else a word of the driver. */
  readonly state: string

  constructor(state: string, message: string) {
    super(message)
    this.state = state
  }

  /** The part of it that may be logged: errors about data (class 22 of SQLSTATE) quote the value. */
  textForLog(): string {
    return this.state.startsWith('22') ? 'An error of data' : this.message.slice(0, 300)
  }
}
