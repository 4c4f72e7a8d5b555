import * as v from 'valibot'
import type { KeyAttributes, KeyScope } from '../../ports/organizations.ts'
import { RATE_WINDOW_MS } from '../access/rate-limiter.ts'
import { sets, text } from '../record/command.ts'
import { described, worded, type Words } from '../record/meaning.ts'
import { isCalendarDate, parseInstant } from '../text/instant.ts'

// The settings of a new key. Each message is the rest of a sentence that begins with the setting's name.

const LABEL_MAX_LENGTH = 100
const RATE_MAX = 10_000
/** What a key may be used for. */
export const keyScopes = ['read', 'send', 'all'] as const satisfies readonly KeyScope[]

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
export const keySettings = {
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
export const publishedKeySettings = {
  label: said('label', v.nullable(v.string())),
  scope: said('scope', v.picklist(keyScopes)),
  ratePerMinute: said('ratePerMinute', v.nullable(v.pipe(v.number(), v.integer(), v.minValue(1)))),
} satisfies Readonly<Record<keyof KeyAttributes, v.GenericSchema>>

/** The schema of a setting, with what is said about it. */
export function said<Schema extends v.GenericSchema>(name: keyof typeof keySettings, schema: Schema) {
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
