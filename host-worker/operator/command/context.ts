import type { Choice, Sources } from '../client/service/choose-service.ts'
import type { OperatorService } from '../client/service/operator-service.ts'
import type { CommandWords } from '../../../domain/record/command.ts'

/** The terminal to which a command writes its results. */
export interface Terminal {
  /** How many characters a line has; 0: it does not say. */
  readonly width: number
  readonly hasColour: boolean
}

/** The output of a command. */
export interface Streams {
  /** Writes one line of result to standard output. */
  readonly out: (line: string) => void
  /** Writes one line for the person at the terminal to standard error. */
  readonly note: (line: string) => void
  /** The terminal that standard output is; null: it is none. */
  readonly terminal: Terminal | null
}

/** The dependencies of a command. */
export interface Context extends Streams {
  /**
   * The service for the command. The first call chooses it, and starts the local service when it is not running.
   * @param without what may replace an operator key; left out: nothing
   */
  service(without?: 'root secret'): Promise<OperatorService>
  /** The places that specified the service. */
  readonly sources: Sources
  /** Opens a service that the command itself chose. */
  open(choice: Choice): Promise<OperatorService>
  /** The path of the user's login file. */
  readonly loginPath: string
  /** Asks the person at the terminal for a key, or reads it from standard input. */
  askKey(question: string): Promise<string>
  /** Every command of the program. */
  readonly commands: () => Promise<readonly CommandWords[]>
}
