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

/** What is sent with a call of an operation, as its record declares it. */
export interface CallOf<Operation extends OperationEndpoint> {
  /** The parameters of its path. */
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Partial<Record<QueryNames<Operation>, string | number>>>
  readonly body?: BodyOf<Operation>
}

/** What an operation answers when all went well: a status, and the body that its record declares for it. */
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
  /** Its address, as messages name it. */
  readonly url: string
  /** The directory of its state, when it is the local service; null: its state is elsewhere. */
  readonly stateDirectory: string | null
  /**
   * Calls an operation of the interface. Throws a `Refusal` when the service refuses, and another `CommandError` when it
   * cannot be reached or does not answer as this service does.
   */
  call<Operation extends OperationEndpoint>(
    operation: Operation,
    call?: CallOf<Operation>,
  ): Promise<AnswerTo<Operation>>
  /**
   * Sends a request as it is, for bodies that are no JSON and answers that are more than good or bad. Throws as `call`
   * does, except that an answer about the request itself is returned, whatever its status.
   */
  send(
    method: string,
    path: string,
    init?: Readonly<Pick<OperatorRequest, 'headers' | 'body'>>,
  ): Promise<Response>
}
