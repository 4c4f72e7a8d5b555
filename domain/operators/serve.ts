import type * as v from 'valibot'
import type { Organization } from '../../ports/organizations.ts'
import type { Log } from '../../ports/platform.ts'
import { withQuery, type Served } from '../access/serve-operation.ts'
import type { Operator } from '../access/operator-credentials.ts'
import { detailsOf, readJsonBody } from '../limits/json-body.ts'
import { storabilityIssues } from '../imports/storable.ts'
import { unknownParameter } from '../read/query.ts'
import type { OperatorAccess } from '../record/description.ts'
import {
  operation as operationOf,
  type Address,
  type OperationEndpoint,
  type OperationRequest,
  type ReplyTo,
  type RequestBody,
  type ResponseDeclarations,
  type QueryParameters,
  type RecordDeclaration,
  type Versioned,
  type VersionedResponses,
  type NoParameters,
} from '../record/operation.ts'
import { errorReply, type Reply, type RoutedRequest } from '../record/reply.ts'
import { membersOf } from '../text/encoding.ts'
import { ended } from '../text/schema-errors.ts'
import {
  followChange,
  outcomeOf,
  readPrecondition,
  type Change,
  type FollowedChange,
  type Precondition,
} from './change.ts'
import { authorize, notThere, type Belonging } from './authorize.ts'
import type { OperatorWorld } from './world.ts'

/** A request as a handler of the operator interface receives it: query and body are read and checked. */
interface OperatorRequest<
  Query extends QueryParameters,
  Body extends RequestBody | null,
> extends OperationRequest<Query> {
  /** The operation itself. */
  readonly operation: OperationEndpoint
  /** The checked body; null for an operation without a JSON body. */
  readonly body: Body extends RequestBody<infer Schema> ? v.InferOutput<Schema> : null
  /** The organization in the path, for an operation that needs it. */
  readonly organization: Organization
  /** The way to change something, for an operation that declares an action. */
  readonly change: Change
  /** What it demands of the state that it changes, for an operation that changes a versioned one. */
  readonly precondition: Precondition
}

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

/** An operation of the operator interface with its handler. */
export type Operated<Operation extends OperationEndpoint = OperationEndpoint> = Operation &
  Served<OperatorWorld>

/**
 * Declares an operation of the operator interface, with the handler that answers it. From the declaration it identifies
 * the caller, reads query and body, and records what the operation changes.
 */
export function operated<
  const Id extends string,
  const Allowed extends OperatorAccess,
  Responses extends ResponseDeclarations,
  Query extends QueryParameters = NoParameters,
  Body extends RequestBody | null = null,
  Version extends Versioned | null = null,
>(
  declaration: Address<Id> &
    RecordDeclaration<Allowed, Query, Responses, Body, Version> & {
      /** Given when the path does not name the organization to which a request belongs. */
      readonly belonging?: Belonging
      readonly answer: Handler<Allowed, Query, Responses & VersionedResponses<Version>, Body>
    },
): Operated<OperationEndpoint<Id, Allowed, Query, Responses & VersionedResponses<Version>, Body>> {
  const { answer: handler, belonging = null, ...declared } = declaration
  // The compiler cannot infer what is left of a type that it does not know.
  const operation = operationOf<Id, Allowed, Responses, Query, Body, Version>(declared as typeof declaration)
  const { access, openTo, action, needsOrganization } = operation
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
      if (needsOrganization && organization === null) return notThere(organizationId)
      // The compiler cannot relate the type of the caller and of the body to the values that were determined above.
      const given = {
        ...{ ...request, operation, body: reading.body, change, precondition },
        get organization() {
          return organization ?? noOrganization()
        },
      } as OperatorRequest<Query, Body>
      return handler(given, world, operator as CallerOf<Allowed>)
    })
  }
  return {
    ...operation,
    async serve(routed, world) {
      if (access === 'public') return answer(routed, world, null, NO_CHANGE)
      const admission = await authorize({ access, openTo, belonging }, routed, world)
      if (admission.kind === 'stranger') return admission.refusal
      const { operator } = admission
      const followed = action === null ? null : followChange(action, operator, routed.params, world)
      if (admission.kind === 'admitted')
        return followed === null
          ? answer(routed, world, operator, NO_CHANGE)
          : recorded(followed, world.log, () => answer(routed, world, operator, followed))
      await followed?.record('forbidden')
      return admission.refusal
    },
    async judge(routed, world, verdict) {
      if (access === 'public') return verdict
      const admission = await authorize({ access: 'signed_in', openTo, belonging }, routed, world)
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
