import type { Operator } from '../../../access/operator.ts'
import { echoed } from '../../../bounds/echo.ts'
import type { ReplyOf } from '../../../record/operation/operation.ts'
import { errorReply, jsonReply, PRIVATE } from '../../../record/operation/reply.ts'
import { toInstant } from '../../../text/instant.ts'
import type { Change } from '../../interface/follow-change.ts'
import { servePage } from '../../interface/list.ts'
import type { OperatorRequestOf } from '../../interface/serve.ts'
import type { OperatorWorld } from '../../interface/world.ts'
import type { KeyIssuing, RefusedSetting } from '../../issue-checked-key.ts'
import { issueCheckedKey } from '../../issue-checked-key.ts'
import type { KeySettings } from '../../key-settings.ts'
import { rotateKey } from '../../rotate-key.ts'
import type * as keys from './keys.ts'
import { publishedKey } from '../schemas/key-schema.ts'
import { unknownOrganization } from '../organization/organizations.ts'

/** Answers `POST /operator/v1/organizations/{organizationId}/keys`. */
export async function serveIssueTenantKey(
  { params: { organizationId = '' }, body, change }: OperatorRequestOf<typeof keys.issueTenantKey>,
  world: OperatorWorld,
  operator: Operator,
): Promise<ReplyOf<typeof keys.issueTenantKey>> {
  const organization = await world.administration.findOrganization(organizationId)
  if (organization === null) return unknownOrganization(organizationId)
  return issued(organizationId, body, issuingBy(operator, change, world), world)
}

/** Answers `POST /operator/v1/platform-keys`. */
export async function serveIssuePlatformKey(
  { body, change }: OperatorRequestOf<typeof keys.issuePlatformKey>,
  world: OperatorWorld,
  operator: Operator,
): Promise<ReplyOf<typeof keys.issuePlatformKey>> {
  return issued(null, body, issuingBy(operator, change, world), world)
}

async function issued(
  organizationId: string | null,
  settings: KeySettings,
  issuing: KeyIssuing,
  world: OperatorWorld,
) {
  const outcome = await issueCheckedKey(organizationId, settings, issuing)
  if (outcome.kind === 'refused') return refusedSetting(outcome)
  if (outcome.kind === 'issuer_ended') return errorReply(409, outcome.problem)
  return jsonReply(201, { key: outcome.key, ...publishedKey(outcome.stored, world) }, PRIVATE)
}

/** Answers `GET /operator/v1/organizations/{organizationId}/keys`. */
export async function serveTenantKeys(
  { params: { organizationId = '' }, query }: OperatorRequestOf<typeof keys.listTenantKeys>,
  world: OperatorWorld,
): Promise<ReplyOf<typeof keys.listTenantKeys>> {
  const organization = await world.administration.findOrganization(organizationId)
  if (organization === null) return unknownOrganization(organizationId)
  return listed('keys.list', organizationId, query, world)
}

/** Answers `GET /operator/v1/platform-keys`. */
export async function servePlatformKeys(
  { query }: OperatorRequestOf<typeof keys.listPlatformKeys>,
  world: OperatorWorld,
): Promise<ReplyOf<typeof keys.listPlatformKeys>> {
  return listed('platformKeys.list', null, query, world)
}

function listed(
  endpointId: string,
  organizationId: string | null,
  query: OperatorRequestOf<typeof keys.listPlatformKeys>['query'],
  world: OperatorWorld,
) {
  return servePage(
    query,
    {
      scope: { endpointId, organizationId },
      read: (after, limit) =>
        world.administration.listKeys(
          organizationId,
          after === null ? null : { createdAt: String(after.value), keyId: after.id },
          limit,
        ),
      positionOf: ({ createdAt, keyId }) => ({ value: createdAt, id: keyId }),
    },
    world,
    (stored) => publishedKey(stored, world),
  )
}

/** Answers `POST /operator/v1/keys/{keyId}/revoke`. */
export async function serveRevokeKey(
  { params: { keyId = '' }, change }: OperatorRequestOf<typeof keys.revokeKey>,
  { administration, clock }: OperatorWorld,
): Promise<ReplyOf<typeof keys.revokeKey>> {
  const found = await administration.findKey(keyId)
  if (found === null) return errorReply(404, `There is no key ${echoed(keyId)}.`)
  const changes = change.about(found.organizationId, { type: 'key', id: keyId })
  await changes.revokeKey(keyId, toInstant(clock.nowMs()))
  return { status: 204, headers: PRIVATE, body: null }
}

/** Answers `POST /operator/v1/keys/{keyId}/rotate`. */
export async function serveRotateKey(
  { params: { keyId = '' }, body, change }: OperatorRequestOf<typeof keys.rotateKeyEndpoint>,
  world: OperatorWorld,
  operator: Operator,
): Promise<ReplyOf<typeof keys.rotateKeyEndpoint>> {
  const { overlap: overlapMs, ...end } = body
  const outcome = await rotateKey({ keyId, overlapMs, ...end }, issuingBy(operator, change, world))
  if (outcome.kind === 'refused') return refusedSetting(outcome)
  if (outcome.kind === 'not_rotated')
    return outcome.isKnown
      ? errorReply(409, outcome.reason)
      : errorReply(404, `There is no key ${echoed(keyId)}.`)
  const { key, stored, endsAt } = outcome
  const replacement = { replacedKeyId: keyId, replacedEndsAt: endsAt }
  return jsonReply(201, { key, ...publishedKey(stored, world), ...replacement }, PRIVATE)
}

/** A key store that reads directly, and writes through the change that records what was done. */
function issuingBy(
  { keyId: issuedBy }: Operator,
  change: Change,
  { administration, secrets, random, clock }: OperatorWorld,
): KeyIssuing {
  const keys: KeyIssuing['keys'] = {
    findKey: (keyId) => administration.findKey(keyId),
    addKey: (key) => change.about(key.organizationId, { type: 'key', id: key.keyId }).addKey(key),
    rotateKey: (rotation) => {
      const { organizationId, keyId: successorId } = rotation.successor
      const subject = { type: 'key', id: rotation.keyId, successorId } as const
      return change.about(organizationId, subject).rotateKey(rotation)
    },
  }
  return { keys, secrets, random, clock, issuedBy }
}

function refusedSetting({ setting, problem }: RefusedSetting) {
  return errorReply(400, `${setting}: ${problem}.`)
}
