import type { Organization } from '../../ports/organization.ts'
import type { Capability } from '../record/capability.ts'
import { refusalOf } from '../record/capability.ts'
import type { Access } from '../record/description.ts'
import type {
  OperationEndpoint,
  OperationRequest,
  OperationRoute,
  ReplyTo,
  ResponseDeclarations,
} from '../record/operation.ts'
import type { NoParameters, QueryParameters } from '../record/query-parameters.ts'
import { readQuery } from '../record/query-parameters.ts'
import type { Reply } from '../record/reply.ts'
import { errorReply, unauthorized } from '../record/reply.ts'
import type { RoutedRequest } from '../record/routed-request.ts'
import type { Caller, KeyWorld } from './authenticate.ts'
import { authenticate, authenticateTenant } from './authenticate.ts'

/** The caller that each kind of access admits, as the handler receives it. */
export interface Callers {
  /** Anybody: nothing is known about the caller. */
  readonly public: null
  readonly tenant: Organization
  readonly tenant_or_platform: Caller
}

/** The handler of an operation. Its arguments and its possible answers follow from the operation's declaration. */
export type HandlerFor<Operation, World> =
  Operation extends OperationEndpoint<string, infer Allowed, infer Query, infer Responses>
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

/** An operation together with its handler. */
export interface HandledOperation<Id extends string, World> {
  readonly id: Id
  /** Answers a routed request. Rejects only on an internal failure. */
  readonly serve: (routed: RoutedRequest, world: World) => Promise<Reply>
}

/** Joins an operation and its handler. A handler that answers what the operation does not declare does not compile. */
export function handled<
  Id extends string,
  Allowed extends Access,
  Query extends QueryParameters,
  Responses extends ResponseDeclarations,
  World,
>(
  operation: OperationEndpoint<Id, Allowed, Query, Responses>,
  handler: Handler<Allowed, Query, Responses, World>,
): HandledOperation<Id, World & KeyWorld> {
  return joined(operation, operation.query, handler)
}

/**
 * The same for an operation without query parameters whose declaration is not loaded to serve it: `Operation` is its
 * type alone.
 */
export function handledByRoute<Operation extends OperationEndpoint<string, Access, NoParameters>, World>(
  route: OperationRoute<Operation['id'], Operation['access']>,
  handler: HandlerFor<Operation, World>,
): HandledOperation<Operation['id'], World & KeyWorld> {
  return joined(route, null, handler)
}

function joined<Id extends string, Allowed extends Access, Query extends QueryParameters, World>(
  { id, access, requires }: OperationRoute<Id, Allowed>,
  declared: Query | null,
  handler: (request: OperationRequest<Query>, world: World, caller: Callers[Allowed]) => Promise<Reply>,
): HandledOperation<Id, World & KeyWorld> {
  const serve = (routed: RoutedRequest, world: World & KeyWorld): Promise<Reply> =>
    admitted(access, requires, routed, world, async (caller) => {
      const reading = readQuery(declared, routed.url.searchParams)
      return reading.kind === 'refused'
        ? errorReply(400, reading.error)
        : handler({ ...routed, query: reading.value }, world, caller)
    })
  return { id, serve }
}

/**
 * Passes the caller to `answer` when the access admits them. A caller who is not admitted is refused before anything
 * else of the request is read.
 */
export async function admitted<Allowed extends Access>(
  access: Allowed,
  requires: Capability | null,
  routed: RoutedRequest,
  world: KeyWorld,
  answer: (caller: Callers[Allowed]) => Promise<Reply>,
): Promise<Reply> {
  const admission = await admissions[access](routed, world, requires)
  return 'refusal' in admission ? admission.refusal : answer(admission.caller)
}

type Admission<Allowed extends Access> = { readonly caller: Callers[Allowed] } | { readonly refusal: Reply }

const admissions: {
  readonly [Allowed in Access]: (
    routed: RoutedRequest,
    world: KeyWorld,
    requires: Capability | null,
  ) => Promise<Admission<Allowed>>
} = {
  public: async () => ({ caller: null }),
  tenant: async (routed, world, requires) => {
    const organization = await authenticateTenant(routed, world)
    if (organization === null) return { refusal: unauthorized() }
    const refusal = refusalOf(requires, organization)
    return refusal === null ? { caller: organization } : { refusal }
  },
  tenant_or_platform: async (routed, world) => {
    const caller = await authenticate(routed, world)
    return caller === null ? { refusal: unauthorized() } : { caller }
  },
}
