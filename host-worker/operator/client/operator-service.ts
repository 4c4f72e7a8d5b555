import type * as v from 'valibot'
import type { Access } from '../../../domain/record/description.ts'
import type {
  Media,
  OperationEndpoint,
  RequestBody,
  ResponseDeclarations,
} from '../../../domain/record/operation.ts'
import type { QueryParameters } from '../../../domain/record/query-parameters.ts'
import type { OperatorRequest } from './send-request.ts'

/** The inputs of a call of an operation, as its record declares them. */
export interface CallOf<Operation extends OperationEndpoint> {
  /** The parameters in the operation's path. */
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Partial<Record<QueryNames<Operation>, string | number>>>
  readonly body?: BodyOf<Operation>
}

/** The successful response of an operation: a status, and the body that its record declares for it. */
export type AnswerTo<Operation extends OperationEndpoint> =
  Operation extends OperationEndpoint<
    string,
    Access,
    QueryParameters,
    infer Responses extends ResponseDeclarations
  >
    ? {
        readonly [Status in keyof Responses & Success]: {
          readonly status: Status
          readonly body: Responses[Status] extends {
            readonly content: { readonly 'application/json': Media<infer Schema> }
          }
            ? v.InferOutput<Schema>
            : null
        }
      }[keyof Responses & Success]
    : never

type Success = 200 | 201 | 202 | 204

type QueryNames<Operation> =
  Operation extends OperationEndpoint<string, Access, infer Query extends QueryParameters>
    ? keyof Query & string
    : never

type BodyOf<Operation> = Operation extends { readonly body: RequestBody<infer Schema> }
  ? v.InferInput<Schema>
  : never

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
