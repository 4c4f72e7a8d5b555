import { clearHiddenProcessInfo, conditionProcessInfo, processSync } from '@formio/core/process'
import type { Rule } from '../../domain/forms/language/definition.ts'
import type { TestCase, TestField } from './generate.ts'
import type { Library } from './library.ts'

const componentTypes: Readonly<Record<TestField['type'], string>> = {
  short_text: 'textfield',
  long_text: 'textarea',
  email: 'email',
  phone: 'phoneNumber',
  number: 'number',
  date: 'datetime',
  single_choice: 'radio',
  multiple_choice: 'selectboxes',
  boolean: 'checkbox',
  consent: 'checkbox',
}

const operatorNames: Partial<Readonly<Record<Rule['operator'], string>>> = {
  is_empty: 'isEmpty',
  is_not_empty: 'isNotEmpty',
  equals: 'isEqual',
  not_equals: 'isNotEqual',
  contains: 'includes',
  not_contains: 'notIncludes',
  greater_than: 'greaterThan',
  greater_or_equal: 'greaterThanOrEqual',
  less_than: 'lessThan',
  less_or_equal: 'lessThanOrEqual',
}

/** In Form.io a group of checkboxes is one object of booleans, and "is equal" asks for one of them. */
const selectboxesNames: Partial<Readonly<Record<Rule['operator'], string>>> = {
  is_empty: 'isEmpty',
  is_not_empty: 'isNotEmpty',
  contains: 'isEqual',
  not_contains: 'isNotEqual',
}

const dateNames: Partial<Readonly<Record<Rule['operator'], string>>> = {
  is_empty: 'isEmpty',
  is_not_empty: 'isNotEmpty',
  equals: 'isDateEqual',
  not_equals: 'isNotDateEqual',
  greater_than: 'dateGreaterThan',
  greater_or_equal: 'dateGreaterThanOrEqual',
  less_than: 'dateLessThan',
  less_or_equal: 'dateLessThanOrEqual',
}

function namesOf(type: TestField['type']): typeof operatorNames {
  if (type === 'multiple_choice') return selectboxesNames
  return type === 'date' ? dateNames : operatorNames
}

/**
 * Form.io as its server evaluates a submission, in one pass: it evaluates conditions and then clears what they hide.
 */
export const formio: Library = {
  name: '@formio/core',
  shares: (type, operator) => operator in namesOf(type),
  visible({ fields, answers }) {
    const types = new Map(fields.map(({ id, type }) => [id, type]))
    const components = fields.map((field) => component(field, types))
    const data = dataOf(fields, answers)
    const scope: {
      conditionals?: readonly { readonly path: string; readonly conditionallyHidden: boolean }[]
    } = {}
    processSync({
      form: { components },
      submission: { data },
      components,
      data,
      scope,
      processors: [conditionProcessInfo, clearHiddenProcessInfo],
    } as unknown as Parameters<typeof processSync>[0])
    const hidden = new Set(
      (scope.conditionals ?? []).filter((one) => one.conditionallyHidden).map(({ path }) => path),
    )
    return new Set(fields.map(({ id }) => id).filter((id) => !hidden.has(id)))
  },
}

type Types = ReadonlyMap<string, TestField['type']>

function component({ id, type, options = [], visibleWhen }: TestField, types: Types): object {
  return {
    key: id,
    type: componentTypes[type],
    input: true,
    ...(options.length === 0 ? {} : { values: options }),
    ...(visibleWhen === undefined
      ? {}
      : {
          conditional: {
            show: true,
            conjunction: visibleWhen.match,
            conditions: visibleWhen.rules.map(({ field, operator, value }) => ({
              component: field,
              operator: namesOf(types.get(field) ?? 'short_text')[operator],
              value,
            })),
          },
        }),
  }
}

/** The answers in the form in which Form.io stores them. */
function dataOf(fields: TestCase['fields'], answers: TestCase['answers']): Record<string, unknown> {
  const data: Record<string, unknown> = {}
  for (const { id, type, options = [] } of fields) {
    const answer = answers[id]
    if (answer === undefined) continue
    data[id] =
      type === 'multiple_choice' && Array.isArray(answer)
        ? Object.fromEntries(options.map(({ value }) => [value, answer.includes(value)]))
        : answer
  }
  return data
}
