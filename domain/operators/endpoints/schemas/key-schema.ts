import * as v from 'valibot'
import type { StoredKey } from '../../../../ports/organizations.ts'
import { KEY_PREFIXES } from '../../../access/api-key.ts'
import { secretName } from '../../../access/secret-use.ts'
import { keysOf } from '../../../text/json.ts'
import { component, described, worded } from '../../../record/meaning.ts'
import type { OperatorWorld } from '../../interface/world.ts'
import { publishedKeySettings, said } from '../../key-settings.ts'
import { keyState, keyStates } from '../../key-state.ts'

export const instant = v.pipe(v.string(), v.isoTimestamp())

/** Who issued a key, of whatever kind. */
export const issuer = worded(
  described(
    v.nullable(v.string()),
    'The operator key that issued it; null: whoever held the root secret. `unknown`: it was issued before that was recorded.',
  ),
  { none: 'the root secret' },
)

/** The published form of a key of an organization or of the platform: without the hash that verifies it. */
export const PublishedKey = v.strictObject({
  keyId: described(v.string(), 'Names the key; the key itself contains it.'),
  kind: described(v.picklist(['tenant', 'platform']), 'Whose it is.'),
  organizationId: described(v.nullable(v.string()), "Its organization; null: it is the platform's."),
  state: described(v.picklist(keyStates), 'Whether it works, and if not, why.'),
  ...publishedKeySettings,
  createdAt: instant,
  expiresAt: said('expiresAt', v.nullable(instant)),
  revokedAt: described(v.nullable(instant), 'When it was revoked; null: it was not.'),
  lastUsedAt: worded(
    described(v.nullable(instant), 'When the hour began in which it was last used; null: never.'),
    { none: 'never' },
  ),
  successorId: described(v.nullable(v.string()), 'The key that took its place in a rotation; null: none.'),
  secret: described(
    v.string(),
    'The root secret that it is hashed under: `current`, `previous`, or its name.',
  ),
  issuedBy: issuer,
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
  issuedBy: '8LwR1yZpAq0d',
}

/** The key itself, in the only reply that shows it. */
export const keyItself = described(v.string(), 'The key, shown this once: only its hash is stored.')

export const IssuedKeyBody = component(
  'IssuedKey',
  described(v.strictObject({ key: keyItself, ...PublishedKey.entries }), 'A new key.'),
)

/** The end of the keys in examples: the id of `sampleKey`, then a secret and a checksum. */
export const SAMPLE_KEY_END = `${sampleKey.keyId}1aYe4Xc9mB7tQ2vN8kLwR1yZpAq0dFhJ2s`

export const sampleIssued: v.InferOutput<typeof IssuedKeyBody> = {
  key: `${KEY_PREFIXES.tenant}acme_${SAMPLE_KEY_END}`,
  ...sampleKey,
  lastUsedAt: null,
}

/** A stored key in its published form. */
export function publishedKey(
  stored: StoredKey,
  { secrets, clock }: Pick<OperatorWorld, 'secrets' | 'clock'>,
): v.InferOutput<typeof PublishedKey> {
  const state = keyState(stored, clock)
  const secret = secretName(stored.secretVersion, secrets)
  const known = { ...stored, state, secret }
  // Only what the schema names is published, so that another stored field never is by accident.
  const entries = keysOf(PublishedKey.entries).map((name) => [name, known[name]] as const)
  return Object.fromEntries(entries) as v.InferOutput<typeof PublishedKey>
}
