import * as v from 'valibot'
import { json, personal, type Field } from '../record/field.ts'
import { computed, type DeclaredComputed } from '../record/resource-field.ts'
import { withoutSensitiveKeys } from '../text/sensitive-keys.ts'
import { isJsonObject } from '../text/encoding.ts'

type Answers = Readonly<Record<string, unknown>>

/**
 * The hidden field `answers`. All answers are stored, because the rule about sensitive keys may change later. Imports
 * keep the object unchanged: `v.record` would drop ids such as `constructor`, and accept a list as an object.
 */
export function storedAnswers(): Field<Answers> {
  return personal(
    json(v.record(v.string(), v.unknown()), v.custom<Answers>(isJsonObject, 'must be an object')),
    {},
  )
}

/** The published field `answers`, which `publicAnswers` computes from the stored one. */
export function publishedAnswers(): DeclaredComputed<Answers, 'answers', never> {
  return computed(storedAnswers(), ['answers'])
}

/** The stored answers without sensitive keys, at any depth. */
export function publicAnswers({ answers }: { readonly answers: Answers }): Answers {
  return withoutSensitiveKeys(answers)
}
