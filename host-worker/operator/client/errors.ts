/** The command was called with wrong arguments. Exit code 2, with the way to its usage. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The command cannot do what it was asked: exit code 1. The message says why and what to do. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError'
}

/** The service refused a call. The message is the service's own sentence. */
export class Refusal extends CommandError {
  override readonly name = 'Refusal'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The service was not reached, or is temporarily not available. The same call may succeed later. */
export class Unavailable extends CommandError {
  override readonly name = 'Unavailable'
}
