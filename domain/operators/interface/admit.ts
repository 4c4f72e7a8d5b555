import type { OperatorRole, StoredOperatorKey } from '../../../ports/operator-keys.ts'
import { claimedHashes, hashKey } from '../../access/api-key.ts'
import { bearerToken } from '../../access/bearer.ts'
import type { Operator } from '../../access/operator.ts'
import type { PresentedOperatorKey } from '../../access/operator-key.ts'
import { readOperatorKey } from '../../access/operator-key.ts'
import { isProofOf, isRecent, readProof } from '../../access/root-secret-proof.ts'
import { readRequestBody } from '../../bounds/read-body.ts'
import type { OperatorAccess } from '../../record/description.ts'
import type { RoutedRequest } from '../../record/routed-request.ts'
import { toInstant } from '../../text/instant.ts'
import type { OperatorWorld } from './world.ts'

/** Whoever sent a request of the operator interface, and whether their role is enough for it. */
export type Admission =
  { readonly kind: 'admitted' | 'role_missing'; readonly operator: Operator } | { readonly kind: 'stranger' }

/** Largest body on which a proof of the root secret is looked at, and the longest that it may take to arrive. */
const PROVEN_BODY = { maxBytes: 16_384, durationMs: 10_000 }
const HOUR_MS = 3_600_000

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
  const stored = await world.operatorKeys.prove({ keyId, hashes }, toInstant(world.clock.nowMs()))
  if (stored === null) return null
  identified({ organizationId: null, keyId })
  noteUse(stored, world)
  rehashAfterRotation(presented, stored, world)
  return { keyId, name: stored.operator, role: stored.role }
}

/** Writes at most once an hour for each key. */
function noteUse({ keyId, lastUsedAt }: StoredOperatorKey, world: OperatorWorld): void {
  const nowMs = world.clock.nowMs()
  const hour = toInstant(nowMs - (nowMs % HOUR_MS))
  if (lastUsedAt === null || lastUsedAt < hour) world.background.run(world.operatorKeys.noteUse(keyId, hour))
}

/** A key hashed under the previous root secret moves to the current one on its first use. */
function rehashAfterRotation(
  { keyId, text }: PresentedOperatorKey,
  stored: StoredOperatorKey,
  { secrets: { current }, operatorKeys, background }: OperatorWorld,
): void {
  if (stored.secretVersion === current.version) return
  const rehash = async () => operatorKeys.rehash(keyId, await hashKey(text, current), current.version)
  background.run(rehash())
}

/** Only the root secret in force counts: the previous one is being replaced, perhaps because others have it. */
async function holdsRootSecret({ request }: RoutedRequest, world: OperatorWorld): Promise<boolean> {
  const proof = readProof(request.headers.get('authorization'))
  if (proof === null || !isRecent(proof, world.clock.nowMs())) return false
  // A copy: the body itself is for the operation to read.
  const body = await readRequestBody(request.clone(), PROVEN_BODY, world.deadline)
  return body.kind === 'bytes' && isProofOf(proof, world.secrets.current, body.bytes)
}
