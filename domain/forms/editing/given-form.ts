import { formLineKeys, isFormLineKey, readFormLine, type FormLineReading } from '../definition/check.ts'
import { fieldKeys } from '../definition/field-settings.ts'
import { fieldPath, type FormPath } from '../definition/problem.ts'
import { isJsonObject, listOf } from '../../text/json.ts'
import { suggestion } from '../../text/nearest-word.ts'

/** A form as an operator gives it. */
export type GivenForm = Readonly<Record<string, unknown>>

/** A key that a form, or one of its fields, cannot have. */
export interface UnknownKey {
  readonly path: FormPath
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

/** The keys that a form, or one of its fields, cannot have. */
export function unknownKeysOf(form: GivenForm): readonly UnknownKey[] {
  const unknown = (value: object, known: readonly string[], around: FormPath) =>
    Object.keys(value)
      .filter((key) => !known.includes(key))
      .map((key) => ({
        path: [...around, key],
        message: `is not a known key.${suggestion(key, known)}`,
      }))
  return [
    ...unknown(form, formLineKeys, []),
    ...listOf(form.fields).flatMap((field, index) =>
      isJsonObject(field) ? unknown(field, fieldKeys, fieldPath(index)) : [],
    ),
  ]
}
