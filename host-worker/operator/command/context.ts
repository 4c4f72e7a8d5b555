import type { Choice, Sources } from '../client/choose-service.ts'
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
  /**
   * The service that the command is about. It is chosen, and started where none runs, when this is first called.
   * @param without what may take the place of an operator key; left out: nothing
   */
  service(without?: 'root secret'): Promise<OperatorService>
  /** Where it was said which service that is. */
  readonly sources: Sources
  /** Opens a service that was chosen otherwise. */
  open(choice: Choice): Promise<OperatorService>
  /** The file of the user's login. */
  readonly loginPath: string
  /** Asks the person at the terminal for a key, or reads it from standard input. */
  askKey(question: string): Promise<string>
}
