import * as v from 'valibot'
import type { StoredKey } from '../../../ports/administration.ts'
import { secretName } from '../../access/secret-use.ts'
import { component, described } from '../../record/meaning.ts'
import type { OperatorWorld } from '../interface/world.ts'
import { keyState } from '../key-state.ts'

export const instant = v.pipe(v.string(), v.isoTimestamp())

/** A key of an organization or of the platform, as it is published: without what proves it. */
export const PublishedKey = v.strictObject({
  keyId: described(v.string(), 'Names the key; the key itself contains it.'),
  kind: described(v.picklist(['tenant', 'platform']), 'Whose it is.'),
  organizationId: described(v.nullable(v.string()), "Its organization; null: it is the platform's."),
  state: described(v.picklist(['active', 'revoked', 'expired']), 'Whether it works, and if not, why.'),
  label: described(v.nullable(v.string()), 'What operators call it; null: nothing.'),
  scope: described(v.picklist(['read', 'send', 'all']), 'What it may be used for.'),
  ratePerMinute: described(
    v.nullable(v.pipe(v.number(), v.integer(), v.minValue(1))),
    'Most requests within any 60 seconds; null: as many as come.',
  ),
  createdAt: instant,
  expiresAt: described(
    v.nullable(instant),
    'The first instant at which it does not work; null: it has no end.',
  ),
  revokedAt: described(v.nullable(instant), 'When it was revoked; null: it was not.'),
  lastUsedAt: described(v.nullable(instant), 'When the hour began in which it was last used; null: never.'),
  successorId: described(v.nullable(v.string()), 'The key that took its place in a rotation; null: none.'),
  secret: described(
    v.string(),
    'The root secret that it is hashed under: `current`, `previous`, or its name.',
  ),
})

export const sampleKey: v.InferOutput<typeof PublishedKey> = {
  keyId: '3kTzB0n9QmVx',
  kind: 'tenant',
  organizationId: 'acme',
  state: 'active',
  label: 'nightly sync',
  scope: 'read',
  ratePerMinute: 600,
  createdAt: '2026-03-01T14:00:00.000Z',
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: '2026-05-19T17:00:00.000Z',
  successorId: null,
  secret: 'current',
}

/** The key itself, in the one answer that shows it. */
const keyItself = described(v.string(), 'The key, shown this once: only its hash is stored.')

export const IssuedKey = component(
  'IssuedKey',
  described(v.strictObject({ key: keyItself, ...PublishedKey.entries }), 'A new key.'),
)

export const sampleIssued: v.InferOutput<typeof IssuedKey> = {
  key: 'ck_live_acme_3kTzB0n9QmVx1aYe4Xc9mB7tQ2vN8kLwR1yZpAq0dFhJ2s',
  ...sampleKey,
  lastUsedAt: null,
}

/** A stored key as it is published. */
export function publishedKey(
  stored: StoredKey,
  { secrets, clock }: Pick<OperatorWorld, 'secrets' | 'clock'>,
): v.InferOutput<typeof PublishedKey> {
  const { keyId, kind, organizationId, label, scope, ratePerMinute } = stored
  const { createdAt, expiresAt, revokedAt, lastUsedAt, successorId } = stored
  return {
    keyId,
    kind,
    organizationId,
    state: keyState(stored, clock),
    label,
    scope,
    ratePerMinute,
    createdAt,
    expiresAt,
    revokedAt,
    lastUsedAt,
    successorId,
    secret: secretName(stored.secretVersion, secrets),
  }
}
