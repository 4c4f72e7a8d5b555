import type { Decisions } from '../engine/decisions.ts'
import type { Answer, ClientRequest, Network } from '../service/network.ts'
import type { StoredPlaces } from '../service/stored-places.ts'
import type { AskedChange, KnownKey, Reference } from '../reference.ts'

/** What a client of the simulated service has. */
export interface Client {
  readonly name: string
  /** What it does, as far as that is left to chance. */
  readonly decide: Decisions
  readonly reference: Reference
  readonly operatorKey: string
  /** For checks of what an answer said; a client learns nothing from it. */
  readonly stored: StoredPlaces
  /** Sends a request. An answer that no client may ever get is reported. */
  send(request: ClientRequest): Promise<Answer | null>
  /** Sends an operator's request for a change, and remembers it when an answer says that it was made. */
  change(change: AskedChange, request: Omit<ClientRequest, 'key'>): Promise<Answer | null>
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
export type ClientParts = Omit<Client, 'name' | 'send' | 'change' | 'rest'> & {
  /** The longest that a client rests, in ms. */
  readonly restMaxMs: number
  readonly network: Network
  readonly isCalm: boolean
}

export function createClient(
  name: string,
  { network, isCalm, restMaxMs, decide: all, ...parts }: ClientParts,
): Client {
  const decide = all.of(name)
  const send = async (request: ClientRequest): Promise<Answer | null> => {
    const answer = await network.send(name, request)
    const isFailure = answer === null || answer.status >= 500
    if (isCalm && isFailure)
      parts.violated(
        'nothing fails while nothing is broken',
        `${request.path}: ${answer?.status ?? 'no answer'}`,
      )
    return answer
  }
  return {
    ...parts,
    name,
    decide,
    send,
    async change(change, request) {
      const answer = await send({ ...request, key: parts.operatorKey })
      if (answer !== null && answer.status < 300) parts.reference.changes.push(change)
      return answer
    },
    rest: () => parts.pause(decide.delayMs('rests', restMaxMs)),
  }
}

/** The JSON of an answer, which is trusted to be as documented: other tests compare answers with the document. */
export function bodyOf(answer: Answer): unknown {
  return JSON.parse(answer.text)
}
