import * as v from 'valibot'
import type { Field } from '../../record/field.ts'
import { json } from '../../record/field.ts'
import { cutText } from '../../text/cut-text.ts'

/** What a visit can be attributed to: the control keys of a submission without their leading underscore. */
export const attributionKeys = [
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
  'gclid',
  'gbraid',
  'wbraid',
  'fbclid',
  'referrer',
  'landing_url',
] as const

/** Longer values are cut when they are stored (contract, Limits). */
export const attributionMaxLength = 450

const entries = v.entriesFromList(attributionKeys, v.optional(v.string()))

const Attribution = v.strictObject(entries)
type Attribution = v.InferOutput<typeof Attribution>

/** Reads the attribution among a submission's control keys: values are trimmed and cut, and blank ones are left out. */
function stored(given: Attribution): Attribution {
  const texts = Object.entries(given).map(
    ([key, text = '']) => [key, cutText(text.trim(), attributionMaxLength)] as const,
  )
  return Object.fromEntries(texts.filter(([, text]) => text !== ''))
}

/** An object of the attribution values that were given; absent ones are left out. */
export function attribution(): Field<Attribution> {
  return json(Attribution, v.pipe(Attribution, v.transform(stored)))
}
