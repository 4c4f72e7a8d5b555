import type { Organization, OperatorRole, StoredOperatorKey } from '../../ports/organizations.ts'
import type { Log } from '../../ports/platform.ts'
import type { Served } from '../access/serve-operation.ts'
import {
  type Operator,
  isProofOf,
  isRecent,
  readProof,
  isRead,
  readSession,
  refuseForeign,
} from '../access/operator-credentials.ts'
import { readOperatorKey } from '../access/keys.ts'
import { detailsOf, readJsonBody, storabilityProblems } from '../limits/json.ts'
import { unknownParameter } from '../read/query.ts'
import type { OperatorAccess, OrganizationRole } from '../record/description.ts'
import {
  operation as operationOf,
  readQuery,
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
import { errorReply, type Reply, type RoutedRequest, unauthorized } from '../record/reply.ts'
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
import type { OpenSession, SessionHolder } from '../../ports/operators.ts'
import { bearerToken, keepUp, refuseExposedKey } from '../access/authenticate.ts'
import { keyedHashes } from '../access/secrets.ts'
import { readRequestBody } from '../limits/body.ts'
import { membersOf } from '../text/encoding.ts'
import { queryOf } from '../text/http.ts'
import { echoed } from '../limits/limits.ts'
import * as v from 'valibot'

/** A request as a handler of the operator interface receives it: query and body are read and checked. */
interface OperatorRequest<
  Query extends QueryParameters,
  Body extends RequestBody | null,
  Needs extends boolean,
> extends OperationRequest<Query> {
  /** The operation itself. */
  readonly operation: OperationEndpoint
  /** The checked body; null for an operation without a JSON body. */
  readonly body: Body extends RequestBody<infer Schema> ? v.InferOutput<Schema> : null
  /** The organization in the path; null for an operation that does not need it. */
  readonly organization: Needs extends true ? Organization : null
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
  Needs extends boolean,
> = (
  request: OperatorRequest<Query, Body, Needs>,
  world: OperatorWorld,
  operator: CallerOf<Allowed>,
) => Promise<Reply & ReplyTo<Responses>>

/**
 * The responses of an operation: those that it declares, and the refusals that follow from the rest of its declaration.
 * Every operation but a public one refuses unknown parameters and keys.
 */
type AllResponses<
  Allowed extends OperatorAccess,
  Responses extends ResponseDeclarations,
  Needs extends boolean,
  Version extends Versioned | null = null,
> = Responses &
  VersionedResponses<Version> &
  (Allowed extends 'public' ? unknown : { readonly 400: 'BadRequest' }) &
  (Needs extends true ? { readonly 404: 'NotFound' } : unknown)

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
  Needs extends boolean = false,
>(
  declaration: Address<Id> &
    RecordDeclaration<Allowed, Query, Responses, Body, Version> & {
      /** Given when the path does not name the organization to which a request belongs. */
      readonly belonging?: Belonging
      /** True: there must be the organization that the path names, which the handler receives. Without one: 404. */
      readonly needsOrganization?: Needs
      readonly answer: Handler<Allowed, Query, AllResponses<Allowed, Responses, Needs, Version>, Body, Needs>
    },
): Operated<OperationEndpoint<Id, Allowed, Query, AllResponses<Allowed, Responses, Needs, Version>, Body>> {
  const { answer: handler, belonging = null, needsOrganization = false, ...declared } = declaration
  const responses = {
    ...(declared.access === 'public' ? {} : { 400: 'BadRequest' }),
    ...(needsOrganization ? { 404: 'NotFound' } : {}),
    ...declared.responses,
  }
  // The compiler cannot infer what is left of a type that it does not know.
  const operation = operationOf({ ...declared, responses } as unknown as Address<Id> &
    RecordDeclaration<Allowed, Query, AllResponses<Allowed, Responses, Needs>, Body, Version>)
  const { access, openTo, action } = operation
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
    const query = readQuery(operation.query, queryOf(routed.url))
    if (query.kind === 'refused') return errorReply(400, query.error)
    const reading = await readBody(routed.request, operation.body, world)
    if ('refusal' in reading) return reading.refusal
    const { organizationId = '' } = routed.params
    const organization = needsOrganization
      ? await world.administration.findOrganization(organizationId)
      : null
    if (needsOrganization && organization === null) return notThere(organizationId)
    // The compiler cannot relate the type of the caller and of the body to the values that were determined above.
    const given = {
      ...{ ...routed, query: query.value, operation, body: reading.body, organization },
      ...{ change, precondition },
    } as unknown as OperatorRequest<Query, Body, Needs>
    return handler(given, world, operator as CallerOf<Allowed>)
  }
  return {
    ...operation,
    async serve(routed, world) {
      if (access === 'public') return answer(routed, world, null, NO_CHANGE)
      const admission = await authorize({ access, openTo, belonging }, routed, world)
      if (admission.kind === 'stranger') return admission.refusal
      const { operator } = admission
      const followed =
        action === null ? null : followChange(action, operator, namedIn(routed, operation), world)
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

/** What a request names: in its path, and the organization in its query where the operation takes it there. */
function namedIn({ params, url }: RoutedRequest, { query }: OperationEndpoint): RoutedRequest['params'] {
  const organizationId = url.searchParams.get('organizationId')
  return organizationId === null || query?.['organizationId'] === undefined
    ? params
    : { ...params, organizationId }
}

/** An operation without an action cannot change anything. */
const NO_CHANGE: Change = {
  about: noAction,
  announce: noAction,
  concerns: noAction,
  continues: noAction,
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
  const details =
    reading.kind === 'body' ? detailsOf(storabilityProblems(membersOf(reading.body))) : reading.details
  if (reading.kind === 'body' && details.length === 0) return { body: reading.body }
  return { refusal: errorReply(400, details.map(ended).join(' ')) }
}

/** The maximum size of a JSON body, unless an operation declares another one. */
const SMALL_BYTES = 16_384

/**
 * A JSON body, which is read before the operation's handler is called. Keys that the schema does not name are refused.
 */
export function jsonBody<Schema extends v.GenericSchema>(
  schema: Schema,
  example: v.InferInput<Schema>,
  maxBytes = SMALL_BYTES,
): RequestBody<Schema> {
  const description = `At most ${maxBytes} bytes.`
  return { description, maxBytes, contentTypes: ['application/json'], schema, example }
}

const NAME_MAX_LENGTH = 100

/** What a person or a program is called. */
export const personName = v.pipe(
  v.string('must be a string'),
  v.check(
    (text) => text.trim() !== '' && text.length <= NAME_MAX_LENGTH && !/\p{Cc}/u.test(text),
    `must be 1 to ${NAME_MAX_LENGTH} characters, without control characters`,
  ),
)

/** A number of rows, bytes or the like. */
export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))

/** A UTC instant. */
export const instant = v.pipe(v.string(), v.isoTimestamp())

/**
 * To which organization a request belongs whose path does not name one, such as a request about a key. A person who signs
 * in gets no further unless it is theirs.
 */
export interface Belonging {
  /** Null: none, or there is no such thing. */
  readonly organizationOf: (routed: RoutedRequest, world: OperatorWorld) => Promise<string | null>
  /** The answer to whoever may not see that organization: the same as when there is no such thing. */
  readonly otherwise: (routed: RoutedRequest) => Reply
}

/** A list that a parameter narrows to one organization. Who may not see all of them must name one of theirs. */
export const ofParameter: Belonging = {
  organizationOf: async ({ url }) => url.searchParams.get('organizationId'),
  otherwise: ({ url }) => {
    const organizationId = url.searchParams.get('organizationId') ?? ''
    return organizationId === ''
      ? errorReply(403, 'Your role allows this for your organizations alone: give organizationId.')
      : notThere(organizationId)
  },
}

/** What an operation says of who may call it. */
interface Door {
  readonly access: Exclude<OperatorAccess, 'public'>
  readonly openTo: OrganizationRole | null
  /** Null: to the organization in the path, if it has one. */
  readonly belonging: Belonging | null
}

/** The sender of a request to the operator interface, and whether their role suffices for it. */
type Admission =
  | { readonly kind: 'admitted'; readonly operator: Operator }
  | { readonly kind: 'forbidden'; readonly operator: Operator; readonly refusal: Reply }
  | { readonly kind: 'stranger'; readonly refusal: Reply }

/** The maximum size of a body with a proof of the root secret, and how long it may take to arrive. */
const PROVEN_BODY = { maxBytes: 16_384, durationMs: 10_000 }

/** The holder of the root secret has the role `admin`, where such a caller is admitted at all. */
const ROOT: Operator = {
  keyId: null,
  person: null,
  name: 'ROOT_SECRET',
  role: 'admin',
  organizations: null,
  roles: [],
  expiresAt: null,
  session: null,
}

/** Identifies the sender of a request, by a key or by a session, and decides whether they may call the operation. */
async function authorize(door: Door, routed: RoutedRequest, world: OperatorWorld): Promise<Admission> {
  const exposed = refuseExposedKey(routed, null)
  if (exposed !== null) return { kind: 'stranger', refusal: exposed }
  if (door.access === 'admin_or_root_secret' && (await holdsRootSecret(routed, world)))
    return { kind: 'admitted', operator: ROOT }
  // A request that carries a key is answered by what that key may do, whatever cookies come along.
  if (routed.request.headers.get('authorization') !== null) {
    const operator = await operatorOfKey(routed, world)
    return operator === null ? STRANGER() : byRole(door, operator)
  }
  const session = await readSession(routed, world)
  if (session === null) return STRANGER()
  const foreign = isRead(routed.request) ? null : refuseForeign(routed)
  if (foreign !== null) return { kind: 'stranger', refusal: foreign }
  const { by } = session
  switch (by.kind) {
    case 'operatorKey':
      return byRole(door, operatorOf(by.key, null, session, routed, world))
    case 'tenantKey':
      return byTenantKey(door, by, session, routed, world)
    case 'person':
      return byPerson(door, by, session, routed, world)
  }
}

const STRANGER = (): Admission => ({ kind: 'stranger', refusal: unauthorized(null) })

function byRole({ access }: Door, operator: Operator): Admission {
  const needsAdmin = access === 'admin' || access === 'admin_or_root_secret'
  if (!needsAdmin || operator.role === 'admin') return { kind: 'admitted', operator }
  const what =
    operator.person === null
      ? 'an operator key with the role admin; this key has'
      : 'the role admin; you have'
  return {
    kind: 'forbidden',
    operator,
    refusal: errorReply(403, `This needs ${what} the role ${operator.role}.`),
  }
}

/** A key of an organization opens the public interface alone, and who one is. */
async function byTenantKey(
  { access }: Door,
  { claim, isProven }: Extract<SessionHolder, { readonly kind: 'tenantKey' }>,
  session: OpenSession,
  { identified }: RoutedRequest,
  world: OperatorWorld,
): Promise<Admission> {
  if (!isProven && !(await world.storage.open(claim).read([])).authenticated) return STRANGER()
  const { organizationId, keyId } = claim
  identified({ organizationId, keyId })
  if (access !== 'signed_in')
    return { kind: 'stranger', refusal: errorReply(403, 'The key of an organization does not open this.') }
  // What such a key may do stands in its scope. It has the least role, which opens nothing.
  const operator: Operator = {
    ...{ keyId, person: null, name: organizationId, role: 'member', expiresAt: null },
    organizations: [organizationId],
    roles: [],
    session,
  }
  return { kind: 'admitted', operator }
}

/**
 * A person with a role in the service is an operator. Anybody else, whoever supports some organizations alone, and an
 * operator where that role does not suffice, is admitted to what belongs to an organization of theirs, or to none.
 */
async function byPerson(
  door: Door,
  { person, roles }: Extract<SessionHolder, { readonly kind: 'person' }>,
  session: OpenSession,
  routed: RoutedRequest,
  world: OperatorWorld,
): Promise<Admission> {
  const [first] = roles
  if (first === undefined) return STRANGER()
  const ofService = roles.find(({ organizationId }) => organizationId === null)
  const organizations = roles.flatMap(({ organizationId }) => organizationId ?? [])
  const operator: Operator = {
    ...{
      keyId: null,
      person,
      name: first.email,
      role: ofService?.role ?? first.role,
      expiresAt: null,
    },
    organizations: ofService === undefined ? organizations : null,
    roles,
    session,
  }
  routed.identified({ organizationId: null, keyId: null })
  const asOperator = ofService === undefined ? null : byRole(door, operator)
  if (asOperator?.kind === 'admitted') return asOperator
  if (door.access === 'signed_in') return { kind: 'admitted', operator }
  const inOwn = await inOrganization(door, { ...operator, organizations }, routed, world)
  return inOwn.kind === 'admitted' ? inOwn : (asOperator ?? inOwn)
}

/** Admits a person to what belongs to an organization of theirs, or to none, by their role there. */
async function inOrganization(
  door: Door,
  operator: Operator,
  routed: RoutedRequest,
  world: OperatorWorld,
): Promise<Admission> {
  const { roles } = operator
  const forbidden = errorReply(403, 'Your role does not allow this.')
  if (!roles.some(({ role }) => opens(role, door))) return { kind: 'forbidden', operator, refusal: forbidden }
  const named = routed.params.organizationId
  const belongsTo =
    named ?? (door.belonging === null ? null : await door.belonging.organizationOf(routed, world))
  if (belongsTo === null && door.belonging === null) {
    // It belongs to no organization. What only operators see is not shown to whoever supports some organizations.
    const isOpen = door.openTo !== null
    return isOpen ? { kind: 'admitted', operator } : { kind: 'forbidden', operator, refusal: forbidden }
  }
  const own = roles.find(({ organizationId }) => organizationId === belongsTo)
  if (own === undefined) {
    const refusal = door.belonging === null ? notThere(belongsTo ?? '') : door.belonging.otherwise(routed)
    return { kind: 'stranger', refusal }
  }
  const inIt = { ...operator, role: own.role }
  if (!opens(own.role, door)) return { kind: 'forbidden', operator: inIt, refusal: forbidden }
  routed.identified({ organizationId: belongsTo, keyId: null })
  return { kind: 'admitted', operator: inIt }
}

/** Whether a role opens an operation where one has it. */
export function opens(role: Operator['role'], { access, openTo }: Pick<Door, 'access' | 'openTo'>): boolean {
  switch (role) {
    case 'admin':
      return true
    case 'support':
      return access === 'support'
    case 'owner':
      return openTo !== null
    case 'member':
      return openTo === 'member'
  }
}

/** The reply about an organization that does not exist, or that the caller may not see. */
export function notThere(organizationId: string) {
  return errorReply(404, `There is no organization ${echoed(organizationId)}.`)
}

/** Whether an operator works for the service, and not for an organization. */
export function isOperator(operator: Operator): operator is Operator & { readonly role: OperatorRole } {
  return operator.role === 'admin' || operator.role === 'support'
}

async function operatorOfKey(routed: RoutedRequest, world: OperatorWorld): Promise<Operator | null> {
  const presented = readOperatorKey(bearerToken(routed.request.headers.get('authorization')) ?? '')
  if (presented === null) return null
  const { keyId, text } = presented
  const stored = await world.operatorKeys.prove({
    keyId,
    hashes: await keyedHashes('api-key', text, world.secrets),
  })
  return stored === null ? null : operatorOf(stored, text, null, routed, world)
}

/**
 * The operator of a key that works.
 * @param text the whole key, which is stored anew under another root secret; null: it is not known
 */
function operatorOf(
  stored: StoredOperatorKey,
  text: string | null,
  session: OpenSession | null,
  { identified }: RoutedRequest,
  world: OperatorWorld,
): Operator {
  const { keyId, operator: name, role, expiresAt } = stored
  identified({ organizationId: null, keyId })
  keepUp(text, stored, world.operatorKeys, world)
  return { keyId, person: null, name, role, organizations: null, roles: [], expiresAt, session }
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
