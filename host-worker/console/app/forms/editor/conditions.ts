import {
  answerTypes,
  ruleOperators,
  type AnswerType,
  type RuleOperator,
} from '../../../../../domain/forms/definition/definition.ts'
import { fieldPath } from '../../../../../domain/forms/definition/problem.ts'
import { takesList } from '../../../../../domain/forms/definition/rules/rules.ts'
import { subjectTakes, takesNoValue } from '../../../../../domain/forms/definition/rules/visibility.ts'
import { listOf, membersOf } from '../../../../../domain/text/json.ts'
import { changeForm, fieldsIn, partAt, withPart, type Change, type FormJson } from './editing.ts'

/** A field whose answer a rule can compare. */
export interface Subject {
  readonly id: string
  readonly type: AnswerType
  readonly label: string
  readonly options: readonly { readonly value: string; readonly label: string }[]
}

/** The fields of a form whose answers the rules of one of them can compare. */
export function subjectsFor(form: FormJson, index: number): readonly Subject[] {
  return fieldsIn(form).flatMap((field, place) => {
    const { id, type, label, options } = membersOf(field)
    const answerType = answerTypes.find((known) => known === type)
    if (place === index || typeof id !== 'string' || answerType === undefined) return []
    return [{ id, type: answerType, label: textOr(label, id), options: listOf(options).flatMap(optionOf) }]
  })
}

function optionOf(option: unknown): Subject['options'] {
  const { value, label } = membersOf(option)
  return typeof value === 'string' ? [{ value, label: textOr(label, value) }] : []
}

function textOr(text: unknown, fallback: string): string {
  return typeof text === 'string' && text.trim() !== '' ? text : fallback
}

/** The operators that rules on a subject may have. */
export function operatorsFor({ type }: Pick<Subject, 'type'>): readonly RuleOperator[] {
  return ruleOperators.filter((operator) => subjectTakes(type, operator))
}

const rulesPath = (index: number) => fieldPath(index, 'visibleWhen', 'rules')

/** Adds a rule to a field, and with the first one the condition. */
export function addRule(index: number): Change {
  return changeForm((form) => {
    const [subject] = subjectsFor(form, index)
    if (subject === undefined) return form
    const rule = { field: subject.id, operator: 'is_not_empty' }
    const rules = listOf(partAt(form, rulesPath(index)))
    if (rules.length > 0) return withPart(form, rulesPath(index), [...rules, rule])
    return withPart(form, fieldPath(index, 'visibleWhen'), { match: 'all', rules: [rule] })
  })
}

/** Removes a rule, and with the last one the condition. */
export function removeRule(index: number, place: number): Change {
  return changeForm((form) => {
    const isLast = listOf(partAt(form, rulesPath(index))).length <= 1
    return withPart(form, isLast ? fieldPath(index, 'visibleWhen') : [...rulesPath(index), place], undefined)
  })
}

/** Compares another field, by an operator that it takes. */
export function setSubject(index: number, place: number, id: string): Change {
  return changeForm((form) => {
    const rule = membersOf(partAt(form, [...rulesPath(index), place]))
    const subject = subjectsFor(form, index).find((one) => one.id === id)
    if (subject === undefined) return form
    const operator = operatorsFor(subject).find((one) => one === rule.operator) ?? 'is_not_empty'
    const next = withOperator({ ...rule, field: id, value: undefined }, operator, subject)
    return withPart(form, [...rulesPath(index), place], next)
  })
}

/** Compares in another way. The value stays as far as the operator can use it. */
export function setOperator(index: number, place: number, operator: RuleOperator): Change {
  return changeForm((form) => {
    const rule = membersOf(partAt(form, [...rulesPath(index), place]))
    const subject = subjectsFor(form, index).find(({ id }) => id === rule.field)
    if (subject === undefined) return form
    return withPart(form, [...rulesPath(index), place], withOperator(rule, operator, subject))
  })
}

function withOperator({ value, ...rule }: FormJson, operator: RuleOperator, subject: Subject): FormJson {
  if (takesNoValue(operator)) return { ...rule, operator }
  const one = listOf(value).length > 0 ? listOf(value)[0] : Array.isArray(value) ? undefined : value
  const given = one ?? firstValue(subject)
  if (!takesList(operator, subject)) return { ...rule, operator, value: given }
  return { ...rule, operator, value: Array.isArray(value) && value.length > 0 ? value : [given] }
}

/** A value to begin with. */
function firstValue({ type, options }: Subject): unknown {
  if (type === 'boolean' || type === 'consent') return true
  return options[0]?.value ?? ''
}
