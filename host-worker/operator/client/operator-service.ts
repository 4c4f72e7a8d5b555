import type * as v from 'valibot'
import type { OperatorOperationId, operatorEndpoints } from '../../../domain/operator-catalog.ts'
import type { Access } from '../../../domain/record/description.ts'
import type {
  Media,
  OperationEndpoint,
  RequestBody,
  ResponseDeclarations,
} from '../../../domain/record/operation.ts'
import type { QueryParameters } from '../../../domain/record/query-parameters.ts'
import type { OperatorRequest } from './send-request.ts'

type OperationOf<Id extends OperatorOperationId> = Extract<(typeof operatorEndpoints)[number], { id: Id }>

/** What is sent with a call of an operation, as its record declares it. */
export interface CallOf<Id extends OperatorOperationId> {
  /** The parameters of its path. */
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Partial<Record<QueryNames<OperationOf<Id>>, string | number>>>
  readonly body?: BodyOf<OperationOf<Id>>
}

/** What an operation answers when all went well: a status, and the body that its record declares for it. */
export type AnswerTo<Id extends OperatorOperationId> = SuccessOf<OperationOf<Id>>

type QueryNames<Operation> =
  Operation extends OperationEndpoint<
    string,
    Access,
    infer Query extends QueryParameters,
    ResponseDeclarations,
    RequestBody | null
  >
    ? keyof Query & string
    : never

type BodyOf<Operation> = Operation extends { readonly body: RequestBody<infer Schema> }
  ? v.InferInput<Schema>
  : never

type SuccessOf<Operation> = Operation extends { readonly responses: infer Responses }
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

/** The operator interface of one service, called with one operator key. */
export interface OperatorService {
  /** Its address, as messages name it. */
  readonly url: string
  /** The directory of its state, when it is the local service; null: its state is elsewhere. */
  readonly stateDirectory: string | null
  /**
   * Calls an operation. Throws a `Refusal` when the service refuses, and a `CommandError` when it cannot be reached or
   * does not answer as this service does.
   */
  call<Id extends OperatorOperationId>(id: Id, call?: CallOf<Id>): Promise<AnswerTo<Id>>
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
