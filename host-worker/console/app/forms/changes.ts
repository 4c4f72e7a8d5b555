import {
  answerTypes,
  ruleOperators,
  type AnswerType,
  type RuleOperator,
} from '../../../../domain/forms/language/definition.ts'
import { fieldPath, takesList, type FormPath } from '../../../../domain/forms/language/compile.ts'
import { subjectTakes, takesNoValue } from '../../../../domain/forms/language/visibility.ts'
import { listOf, membersOf } from '../../../../domain/text/encoding.ts'
import {
  changeForm,
  fieldsIn,
  freeId,
  idFrom,
  partAt,
  withPart,
  type Change,
  type FormJson,
} from './editing.ts'

/** Names the form. The id of one that was never saved follows, as that of a field does. */
export function nameForm(name: string): Change {
  return (editing) => {
    const { form, saved } = editing
    const follows = !('formId' in saved) && form.formId === idFrom(String(form.name), '')
    return {
      ...editing,
      form: { ...form, name, ...(follows ? { formId: idFrom(name, '') } : {}) },
    }
  }
}

/** Renames a field. Conditions that looked at it look at it under its new name. */
export function renameField(index: number, id: string): Change {
  return changeForm((form) => withId(form, index, id))
}

/**
 * Changes what a visitor reads. The id of a field that is not saved yet follows, for as long as it is the one that the
 * label gives.
 */
export function relabelField(index: number, label: string): Change {
  return ({ form, saved, ...rest }) => {
    const field = membersOf(fieldsIn(form)[index])
    const others = idsIn(form).toSpliced(index, 1)
    const idOf = (text: unknown) => freeId(idFrom(String(text), String(field.type)), others)
    const follows = !idsIn(saved).includes(field.id) && idOf(field.label) === field.id
    const labelled = withPart(form, fieldPath(index, 'label'), label)
    return { ...rest, saved, form: follows ? withId(labelled, index, idOf(label)) : labelled }
  }
}

function idsIn(form: FormJson): readonly unknown[] {
  return fieldsIn(form).map((field) => membersOf(field).id)
}

function withId(form: FormJson, index: number, id: string): FormJson {
  const before = idsIn(form)[index]
  const renamed = withPart(form, fieldPath(index, 'id'), id)
  // When two fields have the same id, nobody knows which of them the conditions mean.
  if (typeof before !== 'string' || idsIn(form).filter((other) => other === before).length > 1) return renamed
  return rulePaths(renamed).reduce(
    (next, path) =>
      partAt(next, [...path, 'field']) === before ? withPart(next, [...path, 'field'], id) : next,
    renamed,
  )
}

/** Where the rules of all conditions are. */
function rulePaths(form: FormJson): readonly FormPath[] {
  return fieldsIn(form).flatMap((_, index) => {
    const rules = fieldPath(index, 'visibleWhen', 'rules')
    return listOf(partAt(form, rules)).map((_rule, place) => [...rules, place])
  })
}

/** Where the options of a field are. */
const optionsPath = (index: number) => fieldPath(index, 'options')

const valuesIn = (form: FormJson, index: number) =>
  listOf(partAt(form, optionsPath(index))).map((option) => membersOf(option).value)

/** Adds an option to a field that is a choice. */
export function addOption(index: number): Change {
  return changeForm((form) => {
    const options = listOf(partAt(form, optionsPath(index)))
    const label = `Option ${options.length + 1}`
    const value = freeId(idFrom(label, 'option'), valuesIn(form, index))
    return withPart(form, optionsPath(index), [...options, { value, label }])
  })
}

/** Changes the value of an option. Conditions that compared with it compare with the new one. */
export function revalueOption(index: number, place: number, value: string): Change {
  return changeForm((form) => withValue(form, index, place, value))
}

/** Changes what a visitor reads of an option. Its value follows as the id of a field does. */
export function relabelOption(index: number, place: number, label: string): Change {
  return ({ form, saved, ...rest }) => {
    const option = membersOf(partAt(form, [...optionsPath(index), place]))
    const others = valuesIn(form, index).toSpliced(place, 1)
    const valueOf = (text: unknown) => freeId(idFrom(String(text), 'option'), others)
    const id = idsIn(form)[index]
    const savedIndex = idsIn(saved).indexOf(id)
    const isSaved = savedIndex >= 0 && valuesIn(saved, savedIndex).includes(option.value)
    const follows = !isSaved && valueOf(option.label) === option.value
    const labelled = withPart(form, [...optionsPath(index), place, 'label'], label)
    return { ...rest, saved, form: follows ? withValue(labelled, index, place, valueOf(label)) : labelled }
  }
}

function withValue(form: FormJson, index: number, place: number, value: string): FormJson {
  const before = valuesIn(form, index)[place]
  const id = idsIn(form)[index]
  const changed = withPart(form, [...optionsPath(index), place, 'value'], value)
  if (valuesIn(form, index).filter((other) => other === before).length > 1) return changed
  return rulePaths(changed)
    .filter((path) => partAt(changed, [...path, 'field']) === id)
    .reduce((next, path) => {
      const compared = partAt(next, [...path, 'value'])
      const replaced = Array.isArray(compared)
        ? compared.map((member: unknown) => (member === before ? value : member))
        : compared
      const after = compared === before ? value : replaced
      return after === undefined ? next : withPart(next, [...path, 'value'], after)
    }, changed)
}

/** A field whose answer a rule can compare. */
export interface Subject {
  readonly id: string
  readonly type: AnswerType
  readonly label: string
  readonly options: readonly { readonly value: string; readonly label: string }[]
  /** Where it is among the fields. */
  readonly place: number
}

/** The fields of a form whose answers the rules of one of them can compare. */
export function subjectsFor(form: FormJson, index: number): readonly Subject[] {
  return fieldsIn(form).flatMap((field, place) => {
    const { id, type, label, options } = membersOf(field)
    const answerType = answerTypes.find((known) => known === type)
    if (place === index || typeof id !== 'string' || answerType === undefined) return []
    const named = { id, type: answerType, label: textOr(label, id), place }
    return [{ ...named, options: listOf(options).flatMap(optionOf) }]
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

/** What a field most likely depends on: the nearest choice above it, else the nearest field above, else a choice below. */
function likelySubject(form: FormJson, index: number): Subject | undefined {
  const all = subjectsFor(form, index)
  const above = all.filter(({ place }) => place < index)
  const isChoice = ({ type }: Subject) => choices.includes(type)
  return above.findLast(isChoice) ?? above.at(-1) ?? all.find(isChoice) ?? all[0]
}

/** The types whose answers lead on to other questions. A consent seldom does. */
const choices: readonly AnswerType[] = ['single_choice', 'multiple_choice', 'boolean']

const rulesPath = (index: number) => fieldPath(index, 'visibleWhen', 'rules')

/** Adds a rule to a field, and with the first one the condition. */
export function addRule(index: number): Change {
  return changeForm((form) => {
    const subject = likelySubject(form, index)
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
