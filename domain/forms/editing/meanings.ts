import * as v from 'valibot'
import { FormLineInput, type FormLineKey } from '../definition/check.ts'
import type { FormField } from '../definition/definition.ts'
import { FieldSettings } from '../definition/field-schema.ts'

/** A setting of the language of forms, as its declaration has it. */
export interface DeclaredSetting {
  readonly label: string
  readonly meaning: string
  /** What it is; `bound`: a number or a date, as the field's answers are. */
  readonly kind: 'truth' | 'text' | 'number' | 'bound' | 'choice' | 'list' | 'object'
  /** The words that a choice is between. */
  readonly choices: readonly string[]
  /** Whether there is no form or field without it. */
  readonly isNeeded: boolean
}

/** A setting of a form. */
export function formSetting(key: FormLineKey): DeclaredSetting {
  return declared(key, FormLineInput.entries[key])
}

/** A setting of a field. */
export function fieldSetting(key: keyof FormField): DeclaredSetting {
  return declared(key, FieldSettings.entries[key])
}

const kinds: Readonly<Record<string, DeclaredSetting['kind']>> = {
  boolean: 'truth',
  string: 'text',
  number: 'number',
  union: 'bound',
  picklist: 'choice',
  array: 'list',
}

interface Parts {
  readonly type: string
  readonly wrapped?: Parts
  readonly options?: readonly unknown[]
}

function declared(key: string, schema: v.GenericSchema): DeclaredSetting {
  const outer: Parts = schema
  let value = outer
  while (value.wrapped !== undefined) value = value.wrapped
  return {
    label: titleOf(key),
    meaning: v.getDescription(schema) ?? '',
    kind: kinds[value.type] ?? 'object',
    choices: value.type === 'picklist' ? (value.options ?? []).map(String) : [],
    isNeeded: outer.wrapped === undefined,
  }
}

/** A word of the language of forms as a title: `short_text` is “Short text”, `helpText` is “Help text”. */
export function titleOf(word: string): string {
  const words = word
    .replaceAll(/[_\s]+|(?<=[a-z])(?=[A-Z])/g, ' ')
    .trim()
    .toLowerCase()
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}
