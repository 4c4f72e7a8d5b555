import type { OperatorService } from '../client/operator-service.ts'

/** Where a command's output goes. */
export interface Streams {
  /** One line of result: standard output. */
  readonly out: (line: string) => void
  /** One line for the person at the terminal: standard error. */
  readonly note: (line: string) => void
}

/** What a command works with. */
export interface Context extends Streams {
  /** The service that the command is about. It is chosen, and started where none runs, when this is first called. */
  service(): Promise<OperatorService>
}
