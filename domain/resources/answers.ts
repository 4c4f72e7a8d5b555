import * as v from 'valibot'
import type { Field } from '../contract/field.ts'
import { json } from '../contract/field.ts'
import type { ResourceField } from '../contract/resource.ts'
import { computed } from '../contract/resource.ts'
import { withoutSensitiveKeys } from '../text/sensitive-keys.ts'

type Answers = Readonly<Record<string, unknown>>

/** The hidden field `answers`: stored whole, for what counts as sensitive may change. */
export function storedAnswers(): Field<Answers> {
  return json(v.record(v.string(), v.unknown()))
}

/** The published field `answers`: the stored ones without sensitive keys, at any depth. */
export function publishedAnswers(): ResourceField {
  return computed(storedAnswers(), ['answers'], (row) => withoutSensitiveKeys(row.answers) as Answers)
}
