import type { OperatorRole, StoredOperatorKey } from '../../ports/organizations.ts'
import type { OpenSession, SessionHolder } from '../../ports/people.ts'
import { bearerToken, keepUp, refuseExposedKey } from '../access/authenticate.ts'
import {
  isProofOf,
  isRecent,
  readOperatorKey,
  readProof,
  type Operator,
  isRead,
  readSession,
  refuseForeign,
} from '../access/operator-credentials.ts'
import { keyedHashes } from '../access/secrets.ts'
import { readRequestBody } from '../limits/body.ts'
import { echoed } from '../limits/limits.ts'
import type { OperatorAccess, OrganizationRole } from '../record/description.ts'
import { errorReply, unauthorized, type Reply, type RoutedRequest } from '../record/reply.ts'
import type { OperatorWorld } from './world.ts'

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
export interface Door {
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
export async function authorize(door: Door, routed: RoutedRequest, world: OperatorWorld): Promise<Admission> {
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
 * A person with a role in the service is an operator. Anybody else, and whoever supports some organizations alone, is
 * admitted to what belongs to an organization of theirs, or to none.
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
  const operator: Operator = {
    ...{
      keyId: null,
      person,
      name: first.email,
      role: ofService?.role ?? first.role,
      expiresAt: null,
    },
    organizations:
      ofService === undefined ? roles.flatMap(({ organizationId }) => organizationId ?? []) : null,
    roles,
    session,
  }
  routed.identified({ organizationId: null, keyId: null })
  if (ofService !== undefined) return byRole(door, operator)
  if (door.access === 'signed_in') return { kind: 'admitted', operator }
  const openers = roles.filter(({ role }) => opens(role, door))
  const forbidden = errorReply(403, 'Your role does not allow this.')
  if (openers.length === 0) return { kind: 'forbidden', operator, refusal: forbidden }
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
