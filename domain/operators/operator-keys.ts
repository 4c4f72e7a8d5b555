import * as v from 'valibot'
import type { StoredOperatorKey } from '../../ports/organizations.ts'
import { isKeyId, issueOperatorKey, OPERATOR_KEY_PREFIX } from '../access/keys.ts'
import { issuerOf, operatorRoles, readProof } from '../access/operator-credentials.ts'
import {
  secretName,
  issuerEnded,
  refusedEnd,
  ExpiresAt,
  keyState,
  keyStates,
  issuer,
  keyItself,
  PublishedKey,
  SAMPLE_KEY_END,
  sampleKey,
} from './key-settings.ts'
import { echoed } from '../limits/limits.ts'
import type { Called, Column, Said } from '../record/command.ts'
import { component, described, worded } from '../record/meaning.ts'
import { jsonResponse } from '../record/operation.ts'
import { errorReply, jsonReply, PRIVATE } from '../record/reply.ts'
import { toInstant } from '../text/instant.ts'
import { jsonBody, instant, personName, operated } from './serve.ts'
import { optionalWord, pageOf, pageParameters, pageResponse, servePage } from './list.ts'
import type { OperatorWorld } from './world.ts'

const Published = v.strictObject({
  keyId: described(
    v.string(),
    `Names the key; it is the first part of what follows \`${OPERATOR_KEY_PREFIX}\`.`,
  ),
  operator: described(v.string(), 'The person or program that it was issued to.'),
  role: described(v.picklist(operatorRoles), 'What it may do.'),
  state: described(v.picklist(keyStates), 'Whether it works, and if not, why.'),
  createdAt: instant,
  expiresAt: worded(
    described(v.nullable(instant), 'From when on it does not work; null: it works until it is revoked.'),
    { none: 'never' },
  ),
  revokedAt: described(v.nullable(instant), 'When it was revoked; null while it works.'),
  lastUsedAt: worded(described(v.nullable(instant), 'The hour in which it was last used; null: never.'), {
    none: 'never',
  }),
  secret: described(
    v.string(),
    'The root secret that it is hashed under: `current`, `previous`, or its name.',
  ),
  issuedBy: issuer,
})

const sample: v.InferOutput<typeof Published> = {
  keyId: sampleKey.keyId,
  operator: 'ada',
  role: 'admin',
  state: 'active',
  createdAt: '2026-03-01T14:00:00.000Z',
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
  secret: 'current',
  issuedBy: '8LwR1yZpAq0d',
}

const Issued = component(
  'IssuedOperatorKey',
  described(
    v.strictObject({
      key: keyItself,
      ...Published.entries,
    }),
    'A new operator key.',
  ),
)

const RevokedKeys = component(
  'RevokedOperatorKeys',
  described(
    v.strictObject({
      revoked: described(
        v.array(v.pick(Published, ['keyId', 'operator', 'role'])),
        'The operator keys that were not revoked before, the oldest first.',
      ),
      keys: described(
        v.array(v.pick(PublishedKey, ['keyId', 'organizationId'])),
        'The keys of organizations and of the platform that were not revoked before.',
      ),
      unreached: described(
        v.array(v.string()),
        'Organizations whose databases did not answer: keys there that descend from the revoked ones may work still. Revoke the key again, with `descendants`, until this is empty.',
      ),
    }),
    'What a revocation ended.',
  ),
)

const Grant = v.strictObject({
  operator: worded(
    described(personName, 'The person or program that the key is for, as the audit names it.'),
    { hint: 'The person or program that it is for.' },
  ),
  role: worded(
    described(
      v.picklist(operatorRoles, `must be ${operatorRoles.join(' or ')}`),
      '`admin` may do everything; `support` may read, and retry the outbox.',
    ),
    { choices: { support: 'Support: reads, and retries the outbox', admin: 'Admin: does everything' } },
  ),
  expiresAt: v.optional(
    v.nullable(
      worded(
        described(
          ExpiresAt,
          'The first instant at which the key does not work, a day standing for its first instant in UTC. At the latest the end of the key that issues it; null or left out: that end, or none when that key, or the root secret, has none.',
        ),
        { hint: 'At the latest with your own key; left empty: with it.' },
      ),
    ),
    null,
  ),
})

export const issueOperatorKeyEndpoint = operated({
  id: 'operatorKeys.issue',
  method: 'POST',
  path: '/operator/v1/operator-keys',
  access: 'admin_or_root_secret',
  action: 'operatorKey.issue',
  tag: 'Operator keys',
  summary: 'Issue an operator key',
  description:
    'The answer is the only one that shows the key. A key never works longer than the one that issued it. In place of an operator key it takes a proof that the caller holds the root secret, which is how the first key comes to be.',
  body: jsonBody(Grant, { operator: 'ada', role: 'admin', expiresAt: '2027-03-01T00:00:00Z' }),
  responses: {
    201: jsonResponse('The key.', Issued, {
      key: OPERATOR_KEY_PREFIX + SAMPLE_KEY_END,
      ...sample,
    }),
    409: 'Conflict',
  },
  answer: async ({ request, body, change }, world, issuer) => {
    const past = refusedEnd(body.expiresAt, world.clock)
    if (past !== null) return past
    const end = issuer.expiresAt
    if (end !== null && body.expiresAt !== null && body.expiresAt > end)
      return errorReply(400, `expiresAt: must not be after ${end}, when the key that issues it ends.`)
    const grant = { ...body, expiresAt: body.expiresAt ?? end, issuedBy: issuerOf(issuer) }
    const { key, stored } = await issueOperatorKey(grant, world.secrets, world.random, world.clock)
    // A proof of the root secret is stored with the key that it led to, so that it cannot be used again.
    const proof =
      issuerOf(issuer) === null ? (readProof(request.headers.get('authorization'))?.mac ?? null) : null
    const changes = change.about(null, { type: 'key', id: stored.keyId })
    const outcome = await changes.addOperatorKey({ key: stored, proof })
    if (outcome === 'issuer_ended') return issuerEnded()
    if (outcome === 'proof_used')
      return errorReply(409, 'A key was issued on this proof of the root secret already. Make a new proof.')
    return jsonReply(201, { key, ...published(stored, world) }, PRIVATE)
  },
})

export const listOperatorKeys = operated({
  id: 'operatorKeys.list',
  method: 'GET',
  path: '/operator/v1/operator-keys',
  access: 'admin',
  tag: 'Operator keys',
  summary: 'List operator keys',
  description: 'Oldest first, revoked and expired ones included.',
  query: pageParameters,
  responses: {
    200: pageResponse('A page of operator keys.', pageOf('OperatorKeyPage', Published), sample),
  },
  answer: async ({ operation, query }, world) => {
    return servePage(query, world, {
      scope: { endpointId: operation.id, organizationId: null },
      read: (after, limit) => world.operatorKeys.list(after, limit),
      positionOf: ({ createdAt, keyId }) => ({ value: createdAt, id: keyId }),
      publish: (stored) => published(stored, world),
    })
  },
})

export const revokeOperatorKey = operated({
  id: 'operatorKeys.revoke',
  method: 'POST',
  path: '/operator/v1/operator-keys/{keyId}/revoke',
  access: 'admin',
  action: 'operatorKey.revoke',
  tag: 'Operator keys',
  summary: 'Revoke an operator key',
  description:
    'It fails on its very next request. The keys that it issued go on working, unless `descendants` is `true`. Revoking a key again changes nothing, but that it ends what an earlier revocation did not reach.',
  query: {
    descendants: optionalWord(
      '`true`: all keys that descend from it are revoked too: those that it issued, those that these issued, and so on, keys of organizations and of the platform among them.',
      ['true', 'false'],
      'true',
      { label: 'Revoke all keys that descend from it too' },
    ),
  },
  responses: {
    200: jsonResponse('It is revoked, with all that descend from it.', RevokedKeys, {
      revoked: [
        { keyId: sampleKey.keyId, operator: 'ada', role: 'admin' },
        { keyId: '8LwR1yZpAq0d', operator: 'nightly job', role: 'support' },
      ],
      keys: [{ keyId: 'Qn9LmTz2VxR4', organizationId: 'acme' }],
      unreached: [],
    }),
    204: { description: 'It is revoked. Only without `descendants`.' },
    404: 'NotFound',
  },
  answer: async ({ params: { keyId = '' }, query, change }, { clock }) => {
    // Whatever else was mistyped here, perhaps a whole key, is not even recorded.
    if (!isKeyId(keyId)) return unknownOperatorKey(keyId)
    const withDescendants = query.descendants === 'true'
    const revokedAt = toInstant(clock.nowMs())
    const changes = change.about(null, { type: 'key', id: keyId })
    const revoked = await changes.revokeOperatorKey({ keyId, revokedAt, withDescendants })
    if (revoked === null) return unknownOperatorKey(keyId)
    if (!withDescendants) return { status: 204, headers: PRIVATE, body: null } as const
    const { operatorKeys, keys, unreached } = revoked
    return jsonReply(200, { revoked: [...operatorKeys], keys: [...keys], unreached: [...unreached] }, PRIVATE)
  },
})

/** The columns of every list of keys, up to those that differ. */
export const stateColumns: readonly Column<
  Pick<v.InferOutput<typeof Published>, 'keyId' | 'state' | 'createdAt' | 'revokedAt' | 'secret'>
>[] = [
  { head: 'key id', of: ({ keyId }) => keyId },
  { head: 'state', of: ({ state }) => state },
  { head: 'issued at', of: ({ createdAt }) => createdAt },
  { head: 'revoked at', of: ({ revokedAt }) => revokedAt },
  { head: 'root secret', of: ({ secret }) => secret },
]

/** The issuer of a key; `root` stands for the holder of the root secret. */
export const issuerColumn: Column<{ readonly issuedBy: string | null }> = {
  head: 'issued by',
  of: ({ issuedBy }) => issuedBy ?? 'root',
}

/** How "key list --operators" prints operator keys. */
export const listedOperatorKeys = {
  operation: listOperatorKeys,
  columns: [
    ...stateColumns,
    { head: 'role', of: ({ role }) => role },
    { head: 'ends at', of: ({ expiresAt }) => expiresAt },
    { head: 'last used', of: ({ lastUsedAt }) => lastUsedAt },
    issuerColumn,
    { head: 'operator', of: ({ operator }) => operator, mayBeCut: true },
  ] satisfies readonly Column<v.InferOutput<typeof Published>>[],
}

/** What "key issue --operator" says of the new key. */
export const issuedOperatorKey = {
  operation: issueOperatorKeyEndpoint,
  says: ({ key, expiresAt }: v.InferOutput<typeof Issued>, { values }: Called): Said =>
    values.expires === undefined && expiresAt !== null
      ? { out: [key], notes: [`It ends at ${expiresAt}, as the key that issued it does.`] }
      : { out: [key] },
}

function unknownOperatorKey(keyId: string) {
  return errorReply(404, `There is no operator key ${echoed(keyId)}.`)
}

function published(
  stored: StoredOperatorKey,
  { secrets, clock }: OperatorWorld,
): v.InferOutput<typeof Published> {
  const { keyId, operator, role, secretVersion, createdAt, expiresAt, revokedAt, lastUsedAt, issuedBy } =
    stored
  const state = keyState(stored, clock)
  const secret = secretName(secretVersion, secrets)
  return { keyId, operator, role, state, createdAt, expiresAt, revokedAt, lastUsedAt, secret, issuedBy }
}
