import { hasEffect } from '../../../../../../domain/forms/definition/applicable.ts'
import type {
  AnswerType,
  ContactField,
  DisplayType,
} from '../../../../../../domain/forms/definition/definition.ts'
import { contactFields } from '../../../../../../domain/forms/definition/definition.ts'
import { titleOf } from '../../../../../../domain/forms/editing/meanings.ts'
import { membersOf } from '../../../../../../domain/text/json.ts'
import type { FormJson } from './form-json.ts'
import { freeId, idFrom } from './ids.ts'

export type FieldType = AnswerType | DisplayType

/** A field of a type that can be shown at once. An address fills the contact's, unless another field does. */
export function newField(type: FieldType, others: readonly unknown[]): FormJson {
  const label = titleOf(type)
  const settings = others.map(membersOf)
  const attribute = contactFields.find((name) => name === type)
  const isFilled = (name: ContactField) => settings.some(({ contactField }) => contactField === name)
  return {
    id: freeId(
      idFrom(label, type),
      settings.map(({ id }) => id),
    ),
    type,
    label,
    ...(attribute !== undefined && !isFilled(attribute) ? { contactField: attribute } : {}),
    ...(hasEffect('options', type) ? { options: firstOptions } : {}),
  }
}

/** What a new choice has: one without options cannot be shown. */
export const firstOptions = [1, 2].map((count) => ({ value: `option_${count}`, label: `Option ${count}` }))
