import * as fc from 'fast-check'
import {
  answerTypes,
  contactFields,
  ruleOperators,
  type AnswerType,
  type RuleOperator,
} from '../../../../domain/forms/language/definition.ts'
import { subjectTakes, takesNoValue } from '../../../../domain/forms/language/visibility.ts'

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

const text = fc.constantFrom(...awkward)
const choice = fc.noBias(fc.nat(9_999))
/** The value in one of four cases. */
const rarely = <Value>(value: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, value)

type Settings = Readonly<Record<string, fc.Arbitrary<unknown>>>
const drawnRule = fc.record({ match: fc.constantFrom('all', 'any'), subject: choice, operator: choice })
type DrawnRule = typeof drawnRule extends fc.Arbitrary<infer Rule> ? Rule : never
interface Drawn extends Readonly<Record<string, unknown>> {
  readonly type: AnswerType
  readonly visibleWhen: DrawnRule | null
}

/** A field with all the settings of `always`, and any of the others. */
const drawnField: fc.Arbitrary<Drawn> = fc.constantFrom(...answerTypes).chain((type) => {
  const { options, ...settings } = settingsOf(type)
  const always = {
    type: fc.constant(type),
    label: text,
    visibleWhen: fc.option(drawnRule, { freq: 4 }),
    ...(options === undefined ? {} : { options }),
  }
  const others = {
    required: fc.boolean(),
    placeholder: text,
    helpText: text,
    contactField: fc.constantFrom(...contactFields),
    ...settings,
  }
  return fc
    .tuple(fc.record(always), fc.record(others, { requiredKeys: [] }))
    .map(([given, more]) => ({ ...more, ...given }))
})

function settingsOf(type: AnswerType): Settings {
  switch (type) {
    case 'single_choice':
    case 'multiple_choice':
      return {
        options: fc
          .tuple(text, text, text)
          .map((labels) => ['x', '<b>', 'a "b"'].map((value, index) => ({ value, label: labels[index] }))),
      }
    case 'number':
      return { min: fc.constantFrom(0, -2.5, 1), max: fc.constantFrom(2, 1e21) }
    case 'date':
      return { min: fc.constantFrom('2026-01-01', '0000-01-01'), max: fc.constant('2026-12-31') }
    case 'short_text':
    case 'long_text':
    case 'email':
    case 'phone':
      return { minLength: fc.constantFrom(0, 1, 5), maxLength: fc.constantFrom(20, 10_000) }
    case 'boolean':
    case 'consent':
      return {}
  }
}

interface GeneratedForm {
  readonly formId: string
  readonly name: string
  readonly fields: readonly unknown[]
}

/** A form that can be submitted here, with every type of field, setting and rule, and texts that are awkward in HTML. */
export const generatedForm: fc.Arbitrary<GeneratedForm> = fc
  .record({
    name: text,
    used: fc.shuffledSubarray([...ids], { minLength: 1, maxLength: 6 }),
    drawn: fc.array(drawnField, { minLength: 6, maxLength: 6 }),
    heading: rarely(fc.record({ label: text, place: choice })),
    paragraph: rarely(text),
  })
  .map(({ name, used, drawn, heading, paragraph }) => {
    const fields: unknown[] = used.map((id, index) => fieldOf(id, drawn.slice(0, index + 1), used))
    if (heading !== null)
      fields.splice(heading.place % fields.length, 0, { id: 'title', type: 'heading', label: heading.label })
    if (paragraph !== null) fields.push({ id: 'text', type: 'paragraph', label: paragraph })
    return { formId: 'generated', name, fields }
  })

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

/** The last of these fields. Its rule is about one before it, so that there is no cycle. */
function fieldOf(id: string, drawn: readonly Drawn[], used: readonly string[]): unknown {
  const { visibleWhen, ...field } = drawn.at(-1) as Drawn
  if (visibleWhen === null) return { id, ...field }
  if (drawn.length === 1) return { id, ...field, visibleWhen: null }
  const place = visibleWhen.subject % (drawn.length - 1)
  const { type } = drawn[place] as Drawn
  const possible = ruleOperators.filter((each) => subjectTakes(type, each))
  const operator = possible[visibleWhen.operator % possible.length] as RuleOperator
  const value = operands[type]
  const isList =
    ['any_of', 'none_of'].includes(operator) || (type === 'multiple_choice' && /equals/.test(operator))
  const operand = takesNoValue(operator) ? {} : { value: isList ? [value] : value }
  const rule = { field: used[place], operator, ...operand }
  return { id, ...field, visibleWhen: { match: visibleWhen.match, rules: [rule] } }
}
