import * as v from 'valibot'
import type { Field } from '../contract/field.ts'
import { json } from '../contract/field.ts'
import type { ResourceField } from '../contract/resource.ts'
import { computed } from '../contract/resource.ts'
import { withoutSensitiveKeys } from '../text/sensitive-keys.ts'

type Answers = Readonly<Record<string, unknown>>

/**
 * The hidden field `answers`: stored whole, for what counts as sensitive may change. Imports pass the object through as
 * it is: `v.record` would drop ids such as `constructor`, and take a list for an object.
 */
export function storedAnswers(): Field<Answers> {
  return json(v.record(v.string(), v.unknown()), v.custom<Answers>(isObject, 'must be an object'))
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The published field `answers`: the stored ones without sensitive keys, at any depth. */
export function publishedAnswers(): ResourceField {
  return computed(storedAnswers(), ['answers'], (row) => withoutSensitiveKeys(row.answers) as Answers)
}
