import * as v from 'valibot'
import type { FormLineKey } from '../definition/check.ts'
import { FormLineInput } from '../definition/check.ts'
import type { FormField } from '../definition/definition.ts'
import { FieldSettings } from '../definition/field-schema.ts'

/** What a setting of a form means, as its declaration says it. */
export function formMeaning(key: FormLineKey): string {
  return v.getDescription(FormLineInput.entries[key]) ?? ''
}

/** What a setting of a field means, as its declaration says it. */
export function fieldMeaning(setting: keyof FormField): string {
  return v.getDescription(FieldSettings.entries[setting]) ?? ''
}

/** A word of the language of forms as a title: `short_text` is “Short text”, `helpText` is “Help text”. */
export function titleOf(word: string): string {
  const words = word
    .replaceAll(/[_\s]+|(?<=[a-z])(?=[A-Z])/g, ' ')
    .trim()
    .toLowerCase()
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}
