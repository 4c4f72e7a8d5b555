import type { OperatorOperation } from '../../../../domain/operator-api.ts'
import type { AnswerTo, CallOf as InputsOf, EndpointOf } from '../../../../domain/record/operation.ts'
import type { operations } from '../../../../domain/tenant-api.ts'

type Operation = OperatorOperation | EndpointOf<(typeof operations)[number]>

/** The id of an operation of the operator interface, or of the public one when it is more than a read of rows. */
export type OperationId = Operation['id']

type Named<Id extends OperationId> = Extract<Operation, { readonly id: Id }>

/** The inputs of an operation: `params` of its path, `query` and `body`, as its declaration has them. */
export type CallOf<Id extends OperationId> = InputsOf<Named<Id>> & {
  /**
   * For a change of something that is read, changed and written back: the answer that the person has seen. Nothing is
   * changed when the service has another state by now. Null: there must be none yet.
   */
  readonly replaces?: object | null
}

/** The body of a successful answer, as the operation's declaration has it. */
export type BodyOf<Id extends OperationId> = AnswerTo<Named<Id>> extends infer Body ? Body : never

/** A page of a list, as both interfaces answer it. */
export interface Page<Item> {
  readonly data: readonly Item[]
  readonly pagination: { readonly nextCursor: string | null }
  /** Families whose databases did not answer, so that their rows are missing. */
  readonly unanswered?: readonly string[]
}

/** The id of an operation that answers with a page. */
export type ListId = { [Id in OperationId]: BodyOf<Id> extends Page<unknown> ? Id : never }[OperationId]

/** An item of the list that an operation answers with. */
export type ItemOf<Id extends OperationId> = BodyOf<Id> extends Page<infer Item> ? Item : never

/** A published row of a collection of the public interface, by field. The contract document says what it has. */
export type Row = Readonly<Record<string, unknown>>
