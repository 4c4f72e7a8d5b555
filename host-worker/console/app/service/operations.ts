import type * as formsCheck from '../../../../domain/operators/endpoints/forms/forms-check.ts'
import type * as organizationForms from '../../../../domain/operators/endpoints/forms/organization-forms.ts'
import type * as submissions from '../../../../domain/operators/endpoints/forms/submissions.ts'
import type * as importKinds from '../../../../domain/operators/endpoints/imports/import-kinds.ts'
import type * as imports from '../../../../domain/operators/endpoints/imports/imports.ts'
import type * as keys from '../../../../domain/operators/endpoints/keys/keys.ts'
import type * as operatorKeys from '../../../../domain/operators/endpoints/keys/operator-keys.ts'
import type * as secrets from '../../../../domain/operators/endpoints/keys/secrets.ts'
import type * as backups from '../../../../domain/operators/endpoints/organization/backups.ts'
import type * as exports from '../../../../domain/operators/endpoints/organization/exports.ts'
import type * as moves from '../../../../domain/operators/endpoints/organization/moves.ts'
import type * as organizations from '../../../../domain/operators/endpoints/organization/organizations.ts'
import type * as removals from '../../../../domain/operators/endpoints/organization/removals.ts'
import type * as restores from '../../../../domain/operators/endpoints/organization/restores.ts'
import type * as audit from '../../../../domain/operators/endpoints/service/audit.ts'
import type * as contract from '../../../../domain/operators/endpoints/service/contract.ts'
import type * as health from '../../../../domain/operators/endpoints/service/health.ts'
import type * as outbox from '../../../../domain/operators/endpoints/service/outbox.ts'
import type * as sends from '../../../../domain/operators/endpoints/service/sends.ts'
import type { AnswerTo, CallOf as InputsOf } from '../../../../domain/record/operation/operation-call.ts'
import type { EndpointOf, OperationEndpoint } from '../../../../domain/record/operation/operation.ts'
import type { operations } from '../../../../domain/tenant-api.ts'

/** The modules that declare the operations of the operator interface. */
type Modules =
  | typeof audit
  | typeof backups
  | typeof contract
  | typeof exports
  | typeof formsCheck
  | typeof health
  | typeof importKinds
  | typeof imports
  | typeof keys
  | typeof moves
  | typeof operatorKeys
  | typeof organizationForms
  | typeof organizations
  | typeof outbox
  | typeof removals
  | typeof restores
  | typeof secrets
  | typeof sends
  | typeof submissions

/** What of the exports of a module is an operation. */
type DeclaredIn<Module> = Module extends unknown ? Extract<Module[keyof Module], OperationEndpoint> : never

type Operation = DeclaredIn<Modules> | EndpointOf<(typeof operations)[number]>

/** The id of an operation of the operator interface, or of the public one when it is more than a read of rows. */
export type OperationId = Operation['id']

type Named<Id extends OperationId> = Extract<Operation, { readonly id: Id }>

/** The inputs of an operation: `params` of its path, `query` and `body`, as its declaration has them. */
export type CallOf<Id extends OperationId> = InputsOf<Named<Id>> & Replacing

/** What a change is based on, for an operation that changes something that is read, changed and written back. */
interface Replacing {
  /**
   * The answer that the person has seen: nothing is changed when the service has another state by now. Null: there must
   * be none yet.
   */
  readonly replaces?: object | null
}

/** The body of a successful answer, as the operation's declaration has it. */
export type BodyOf<Id extends OperationId> =
  AnswerTo<Named<Id>> extends { readonly body: infer Body } ? Body : never

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
