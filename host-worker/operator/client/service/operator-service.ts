import type { OperationEndpoint, AnswerTo, CallOf } from '../../../../domain/record/operation.ts'
import type { OperatorRequest } from '../send-request.ts'

export type { AnswerTo, CallOf }

/** The operator interface of one service, called with one operator key. */
export interface OperatorService {
  /** The service's address, for messages. */
  readonly url: string
  /** The state directory of the local service; null: the service is not the local one. */
  readonly stateDirectory: string | null
  /**
   * Calls an operation of the interface. Throws a `Refusal` when the service refuses the call, and another
   * `CommandError` when the service cannot be reached or the response is not from it.
   */
  call<Operation extends OperationEndpoint>(
    operation: Operation,
    call?: CallOf<Operation>,
  ): Promise<AnswerTo<Operation>>
  /**
   * Sends a request with any body and returns the response. Throws as `call` does, except that every response about the
   * request itself is returned, whatever its status.
   */
  send(
    method: string,
    path: string,
    init?: Readonly<Pick<OperatorRequest, 'headers' | 'body'>>,
  ): Promise<Response>
}
