import * as v from 'valibot'
import type { KeyAttributes, KeyScope, StoredKey, Administration } from '../../ports/organizations.ts'
import { RATE_WINDOW_MS } from '../access/rate-limiter.ts'
import { echoed } from '../limits/limits.ts'
import { sets, text } from '../record/command.ts'
import { described, worded, component, type Words } from '../record/meaning.ts'
import { errorReply } from '../record/reply.ts'
import { isCalendarDate, parseInstant, toInstant } from '../text/instant.ts'
import { KEY_PREFIXES, issueKey, type NewKey } from '../access/keys.ts'
import { keysOf } from '../text/encoding.ts'
import type { OperatorWorld } from './world.ts'
import { instant } from './serve.ts'
import type { Clock, RandomSource } from '../../ports/platform.ts'
import type { Secrets } from '../access/secrets.ts'

// The settings of a new key. Each message is the rest of a sentence that begins with the setting's name.

const LABEL_MAX_LENGTH = 100

const RATE_MAX = 10_000

/** What a key may be used for. */
const keyScopes = ['read', 'send', 'all'] as const satisfies readonly KeyScope[]

const LABEL = `must be 1 to ${LABEL_MAX_LENGTH} characters, on one line and without control characters`

const EXPIRES_AT =
  'must be an ISO 8601 instant with an explicit offset, such as 2030-01-31T18:00:00Z, or a day, which stands for its first instant in UTC'

const RATE = `must be a whole number of requests a minute from 1 to ${RATE_MAX}`

/** Line separators and control characters. They would break the list of keys, which has one line for each key. */
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]/u

const Label = v.pipe(
  v.string(LABEL),
  v.check((label) => label.trim() !== '' && label.length <= LABEL_MAX_LENGTH && !BREAKS.test(label), LABEL),
)

/** The expiry of a key: an instant or a day, read as a UTC instant. */
export const ExpiresAt = worded(
  v.pipe(
    v.string(EXPIRES_AT),
    v.rawTransform(({ dataset: { value: given }, addIssue, NEVER }): string => {
      const instant = isCalendarDate(given) ? `${given}T00:00:00.000Z` : parseInstant(given)
      if (instant !== null) return instant
      addIssue({ message: EXPIRES_AT })
      return NEVER
    }),
  ),
  { isInstant: true },
)

const RatePerMinute = v.pipe(v.number(RATE), v.integer(RATE), v.minValue(1, RATE), v.maxValue(RATE_MAX, RATE))

/** A setting of a key: what the operator interface and the console say about it. */
interface KeySetting {
  /** What it means, alike in requests and responses. */
  readonly meaning: string
  readonly words: Words
}

/** The settings of a key. */
const keySettings = {
  label: {
    meaning: 'What operators call it; null: nothing.',
    words: { hint: 'What it is for, such as nightly sync.' },
  },
  scope: {
    meaning: 'What it may be used for.',
    words: { choices: { all: 'Everything', read: 'Read', send: 'Send messages' } },
  },
  expiresAt: {
    meaning:
      'The first instant at which it does not work; null: it has no end. In a request, a day stands for its first instant in UTC.',
    words: { hint: 'Left empty: never.', none: 'never' },
  },
  ratePerMinute: {
    meaning: `Most requests within any ${RATE_WINDOW_MS / 1000} seconds; null: as many as come.`,
    words: { label: 'Requests a minute', hint: 'Left empty: no limit.', none: 'no limit' },
  },
} as const satisfies Readonly<Record<keyof KeyAttributes | 'expiresAt', KeySetting>>

/** The settings of a new key. A key without settings is unlimited. */
export const KeySettings = v.strictObject({
  label: v.exactOptional(said('label', Label)),
  scope: v.exactOptional(said('scope', v.picklist(keyScopes, `must be one of ${keyScopes.join(', ')}`))),
  expiresAt: v.exactOptional(said('expiresAt', ExpiresAt)),
  ratePerMinute: v.exactOptional(said('ratePerMinute', RatePerMinute)),
} satisfies Readonly<Record<keyof typeof keySettings, v.GenericSchema>>)

export type KeySettings = v.InferOutput<typeof KeySettings>

/** The flags of the settings on the command line. */
export const keyFlags = {
  label: sets('label', text('TEXT'), Label),
  scope: sets('scope', text(keyScopes.join('|'))),
  expires: sets('expiresAt', text('ISO'), ExpiresAt),
  rate: sets(
    'ratePerMinute',
    text('N'),
    v.pipe(
      v.string(),
      // Any text but a whole number in decimal digits is NaN, which the setting does not accept.
      v.transform((digits) => (/^\d+$/.test(digits) ? Number(digits) : Number.NaN)),
      RatePerMinute,
    ),
  ),
} as const

/** The entries of a key's published settings. */
const publishedKeySettings = {
  label: said('label', v.nullable(v.string())),
  scope: said('scope', v.picklist(keyScopes)),
  ratePerMinute: said('ratePerMinute', v.nullable(v.pipe(v.number(), v.integer(), v.minValue(1)))),
} satisfies Readonly<Record<keyof KeyAttributes, v.GenericSchema>>

/** The schema of a setting, with what is said about it. */
function said<Schema extends v.GenericSchema>(name: keyof typeof keySettings, schema: Schema) {
  const { meaning, words } = keySettings[name]
  return worded(described(schema, meaning), words)
}

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const

const OVERLAP_MAX_DAYS = 365

const OVERLAP = `must be a number of minutes, hours or days, such as 30m, 12h or 7d, and at most ${OVERLAP_MAX_DAYS}d`

/** How long a key works beside its successor: text such as `7d`, read as milliseconds. `0d`: the key ends at once. */
export const Overlap = v.pipe(
  v.string(OVERLAP),
  v.rawTransform(({ dataset: { value: given }, addIssue, NEVER }): number => {
    const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(given) ?? []
    const overlapMs = Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS]
    // For text of another form this is NaN, which is not within any bound.
    if (overlapMs <= OVERLAP_MAX_DAYS * UNIT_MS.d) return overlapMs
    addIssue({ message: OVERLAP })
    return NEVER
  }),
)

/** The flag of the overlap, which the operation reads. */
export const overlapFlag = sets(
  'overlap',
  text('7d', 'required'),
  v.pipe(
    v.string(),
    v.check((given) => v.is(Overlap, given), OVERLAP),
  ),
)

/** Whether a key works, and if not, why. */
export const keyStates = ['active', 'revoked', 'expired'] as const

type KeyState = (typeof keyStates)[number]

/** The state of a key at this moment, by the same rule as the statement that proves keys. */
export function keyState(
  { revokedAt, expiresAt }: Pick<StoredKey, 'revokedAt' | 'expiresAt'>,
  clock: Clock,
): KeyState {
  if (revokedAt !== null) return 'revoked'
  return expiresAt !== null && expiresAt <= toInstant(clock.nowMs()) ? 'expired' : 'active'
}

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

/** The ports that issuing and rotating keys needs. */
export interface KeyIssuing {
  readonly keys: Pick<Administration, 'addKey' | 'findKey' | 'rotateKey'>
  readonly secrets: Secrets
  readonly random: RandomSource
  readonly clock: Clock
  /** The operator key that issues; null: the holder of the root secret does. */
  readonly issuedBy: string | null
}

/** The answer when no key was issued, because the operator key of the request has ended meanwhile. */
export function issuerEnded() {
  return errorReply(409, 'The key of this request was revoked or has expired meanwhile. No key was issued.')
}

/** The answer about a key that does not exist, or that the caller may not see. */
export function unknownKey(keyId: string) {
  return errorReply(404, `There is no key ${echoed(keyId)}.`)
}

/** The answer to an end that is not in the future; null: it is, or there is no end. */
export function refusedEnd(expiresAt: string | null | undefined, clock: Clock) {
  const isPast = expiresAt != null && expiresAt <= toInstant(clock.nowMs())
  return isPast ? errorReply(400, 'expiresAt: must be in the future.') : null
}

/**
 * Checks the settings of a new key, makes it and stores it.
 * @param organizationId the owner, which must exist; null: the platform
 */
export async function issueCheckedKey(
  organizationId: string | null,
  settings: KeySettings,
  { keys, secrets, random, clock, issuedBy }: KeyIssuing,
) {
  const refusal = refusedEnd(settings.expiresAt, clock)
  if (refusal !== null) return { refusal }
  if (organizationId === null && settings.scope === 'read')
    return { refusal: errorReply(400, 'scope: of a platform key must be send or all: it can only send.') }
  const issued = await issueKey({ organizationId, ...settings, issuedBy }, secrets, random, clock)
  return (await keys.addKey(issued.stored)) ? issued : { refusal: issuerEnded() }
}

/** An operator's request to replace a key. */
interface RotationRequest {
  readonly keyId: string
  /** For how long the key works beside its successor. */
  readonly overlapMs: number
  /** The end of the successor; left out: that of the key. */
  readonly expiresAt?: string
}

/**
 * Issues a successor with the attributes of a key. The key ends after the overlap, or at its own expiry if that comes
 * first. A key can have only one successor, so that the end of the overlap is never passed on as an expiry.
 */
export async function rotateKey(
  { keyId, overlapMs, expiresAt }: RotationRequest,
  { keys, secrets, random, clock, issuedBy }: KeyIssuing,
) {
  const refusal = refusedEnd(expiresAt, clock)
  if (refusal !== null) return { refusal }
  const replaced = await keys.findKey(keyId)
  if (replaced === null) return { refusal: unknownKey(keyId) }
  const issued = await issueKey({ ...successorOf(replaced, expiresAt), issuedBy }, secrets, random, clock)
  const overlapEnd = toInstant(clock.nowMs() + overlapMs)
  const isRotated = await keys.rotateKey({ keyId, successor: issued.stored, endsAt: overlapEnd })
  if (!isRotated) return { refusal: notRotated(keyId, await keys.findKey(keyId), clock) }
  const endsAt =
    replaced.expiresAt !== null && replaced.expiresAt < overlapEnd ? replaced.expiresAt : overlapEnd
  return { endsAt, ...issued }
}

function successorOf(replaced: StoredKey, expiresAt = replaced.expiresAt): NewKey {
  return { ...replaced, expiresAt }
}

function notRotated(keyId: string, found: StoredKey | null, clock: Clock) {
  if (found === null) return unknownKey(keyId)
  const { successorId } = found
  if (successorId !== null)
    return errorReply(409, `The key ${keyId} was replaced before. Its successor is ${successorId}.`)
  const state = keyState(found, clock)
  return state === 'active'
    ? issuerEnded()
    : errorReply(409, `The key ${keyId} is ${state}. Issue a new one.`)
}

/**
 * The name that operators use for the root secret of a version. Without the secrets, or for another version, it is the
 * version itself.
 */
export function secretName(version: string, secrets: Secrets | null): string {
  if (version === secrets?.current.version) return 'current'
  return version === secrets?.previous?.version ? 'previous' : version
}
