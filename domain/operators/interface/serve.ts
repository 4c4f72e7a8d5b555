import type * as v from 'valibot'
import type { Organization } from '../../../ports/organizations.ts'
import type { Log } from '../../../ports/platform.ts'
import { withQuery, type Served } from '../../access/serve-operation.ts'
import type { Operator } from '../../access/operator-credentials.ts'
import { echoed } from '../../limits/echo.ts'
import { detailsOf, readJsonBody } from '../../limits/json-body.ts'
import { storabilityIssues } from '../../imports/storable.ts'
import { unknownParameter } from '../../read/query.ts'
import type { OperatorAccess } from '../../record/description.ts'
import type {
  Address,
  OperationEndpoint,
  OperationRequest,
  ReplyTo,
  RequestBody,
  ResponseDeclarations,
  QueryParameters,
} from '../../record/operation.ts'
import { errorReply, type Reply, type RoutedRequest } from '../../record/reply.ts'
import { membersOf } from '../../text/json.ts'
import { ended } from '../../text/schema-errors.ts'
import { admit } from './admit.ts'
import { followChange, outcomeOf, type Change, type FollowedChange } from './follow-change.ts'
import { readPrecondition, type Precondition } from './versions.ts'
import type { OperatorWorld } from './world.ts'

/** A request as a handler of the operator interface receives it: query and body are read and checked. */
export interface OperatorRequest<
  Query extends QueryParameters,
  Body extends RequestBody | null,
> extends OperationRequest<Query> {
  /** The checked body; null for an operation without a JSON body. */
  readonly body: Body extends RequestBody<infer Schema> ? v.InferOutput<Schema> : null
  /** The organization in the path, for an operation that needs it. */
  readonly organization: Organization
  /** The way to change something, for an operation that declares an action. */
  readonly change: Change
  /** What it demands of the state that it changes, for an operation that changes a versioned one. */
  readonly precondition: Precondition
}

/** The request that the handler of an operation of the operator interface receives. */
export type OperatorRequestOf<Operation extends OperationEndpoint> =
  Operation extends OperationEndpoint<string, OperatorAccess, infer Query, ResponseDeclarations, infer Body>
    ? OperatorRequest<Query, Body>
    : never

/** The caller as a handler receives it; null: not known, because anybody may call. */
type CallerOf<Allowed extends OperatorAccess> = Allowed extends 'public' ? null : Operator

type Handler<
  Allowed extends OperatorAccess,
  Query extends QueryParameters,
  Responses extends ResponseDeclarations,
  Body extends RequestBody | null,
> = (
  request: OperatorRequest<Query, Body>,
  world: OperatorWorld,
  operator: CallerOf<Allowed>,
) => Promise<Reply & ReplyTo<Responses>>

/** An operation of the operator interface together with its handler. */
export interface Operated<Operation extends OperationEndpoint = OperationEndpoint>
  extends Address, Served<OperatorWorld> {
  readonly operation: Operation
}

/**
 * Joins an operation of the operator interface and its handler. From the operation's declaration it identifies the
 * caller, reads query and body, and records what the operation changes.
 */
export function operated<
  Id extends string,
  Allowed extends OperatorAccess,
  Query extends QueryParameters,
  Responses extends ResponseDeclarations,
  Body extends RequestBody | null,
>(
  operation: OperationEndpoint<Id, Allowed, Query, Responses, Body>,
  handler: Handler<Allowed, Query, Responses, Body>,
): Operated<OperationEndpoint<Id, Allowed, Query, Responses, Body>> {
  const { id, method, path, access, action, needsOrganization } = operation
  const answer = async (
    routed: RoutedRequest,
    world: OperatorWorld,
    operator: Operator | null,
    change: Change,
  ): Promise<Reply> => {
    const unknown = access === 'public' ? null : unknownIn(routed.url.searchParams, operation.query)
    if (unknown !== null) return errorReply(400, unknown)
    const precondition = readPrecondition(routed.request.headers, operation)
    if (typeof precondition === 'string') return errorReply(400, precondition)
    return withQuery(operation.query, routed, async (request) => {
      const reading = await readBody(routed.request, operation.body, world)
      if ('refusal' in reading) return reading.refusal
      const { organizationId = '' } = routed.params
      const organization = needsOrganization
        ? await world.administration.findOrganization(organizationId)
        : null
      if (needsOrganization && organization === null) return unknownOrganization(organizationId)
      // The compiler cannot relate the type of the caller and of the body to the values that were determined above.
      const given = {
        ...{ ...request, body: reading.body, change, precondition },
        get organization() {
          return organization ?? noOrganization()
        },
      } as OperatorRequest<Query, Body>
      return handler(given, world, operator as CallerOf<Allowed>)
    })
  }
  return {
    ...{ id, method, path, operation },
    async serve(routed, world) {
      if (access === 'public') return answer(routed, world, null, NO_CHANGE)
      const admission = await admit(access, routed, world)
      if (admission.kind === 'stranger') return admission.refusal
      const { operator } = admission
      const followed = action === null ? null : followChange(action, operator, routed.params, world)
      if (admission.kind === 'admitted')
        return followed === null
          ? answer(routed, world, operator, NO_CHANGE)
          : recorded(followed, world.log, () => answer(routed, world, operator, followed))
      await followed?.record('forbidden')
      return roleMissing(operator)
    },
    async judge(routed, world, verdict) {
      if (access === 'public') return verdict
      const admission = await admit('support', routed, world)
      return admission.kind === 'stranger' ? admission.refusal : verdict
    },
  }
}

/** An operation without an action cannot change anything. */
const NO_CHANGE: Change = {
  about: noAction,
  announce: noAction,
  concerns: noAction,
  continues: noAction,
}

function noOrganization(): never {
  throw new Error('The operation does not need its organization')
}

/** The reply about an organization that does not exist. */
export function unknownOrganization(organizationId: string) {
  return errorReply(404, `There is no organization ${echoed(organizationId)}.`)
}

function noAction(): never {
  throw new Error('The operation declares no action')
}

/** Makes the reply to a request that may change something, and records how the request ended. */
async function recorded(followed: FollowedChange, log: Log, answer: () => Promise<Reply>): Promise<Reply> {
  try {
    const reply = await answer()
    await followed.record(outcomeOf(reply.status))
    return reply
  } catch (cause) {
    // The caller is told of the first failure, and the log names both.
    await followed.record('failed').catch((lost: unknown) => {
      log.error('change_not_recorded', {}, lost)
    })
    throw cause
  }
}

function roleMissing({ role }: Operator): Reply {
  return errorReply(403, `This needs an operator key with the role admin; this key has the role ${role}.`)
}

/** The sentence about the first unknown parameter; null: all are known. */
function unknownIn(query: URLSearchParams, declared: QueryParameters | null): string | null {
  const allowed = Object.keys(declared ?? {})
  const unknown = [...query.keys()].find((name) => !allowed.includes(name))
  return unknown === undefined ? null : unknownParameter(unknown, allowed)
}

type BodyRead = { readonly body: unknown } | { readonly refusal: Reply }

/**
 * Reads a JSON body, and refuses one with a text that could not be stored as it is. A body of another type is left to
 * the handler.
 */
async function readBody(
  request: Request,
  declared: RequestBody | null,
  { deadline }: OperatorWorld,
): Promise<BodyRead> {
  if (declared?.contentTypes.includes('application/json') !== true) return { body: null }
  const reading = await readJsonBody(request, declared, deadline)
  const details = reading.kind === 'body' ? unstorableIn(reading.body) : reading.details
  if (reading.kind === 'body' && details.length === 0) return { body: reading.body }
  return { refusal: errorReply(400, details.map(ended).join(' ')) }
}

function unstorableIn(body: unknown): readonly string[] {
  return detailsOf(storabilityIssues(membersOf(body)).map(({ field, message }) => ({ path: field, message })))
}
