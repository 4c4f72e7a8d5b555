import type { Organization } from '../../ports/organizations.ts'
import { refusalOf, type Capability, errorReply, type Reply, type RoutedRequest } from '../record/reply.ts'
import type { Access, PublicAccess, Scope } from '../record/description.ts'
import {
  operationRecord,
  readQuery,
  type OperationRecord,
  type OperationRequest,
  type RecordDeclaration,
  type ReplyTo,
  type RequestBody,
  type ResponseDeclarations,
  type NoParameters,
  type QueryParameters,
} from '../record/operation.ts'
import { queryOf } from '../text/http.ts'
import {
  authenticate,
  authenticateTenant,
  type Admitted,
  type Caller,
  type KeyWorld,
} from './authenticate.ts'
import type { Operator } from './operator-credentials.ts'

/** The caller that each kind of access admits, as the handler receives it. */
export interface Callers {
  /** No caller is known, because anybody may call. */
  readonly public: null
  readonly tenant: Organization
  readonly tenant_or_platform: Caller
  readonly signed_in: Operator
  readonly support: Operator
  readonly admin: Operator
  readonly admin_or_root_secret: Operator
}

/** The handler of an operation. Its arguments and its possible answers follow from the operation's record. */
export type HandlerFor<Record, World> =
  Record extends OperationRecord<infer Allowed, infer Query, infer Responses>
    ? Handler<Allowed, Query, Responses, World>
    : never

type Handler<
  Allowed extends Access,
  Query extends QueryParameters,
  Responses extends ResponseDeclarations,
  World,
> = (
  request: OperationRequest<Query>,
  world: World,
  caller: Callers[Allowed],
) => Promise<Reply & ReplyTo<Responses>>

/** What serves an endpoint, whoever calls it. */
export interface Served<World> {
  /** Answers a routed request. Rejects only on an internal failure. */
  readonly serve: (routed: RoutedRequest, world: World) => Promise<Reply>
  /**
   * Replies with `verdict`, for example that the method is wrong, to a caller who may call the endpoint; refuses all
   * others.
   */
  readonly judge: (routed: RoutedRequest, world: World, verdict: Reply) => Promise<Reply>
}

/** The record of an operation together with its handler. */
export interface Handled<Record extends OperationRecord, World> extends Served<World> {
  readonly record: Record
}

/** Declares an operation and handles it. A handler with a reply that is not declared does not compile. */
export function handled<
  const Allowed extends PublicAccess,
  Responses extends ResponseDeclarations,
  World,
  Query extends QueryParameters = NoParameters,
  Body extends RequestBody | null = null,
>(
  declaration: RecordDeclaration<Allowed, Query, Responses, Body>,
  handler: Handler<Allowed, Query, Responses, World>,
): Handled<OperationRecord<Allowed, Query, Responses, Body>, World & KeyWorld> {
  const record = operationRecord(declaration)
  return {
    record,
    async serve(routed, world) {
      const admission = await authorize(record, routed, world)
      if ('refusal' in admission) return admission.refusal
      const query = readQuery(record.query, queryOf(routed.url))
      return query.kind === 'refused'
        ? errorReply(400, query.error)
        : handler({ ...routed, query: query.value }, world, admission.caller)
    },
    async judge(routed, world, verdict) {
      const admission = await authorize({ ...record, requires: null }, routed, world)
      return 'refusal' in admission ? admission.refusal : verdict
    },
  }
}

/** The conditions that an endpoint sets for its caller. */
interface Guard<Allowed extends Access = Access> {
  readonly access: Allowed
  readonly scope: Scope | null
  readonly requires: Capability | null
}

/** Admits a caller or refuses them, before anything else of the request is read. */
function authorize<Allowed extends PublicAccess>(
  guard: Guard<Allowed>,
  routed: RoutedRequest,
  world: KeyWorld,
): Promise<Admitted<Callers[Allowed]>> {
  return admissions[guard.access](routed, guard, world)
}

const admissions: {
  readonly [Allowed in PublicAccess]: (
    routed: RoutedRequest,
    guard: Guard,
    world: KeyWorld,
  ) => Promise<Admitted<Callers[Allowed]>>
} = {
  public: async () => ({ caller: null }),
  tenant: async (routed, guard, world) => {
    const tenant = await authenticateTenant(routed, scopeOf(guard), world)
    if ('refusal' in tenant) return tenant
    const refusal = refusalOf(guard.requires, tenant.caller)
    return refusal === null ? tenant : { refusal }
  },
  tenant_or_platform: async (routed, guard, world) => authenticate(routed, scopeOf(guard), world),
}

/**
 * The scope that an operation needs. A declared operation always has one, because an operation with a key does not
 * compile without a scope.
 */
function scopeOf({ access, scope }: Guard): Scope {
  if (scope === null) throw new Error(`An operation for ${access} declares no scope`)
  return scope
}
