import {
  isAnswerField,
  type AnswerField,
  type FormField,
  type RuleOperator,
  type Rule,
} from '../definition.ts'
import { nameOf } from '../field-settings.ts'
import { readOperand } from './operands.ts'
import { fieldPath, type FormProblem } from '../problem.ts'
import { subjectTakes, takesNoValue } from './visibility.ts'

/**
 * The problems of a field's rules. `subjects` are the form's fields by id.
 * @param index the position of the field in the form
 */
export function ruleProblems(
  field: FormField,
  index: number,
  subjects: ReadonlyMap<string, FormField | null>,
): readonly FormProblem[] {
  return (field.visibleWhen?.rules ?? []).flatMap((rule, place) => {
    const problem = ruleProblem(rule, field, subjects)
    if (problem === null) return []
    const sentence = `${nameOf(field.id)}: visibleWhen ${problem}.`
    return [{ path: fieldPath(index, 'visibleWhen', 'rules', place), sentence }]
  })
}

/** @param subjects maps to null where a field exists but is itself unusable, which is reported with that field */
function ruleProblem(
  rule: Rule,
  field: FormField,
  subjects: ReadonlyMap<string, FormField | null>,
): string | null {
  const subject = subjects.get(rule.field)
  const name = JSON.stringify(rule.field)
  if (subject === undefined) return `refers to ${name}, which is not a field of this form`
  if (rule.field === field.id) return 'refers to the field itself'
  if (subject === null) return null
  if (!isAnswerField(subject)) return `refers to ${name}, which takes no answer`
  if (!subjectTakes(subject.type, rule.operator)) {
    return `uses ${rule.operator} on ${name}, which a field of type ${subject.type} does not take`
  }
  if (takesNoValue(rule.operator)) return null
  const problem = valueProblem(rule, subject)
  return problem === null ? null : `compares ${name} by ${rule.operator} ${problem}`
}

function valueProblem({ operator, value }: Rule, subject: AnswerField): string | null {
  if (value === null) return 'without a value'
  if (!takesList(operator, subject)) return fitProblem(value, subject)
  if (!Array.isArray(value)) return 'with a value that is not a list'
  if (value.length === 0) return 'with an empty list'
  return value.map((member) => fitProblem(member, subject)).find((problem) => problem !== null) ?? null
}

/** Whether the value of a rule is a list. */
export function takesList(operator: RuleOperator, subject: Pick<AnswerField, 'type'>): boolean {
  if (operator === 'any_of' || operator === 'none_of') return true
  return subject.type === 'multiple_choice' && (operator === 'equals' || operator === 'not_equals')
}

/**
 * Why one value cannot be compared with answers of the subject; null: it can. The caller passes the items of lists one
 * by one.
 */
function fitProblem(value: unknown, subject: AnswerField): string | null {
  const shown = JSON.stringify(value)
  if (subject.type === 'single_choice' || subject.type === 'multiple_choice') {
    return subject.options.some((option) => option.value === value)
      ? null
      : `with ${shown}, which is not one of its options`
  }
  if (readOperand(subject.type, value) !== null) return null
  return value === ''
    ? 'with an empty value'
    : `with ${shown}, which does not fit a field of type ${subject.type}`
}
