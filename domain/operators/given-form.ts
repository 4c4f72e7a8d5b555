import type { FormLineReading } from '../forms/definition/check.ts'
import { formLineKeys, isFormLineKey, readFormLine } from '../forms/definition/check.ts'
import { fieldKeys } from '../forms/definition/field-settings.ts'
import { isJsonObject } from '../text/json.ts'
import { suggestion } from '../text/nearest-word.ts'

/** A form as an operator gives it. */
export type GivenForm = Readonly<Record<string, unknown>>

/** What is wrong with a key of a form. */
export interface KeyProblem {
  /** The key of the form, or of one of its fields, such as `fields[0].type`. */
  readonly field: string
  /** The rest of a sentence that begins with the key. */
  readonly message: string
}

/** Reads a form, which may leave out more than a line of an import. Keys that no form has are not looked at. */
export function readGivenForm(form: GivenForm): FormLineReading {
  return readFormLine({ isPublished: false, notificationEmails: [], ...knownOf(form) })
}

/** The form without keys that are not those of a form: they have problems of their own. */
function knownOf(form: GivenForm): GivenForm {
  return Object.fromEntries(Object.entries(form).filter(([key]) => isFormLineKey(key)))
}

/** Problems of keys that a form, or one of its fields, cannot have. */
export function unknownKeysOf(form: GivenForm): readonly KeyProblem[] {
  const unknown = (value: object, known: readonly string[], prefix: string) =>
    Object.keys(value)
      .filter((key) => !known.includes(key))
      .map((key) => ({ field: `${prefix}${key}`, message: `is not a known key.${suggestion(key, known)}` }))
  const fields: readonly unknown[] = Array.isArray(form.fields) ? form.fields : []
  return [
    ...unknown(form, formLineKeys, ''),
    ...fields.flatMap((field, index) =>
      isJsonObject(field) ? unknown(field, fieldKeys, `fields[${index}].`) : [],
    ),
  ]
}
