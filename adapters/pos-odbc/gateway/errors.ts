import type { ErrorCode } from '../protocol.ts'

/** A refusal or failure with a code that the caller is told. Its message never carries a value of a row or request. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError'
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** What a database or its driver said. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError'
  /** SQLSTATE where the driver gives one, such as `08001`; else a word of the driver. */
  readonly state: string

  constructor(state: string, message: string) {
    super(message)
    this.state = state
  }

  /** What a log may carry of it: errors of data (class 22 of SQLSTATE) quote the value that they are about. */
  textForLog(): string {
    return this.state.startsWith('22') ? 'An error of data' : this.message.slice(0, 300)
  }
}
