import { suggestion } from '../../text/schema-errors.ts'
import { isSensitiveKey } from '../../text/sensitive-keys.ts'
import {
  hasEffect,
  limitedSettings,
  fieldKeys,
  nameOf,
  readField,
  fieldPath,
  sentencesOf,
  type FormProblem,
} from './compile.ts'
import type { FormDefinition } from '../../../ports/records.ts'
import { isAnswerField, type FormField } from './definition.ts'

/**
 * Warnings for the operator about a form that can be submitted: answers that are never published because of their
 * field's id, and settings without effect. Each is a sentence that names the field.
 */
export function formWarnings(definition: Pick<FormDefinition, 'fields'>): readonly string[] {
  return sentencesOf(placedWarnings(definition))
}

/** The same with their places. */
export function placedWarnings({ fields }: Pick<FormDefinition, 'fields'>): readonly FormProblem[] {
  return fields.flatMap((saved, index) => {
    const reading = readField(saved, index)
    if (reading.kind !== 'field') return []
    return fieldWarnings(reading.field, Object.keys(saved as object)).map(([setting, warning]) => ({
      path: fieldPath(index, setting),
      sentence: `${nameOf(reading.field.id)}: ${warning}`,
    }))
  })
}

type Warning = readonly [setting: string, warning: string]

function fieldWarnings(field: FormField, givenKeys: readonly string[]): readonly Warning[] {
  const hidden: readonly Warning[] =
    isAnswerField(field) && isSensitiveKey(field.id)
      ? [['id', 'its answers are stored but never published, because the id reads as a secret.']]
      : []
  const idle = limitedSettings
    .filter((setting) => isSet(field[setting]) && !hasEffect(setting, field.type))
    .map((setting): Warning => [setting, `${setting} has no effect on a field of type ${field.type}.`])
  const unknown = givenKeys
    .filter((key) => !fieldKeys.includes(key))
    .map((key): Warning => [
      key,
      `the setting ${JSON.stringify(key)} is unknown and has no effect.${suggestion(key, fieldKeys)}`,
    ])
  return [...hidden, ...idle, ...unknown]
}

/** Whether a setting of a field that was read says anything. */
function isSet(value: FormField[keyof FormField]): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== null && value !== false
}

/** A shorter password can be guessed by trial, because the service does not limit the number of attempts. */
const PASSWORD_MIN_LENGTH = 10

/** What is known of a form besides its definition. */
interface FormUse {
  /** In clear text; null: the form has none. */
  readonly password: string | null
  /** What automations send to the contact after a submission, such as `email`. */
  readonly messages: readonly string[]
}

function tooMany(message: string): string {
  const article = /^[aeiou]/.test(message) ? 'an' : 'a'
  return `An automation sends ${article} ${message} to the contact after each submission, and submissionLimitPerContact is not set: whoever submits often has many sent.`
}

/** What an attacker could do to a form, or at its owner's cost, as sentences for the operator. */
export function abuseWarnings(
  { submissionLimitPerContact }: FormDefinition,
  { password, messages }: FormUse,
): readonly string[] {
  const isWeak = password !== null && Array.from(password).length < PASSWORD_MIN_LENGTH
  const isUnlimited = (submissionLimitPerContact ?? null) === null
  return [
    ...(isWeak ? [`The password has fewer than ${PASSWORD_MIN_LENGTH} characters.`] : []),
    ...(isUnlimited ? messages.map(tooMany) : []),
  ]
}
