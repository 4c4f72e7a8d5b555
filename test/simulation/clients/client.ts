import type { Draw } from '../../../host-worker/dev/demo/draw.ts'
import type { Answer, ClientRequest, Network } from '../service/network.ts'
import type { Stored } from '../engine/database.ts'
import type { KnownKey, Reference } from '../reference.ts'

/** What a client of the simulated service has. */
export interface Client {
  readonly name: string
  readonly draw: Draw
  readonly reference: Reference
  readonly operatorKey: string
  /** For checks of what an answer said; a client learns nothing from it. */
  readonly stored: Stored
  /** Sends a request. An answer that no client may ever get is reported. */
  send(request: ClientRequest): Promise<Answer | null>
  /** Waits a while before the next action. */
  rest(): Promise<void>
  pause(delayMs: number): Promise<void>
  /** Whether clients begin nothing new any more. */
  isOver(): boolean
  /** Whether a key must not work any more. */
  hasEnded(key: KnownKey): boolean
  readonly violated: (invariant: string, details: string) => void
}

/** The parts of the world that clients are made of. */
export type ClientParts = Omit<Client, 'name' | 'send'> & {
  readonly network: Network
  readonly isCalm: boolean
}

export function createClient(name: string, { network, isCalm, ...parts }: ClientParts): Client {
  return {
    ...parts,
    name,
    async send(request) {
      const answer = await network.send(name, request)
      const isFailure = answer === null || answer.status >= 500
      if (isCalm && isFailure)
        parts.violated(
          'nothing fails while nothing is broken',
          `${request.path}: ${answer?.status ?? 'no answer'}`,
        )
      return answer
    },
  }
}

/** The JSON of an answer, which is trusted to be as documented: other tests compare answers with the document. */
export function bodyOf(answer: Answer): unknown {
  return JSON.parse(answer.text)
}
