import { suggestion } from '../../text/nearest-word.ts'
import { isSensitiveKey } from '../../text/sensitive-keys.ts'
import { compileForm, isTyped, takesText } from './compile.ts'
import type { FormDefinition } from '../../../ports/records/form-directory.ts'
import type { FormField } from './definition.ts'
import { isAnswerField } from './definition.ts'
import { fieldKeys, nameOf, readField } from './field-settings.ts'

/** Whether a form can be submitted without its hosted page and, if not, why: sentences that name the field. */
export function headlessSupport(definition: FormDefinition): { supported: boolean; reasons: string[] } {
  const compilation = compileForm(definition)
  if (compilation.kind === 'supported') return { supported: true, reasons: [] }
  return { supported: false, reasons: [...compilation.reasons] }
}

/**
 * Warnings for the operator about a form that can be submitted: answers that are never published because of their
 * field's id, and settings without effect. Each is a sentence that names the field.
 */
export function formWarnings(definition: FormDefinition): readonly string[] {
  return definition.fields.flatMap((saved, index) => {
    const reading = readField(saved, index)
    return reading.kind === 'field' ? fieldWarnings(reading.field, Object.keys(saved as object)) : []
  })
}

function fieldWarnings(field: FormField, givenKeys: readonly string[]): readonly string[] {
  const hidden =
    isAnswerField(field) && isSensitiveKey(field.id)
      ? [`${nameOf(field.id)}: its answers are stored but never published, because the id reads as a secret.`]
      : []
  const idle = idleSettings(field).map(
    (setting) => `${nameOf(field.id)}: ${setting} has no effect on a field of type ${field.type}.`,
  )
  const unknown = givenKeys
    .filter((key) => !fieldKeys.includes(key))
    .map(
      (key) =>
        `${nameOf(field.id)}: the setting ${JSON.stringify(key)} is unknown and has no effect.${suggestion(key, fieldKeys)}`,
    )
  return [...hidden, ...idle, ...unknown]
}

function idleSettings(field: FormField): readonly string[] {
  const { type } = field
  const isBounded = type === 'number' || type === 'date'
  const settings: readonly (readonly [string, boolean, boolean])[] = [
    ['required', field.required, isAnswerField(field)],
    ['options', field.options.length > 0, type === 'single_choice' || type === 'multiple_choice'],
    ['min', field.min !== null, isBounded],
    ['max', field.max !== null, isBounded],
    ['minLength', field.minLength !== null, isTyped(field)],
    ['maxLength', field.maxLength !== null, isTyped(field)],
    ['contactField', field.contactField !== null, takesText(field)],
  ]
  return settings.filter(([, isSet, applies]) => isSet && !applies).map(([name]) => name)
}
