import type { OperatorRole } from '../../../ports/operator-keys.ts'
import { claimedHashes } from '../../access/api-key.ts'
import { bearerToken } from '../../access/bearer.ts'
import type { Operator } from '../../access/operator.ts'
import { keepUp } from '../../access/key-upkeep.ts'
import { readOperatorKey } from '../../access/operator-key.ts'
import { isProofOf, isRecent, readProof } from '../../access/root-secret-proof.ts'
import { readRequestBody } from '../../bounds/read-body.ts'
import type { OperatorAccess } from '../../record/description.ts'
import type { RoutedRequest } from '../../record/routed-request.ts'
import type { OperatorWorld } from './world.ts'

/** Whoever sent a request of the operator interface, and whether their role is enough for it. */
export type Admission =
  { readonly kind: 'admitted' | 'role_missing'; readonly operator: Operator } | { readonly kind: 'stranger' }

/** Largest body on which a proof of the root secret is looked at, and the longest that it may take to arrive. */
const PROVEN_BODY = { maxBytes: 16_384, durationMs: 10_000 }

/** Who holds the root secret may do what an `admin` may, where they are admitted at all. */
const ROOT: Operator = { keyId: null, name: 'ROOT_SECRET', role: 'admin' }

/** Finds out who sent a request, and whether they may have it answered. Every access but `public` needs a proof. */
export async function admit(
  access: Exclude<OperatorAccess, 'public'>,
  routed: RoutedRequest,
  world: OperatorWorld,
): Promise<Admission> {
  if (access === 'admin_or_root_secret' && (await holdsRootSecret(routed, world)))
    return { kind: 'admitted', operator: ROOT }
  const operator = await authenticateOperator(routed, world)
  if (operator === null) return { kind: 'stranger' }
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
  return { keyId, name: stored.operator, role: stored.role }
}

/** Only the root secret in force counts: the previous one is being replaced, perhaps because others have it. */
async function holdsRootSecret({ request }: RoutedRequest, world: OperatorWorld): Promise<boolean> {
  const proof = readProof(request.headers.get('authorization'))
  if (proof === null || !isRecent(proof, world.clock.nowMs())) return false
  // A copy: the body itself is for the operation to read.
  const body = await readRequestBody(request.clone(), PROVEN_BODY, world.deadline)
  return body.kind === 'bytes' && isProofOf(proof, world.secrets.current, body.bytes)
}
