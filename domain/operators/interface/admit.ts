import type { OperatorRole } from '../../../ports/organizations.ts'
import { claimedHashes } from '../../access/api-key.ts'
import { bearerToken, refuseExposedKey, keepUp } from '../../access/authenticate.ts'
import {
  readOperatorKey,
  isProofOf,
  isRecent,
  readProof,
  type Operator,
} from '../../access/operator-credentials.ts'
import { readRequestBody } from '../../limits/body.ts'
import type { OperatorAccess } from '../../record/description.ts'
import { unauthorized, type Reply, type RoutedRequest } from '../../record/reply.ts'
import type { OperatorWorld } from './world.ts'

/** The sender of a request to the operator interface, and whether their role suffices for it. */
export type Admission =
  | { readonly kind: 'admitted' | 'role_missing'; readonly operator: Operator }
  | { readonly kind: 'stranger'; readonly refusal: Reply }

/** The maximum size of a body with a proof of the root secret, and how long it may take to arrive. */
const PROVEN_BODY = { maxBytes: 16_384, durationMs: 10_000 }

/** The holder of the root secret has the role `admin`, where such a caller is admitted at all. */
const ROOT: Operator = { keyId: null, name: 'ROOT_SECRET', role: 'admin', expiresAt: null }

/** Identifies the sender of a request and checks their role. Every access but `public` needs a proof. */
export async function admit(
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
