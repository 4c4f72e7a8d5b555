import type * as v from 'valibot'
import type { Organization, OperatorRole } from '../../ports/organizations.ts'
import type { Log } from '../../ports/platform.ts'
import { withQuery, type Served } from '../access/serve-operation.ts'
import {
  readOperatorKey,
  isProofOf,
  isRecent,
  readProof,
  type Operator,
} from '../access/operator-credentials.ts'
import { echoed } from '../limits/echo.ts'
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
import { errorReply, unauthorized, type Reply, type RoutedRequest } from '../record/reply.ts'
import { membersOf } from '../text/json.ts'
import { ended } from '../text/schema-errors.ts'
import {
  followChange,
  outcomeOf,
  readPrecondition,
  type Change,
  type FollowedChange,
  type Precondition,
} from './change.ts'
import type { OperatorWorld } from './world.ts'
import { claimedHashes } from '../access/api-key.ts'
import { bearerToken, refuseExposedKey, keepUp } from '../access/authenticate.ts'
import { readRequestBody } from '../limits/body.ts'

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
      readonly answer: Handler<Allowed, Query, Responses & VersionedResponses<Version>, Body>
    },
): Operated<OperationEndpoint<Id, Allowed, Query, Responses & VersionedResponses<Version>, Body>> {
  const { answer: handler, ...declared } = declaration
  // The compiler cannot infer what is left of a type that it does not know.
  const operation = operationOf<Id, Allowed, Responses, Query, Body, Version>(declared as typeof declaration)
  const { access, action, needsOrganization } = operation
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
      const admission = await authorize(access, routed, world)
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
      const admission = await authorize('support', routed, world)
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

/** The sender of a request to the operator interface, and whether their role suffices for it. */
type Admission =
  | { readonly kind: 'admitted' | 'role_missing'; readonly operator: Operator }
  | { readonly kind: 'stranger'; readonly refusal: Reply }

/** The maximum size of a body with a proof of the root secret, and how long it may take to arrive. */
const PROVEN_BODY = { maxBytes: 16_384, durationMs: 10_000 }

/** The holder of the root secret has the role `admin`, where such a caller is admitted at all. */
const ROOT: Operator = { keyId: null, name: 'ROOT_SECRET', role: 'admin', expiresAt: null }

/** Identifies the sender of a request and checks their role. Every access but `public` needs a proof. */
async function authorize(
  access: Exclude<OperatorAccess, 'public'>,
  routed: RoutedRequest,
  world: OperatorWorld,
): Promise<Admission> {
  const exposed = refuseExposedKey(routed, null)
  if (exposed !== null) return { kind: 'stranger', refusal: exposed }
  if (access === 'admin_or_root_secret' && (await holdsRootSecret(routed, world)))
    return { kind: 'admitted', operator: ROOT }
  const operator = await authenticateOperator(routed, world)
  if (operator === null) return { kind: 'stranger', refusal: unauthorized(null) }
  const least: OperatorRole = access === 'support' ? 'support' : 'admin'
  return { kind: hasRole(operator, least) ? 'admitted' : 'role_missing', operator }
}

function hasRole({ role }: Operator, least: OperatorRole): boolean {
  return role === 'admin' || least === 'support'
}

async function authenticateOperator(
  { request, identified }: RoutedRequest,
  world: OperatorWorld,
): Promise<Operator | null> {
  const presented = readOperatorKey(bearerToken(request.headers.get('authorization')) ?? '')
  if (presented === null) return null
  const { keyId } = presented
  const hashes = await claimedHashes(presented, world.secrets)
  const stored = await world.operatorKeys.prove({ keyId, hashes })
  if (stored === null) return null
  identified({ organizationId: null, keyId })
  keepUp(presented.text, stored, world.operatorKeys, world)
  return { keyId, name: stored.operator, role: stored.role, expiresAt: stored.expiresAt }
}

/** Only the current root secret counts. The previous one is being replaced, perhaps because others know it. */
async function holdsRootSecret({ request, url }: RoutedRequest, world: OperatorWorld): Promise<boolean> {
  const proof = readProof(request.headers.get('authorization'))
  if (proof === null || !isRecent(proof, world.clock.nowMs())) return false
  // Reads a clone, because the operation itself reads the body later.
  const body = await readRequestBody(request.clone(), PROVEN_BODY, world.deadline)
  return (
    body.kind === 'bytes' && isProofOf(proof, world.secrets.current, { host: url.host, body: body.bytes })
  )
}
