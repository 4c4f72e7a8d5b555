import { Model } from 'survey-core'
import type { Rule, VisibleWhen } from '../../domain/forms/language/definition.ts'
import type { Answers, TestCase, TestField } from './generate.ts'
import type { Library } from './library.ts'

const elementTypes: Readonly<Record<TestField['type'], object>> = {
  short_text: { type: 'text' },
  long_text: { type: 'comment' },
  email: { type: 'text', inputType: 'email' },
  phone: { type: 'text', inputType: 'tel' },
  number: { type: 'text', inputType: 'number' },
  date: { type: 'text', inputType: 'date' },
  single_choice: { type: 'radiogroup' },
  multiple_choice: { type: 'checkbox' },
  boolean: { type: 'boolean' },
  consent: { type: 'boolean' },
}

const operatorWords: Readonly<Record<Rule['operator'], string>> = {
  is_empty: 'empty',
  is_not_empty: 'notempty',
  equals: '=',
  not_equals: '<>',
  contains: 'contains',
  not_contains: 'notcontains',
  any_of: 'anyof',
  none_of: 'noneof',
  greater_than: '>',
  greater_or_equal: '>=',
  less_than: '<',
  less_or_equal: '<=',
}

/** SurveyJS: expressions over the answers. `onHidden` forgets the answer of a question that is hidden. */
export const surveyCore: Library = {
  name: 'survey-core',
  shares: () => true,
  visible({ fields, answers, before }) {
    const model = modelOf(fields)
    const ids = fields.map(({ id }) => id).sort()
    fill(model, ids, before)
    fill(model, ids, answers)
    return new Set(ids.filter((id) => model.getQuestionByName(id).isVisible))
  },
}

let latest: { readonly fields: TestCase['fields']; readonly model: Model } | null = null

/** Building a model takes most of the time, so consecutive cases of one definition share it. */
function modelOf(fields: TestCase['fields']): Model {
  if (latest?.fields !== fields) {
    latest?.model.dispose()
    latest = {
      fields,
      model: new Model({ clearInvisibleValues: 'onHidden', elements: fields.map(element) }),
    }
  }
  latest.model.clear()
  return latest.model
}

/** Answers as a person does: one question after another, and only those that are shown. */
function fill(model: Model, ids: readonly string[], answers: Answers): void {
  for (const id of ids) {
    const question = model.getQuestionByName(id)
    // In SurveyJS, an input that was emptied has no value.
    if (question.isVisible) question.value = answers[id] === '' ? undefined : answers[id]
  }
}

function element({ id, type, options = [], visibleWhen }: TestField): object {
  return {
    name: id,
    ...elementTypes[type],
    ...(options.length === 0 ? {} : { choices: options.map(({ value }) => value) }),
    ...(visibleWhen === undefined ? {} : { visibleIf: expression(visibleWhen) }),
  }
}

function expression({ match, rules }: VisibleWhen): string {
  return rules.map(condition).join(match === 'all' ? ' and ' : ' or ')
}

function condition({ field, operator, value }: Rule): string {
  const words = `{${field}} ${operatorWords[operator]}`
  return value === null ? words : `${words} ${literal(value)}`
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  return typeof value === 'string' ? `'${value}'` : String(value)
}
