import * as v from 'valibot'
import type { Field } from '../contract/field.ts'
import { json } from '../contract/field.ts'

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

const entries = v.entriesFromList(attributionKeys, v.optional(v.string()))

/** An object of the attribution values that were given; absent ones are left out. */
export function attribution(): Field<v.InferOutput<v.StrictObjectSchema<typeof entries, undefined>>> {
  return json(v.strictObject(entries))
}
