import type * as v from 'valibot'
import type { Access } from './description.ts'
import type { Media, OperationEndpoint, RequestBody, ResponseDeclarations } from './operation.ts'
import type { QueryParameters } from './query-parameters.ts'

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
