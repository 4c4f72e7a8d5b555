import type { Decisions } from '../engine/decisions.ts'
import type { Answer, ClientRequest, Network } from '../service/processes/network.ts'
import type { StoredPlaces } from '../service/stored-places.ts'
import type { Versions } from '../invariants/versions.ts'
import type { EventKind } from '../engine/coverage.ts'
import type { AskedChange, KnownKey, Reference } from '../reference.ts'

/** The dependencies of a client of the simulated service. */
export interface Client {
  readonly name: string
  /** Makes the client's random decisions. */
  readonly decide: Decisions
  readonly reference: Reference
  readonly operatorKey: string
  /** What is stored. Only for checks of answers: the client's behaviour does not depend on it. */
  readonly stored: StoredPlaces
  readonly versions: Versions
  readonly nowMs: () => number
  /** Notes that a kind of event happened, to show that runs come across it. */
  readonly happened: (kind: EventKind) => void
  /** Whether objects of families may lose what they have counted. */
  readonly objectsForget: boolean
  /** Sends a request. An answer that no client may ever get is reported as a violation. */
  send(request: ClientRequest): Promise<Answer | null>
  /** Returns a way to send requests that all go to the same isolate. */
  toOneIsolate(): (request: ClientRequest) => Promise<Answer | null>
  /** Sends an operator's request for a change, and records the change when the answer says that it was made. */
  change(change: AskedChange, request: Omit<ClientRequest, 'key'>): Promise<Answer | null>
  /** Waits a while before the next action. */
  rest(): Promise<void>
  pause(delayMs: number): Promise<void>
  /** Whether clients should begin nothing new. */
  isOver(): boolean
  /** Whether a key must be refused by now. */
  hasEnded(key: KnownKey): boolean
  readonly violated: (invariant: string, details: string) => void
}

/** The parts of the simulated world from which clients are made. */
export type ClientParts = Omit<Client, 'name' | 'send' | 'toOneIsolate' | 'change' | 'rest'> & {
  /** The longest pause of a client, in ms. */
  readonly restMaxMs: number
  readonly network: Network
  readonly isCalm: boolean
}

/** The least pause, in ms, so that a client who finds nothing to do leaves time to the others. */
const REST_MIN_MS = 10

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
    toOneIsolate() {
      const one = network.toOne(name)
      return (request) => one.send(name, request)
    },
    async change(change, request) {
      const answer = await send({ ...request, key: parts.operatorKey })
      if (answer !== null && answer.status < 300) parts.reference.changes.push(change)
      return answer
    },
    rest: () => parts.pause(REST_MIN_MS + decide.delayMs('rests', restMaxMs)),
  }
}

/** The JSON of an answer. It is not checked here, because other tests compare answers with the contract document. */
export function bodyOf(answer: Answer): unknown {
  return JSON.parse(answer.text)
}
