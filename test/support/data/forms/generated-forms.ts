import { answerTypes, contactFields } from '../../../../domain/forms/definition/definition.ts'
import type { AnswerType } from '../../../../domain/forms/definition/definition.ts'
import { subjectTakes, takesNoValue } from '../../../../domain/forms/definition/rules/visibility.ts'
import { ruleOperators } from '../../../../domain/forms/definition/definition.ts'

/** Draws from [0, 1). */
export type Draw = () => number

type Settings = Record<string, unknown>

/** Texts that a page must show as they are. */
const awkward = [
  'Name',
  '<script>alert(1)</script>',
  '"quotes" & \'apostrophes\'',
  'عربي \u202eright to left',
  '  ',
  '😀 two\nlines',
  '</textarea></form>',
  '{{template}} ${value}',
]

const ids = ['a', 'b c', 'd"e', "f'g", 'h<i>', 'j&amp;k', 'ключ', 'elements', 'action', 'l.m[0]'] as const

/** One of the list. */
function one<Item>(draw: Draw, list: readonly Item[]): Item {
  return list[Math.floor(draw() * list.length)] as Item
}

/** The value with the given chance; otherwise nothing. */
function maybe(draw: Draw, chance: number, name: string, value: () => unknown): Settings {
  return draw() < chance ? { [name]: value() } : {}
}

/** A form that can be submitted here, with every type of field, setting and rule, and texts that are awkward in HTML. */
export function drawForm(draw: Draw): {
  readonly formId: string
  readonly name: string
  readonly fields: unknown[]
} {
  const used = [...ids].sort(() => draw() - 0.5).slice(0, 1 + Math.floor(draw() * 6))
  const fields: Settings[] = []
  for (const id of used) fields.push(drawField(draw, id, fields))
  if (draw() < 0.3)
    fields.splice(Math.floor(draw() * fields.length), 0, {
      id: 'title',
      type: 'heading',
      label: one(draw, awkward),
    })
  if (draw() < 0.3) fields.push({ id: 'text', type: 'paragraph', label: one(draw, awkward) })
  return { formId: 'generated', name: one(draw, awkward), fields }
}

function drawField(draw: Draw, id: string, before: readonly Settings[]): Settings {
  const type = one(draw, answerTypes)
  return {
    id,
    type,
    label: one(draw, awkward),
    ...maybe(draw, 0.5, 'required', () => draw() < 0.7),
    ...maybe(draw, 0.4, 'placeholder', () => one(draw, awkward)),
    ...maybe(draw, 0.4, 'helpText', () => one(draw, awkward)),
    ...maybe(draw, 0.3, 'contactField', () => one(draw, contactFields)),
    ...settingsOf(draw, type),
    ...maybe(draw, 0.4, 'visibleWhen', () => drawRules(draw, before)),
  }
}

function settingsOf(draw: Draw, type: AnswerType): Settings {
  switch (type) {
    case 'single_choice':
    case 'multiple_choice':
      return {
        options: ['x', '<b>', 'a "b"'].map((value) => ({ value, label: one(draw, awkward) })),
      }
    case 'number':
      return {
        ...maybe(draw, 0.5, 'min', () => one(draw, [0, -2.5, 1])),
        ...maybe(draw, 0.5, 'max', () => one(draw, [2, 1e21])),
      }
    case 'date':
      return {
        ...maybe(draw, 0.5, 'min', () => one(draw, ['2026-01-01', '0000-01-01'])),
        ...maybe(draw, 0.5, 'max', () => '2026-12-31'),
      }
    case 'short_text':
    case 'long_text':
    case 'email':
    case 'phone':
      return {
        ...maybe(draw, 0.3, 'minLength', () => one(draw, [0, 1, 5])),
        ...maybe(draw, 0.3, 'maxLength', () => one(draw, [20, 10_000])),
      }
    case 'boolean':
    case 'consent':
      return {}
  }
}

const operands: Readonly<Record<AnswerType, unknown>> = {
  short_text: 'yes',
  long_text: 'yes',
  email: 'ada@example.com',
  phone: '2125550100',
  number: 1,
  date: '2026-06-01',
  single_choice: 'x',
  multiple_choice: 'x',
  boolean: true,
  consent: true,
}

/** Rules about fields that were drawn before, so that there is no cycle. */
function drawRules(draw: Draw, before: readonly Settings[]): unknown {
  if (before.length === 0) return null
  const subject = one(draw, before)
  const type = subject.type as AnswerType
  const operator = one(
    draw,
    ruleOperators.filter((each) => subjectTakes(type, each)),
  )
  const value = operands[type]
  const isList =
    ['any_of', 'none_of'].includes(operator) || (type === 'multiple_choice' && /equals/.test(operator))
  const rule = {
    field: subject.id,
    operator,
    ...(takesNoValue(operator) ? {} : { value: isList ? [value] : value }),
  }
  return { match: one(draw, ['all', 'any']), rules: [rule] }
}
