import * as v from 'valibot'
import { json, personal, type Field } from '../../record/field.ts'
import { cutText } from '../../text/typed-text.ts'

/** The sources to which a visit can be attributed: control keys of a submission, without their leading underscore. */
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

/** Longer values are cut to this length, in UTF-16 units, when they are stored (contract, Limits). */
export const attributionMaxLength = 450

const entries = v.entriesFromList(attributionKeys, v.optional(v.string()))

const Attribution = v.strictObject(entries)
type Attribution = v.InferOutput<typeof Attribution>

/** Normalises attribution values: trims and cuts them, and leaves out blank ones. */
function stored(given: Attribution): Attribution {
  const texts = Object.entries(given).map(
    ([key, text = '']) => [key, cutText(text.trim(), attributionMaxLength)] as const,
  )
  return Object.fromEntries(texts.filter(([, text]) => text !== ''))
}

/** The field for an object of the attribution values that were given; missing ones are left out. */
export function attribution(): Field<Attribution> {
  return personal(json(Attribution, v.pipe(Attribution, v.transform(stored))), {})
}
