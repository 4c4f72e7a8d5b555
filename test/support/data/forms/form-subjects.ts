import type { FormDefinition } from '../../../../ports/records.ts'
import { headlessSupport } from '../../../../domain/forms/language/compile.ts'
import { definitionOf, fieldOf, optionsOf, when } from './forms.ts'

/** Why a form cannot be submitted headlessly. */
export const reasonsFor = (
  fields: readonly unknown[],
  settings: Partial<FormDefinition> = {},
): readonly string[] => headlessSupport(definitionOf(fields, settings)).reasons

export const text = fieldOf('a', 'short_text')
export const number = fieldOf('n', 'number')
export const date = fieldOf('d', 'date')
export const phone = fieldOf('p', 'phone')
export const flag = fieldOf('f', 'boolean')
export const one = fieldOf('one', 'single_choice', { options: optionsOf('x', 'y') })
export const many = fieldOf('many', 'multiple_choice', { options: optionsOf('x', 'y') })
/** Fields on which others may depend, and one on which they may not. */
export const subjects = [text, number, date, phone, flag, one, many, fieldOf('h', 'heading')]
/** A field that is shown when a rule holds. */
export const shownWhen = (...rule: Parameters<typeof when>): unknown =>
  fieldOf('t', 'short_text', { visibleWhen: when(...rule) })
