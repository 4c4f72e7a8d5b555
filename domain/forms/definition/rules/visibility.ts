import type { AnswerType, DisplayType, RuleOperator, Rule, VisibleWhen } from '../definition.ts'
import { readOperand, type Operand } from './operands.ts'

// This module also runs in browsers, so it imports nothing but types and helpers of a few lines.

/** The part of a field on which visibility depends. */
export interface ConditionalField {
  readonly id: string
  readonly type: AnswerType | DisplayType
  readonly visibleWhen: VisibleWhen | null
}

const text = ['equals', 'not_equals', 'contains', 'not_contains', 'any_of', 'none_of'] as const
const choice = ['equals', 'not_equals', 'any_of', 'none_of'] as const
const ordered = [...choice, 'greater_than', 'greater_or_equal', 'less_than', 'less_or_equal'] as const
const flag = ['equals', 'not_equals'] as const

const operatorsBySubject: Readonly<Record<AnswerType, readonly RuleOperator[]>> = {
  short_text: text,
  long_text: text,
  email: text,
  phone: text,
  number: ordered,
  date: ordered,
  single_choice: choice,
  multiple_choice: text,
  boolean: flag,
  consent: flag,
}

/** Whether rules on a subject of this type may use the operator (the table of saved definitions). */
export function subjectTakes(type: AnswerType, operator: RuleOperator): boolean {
  return takesNoValue(operator) || operatorsBySubject[type].includes(operator)
}

/** Whether the operator tests only the subject, so that the rule's value is ignored. */
export function takesNoValue(operator: RuleOperator): boolean {
  return operator === 'is_empty' || operator === 'is_not_empty'
}

/**
 * The ids of the fields that are shown.
 * @param resolved the fields in dependency order: the subjects of a field's rules come before it
 * @param answers raw answers by field id: strings, numbers, booleans, lists of strings; absent or null is empty
 */
export function visibleFields(
  resolved: Iterable<ConditionalField>,
  answers: ReadonlyMap<string, unknown>,
): ReadonlySet<string> {
  const visible = new Set<string>()
  const types = new Map<string, AnswerType | DisplayType>()
  const holds = (rule: Rule): boolean => {
    const type = types.get(rule.field)
    if (type === undefined) return false
    // A hidden subject reads as empty, whatever was answered before it was hidden.
    return ruleHolds(rule, type, visible.has(rule.field) ? answers.get(rule.field) : null)
  }
  for (const field of resolved) {
    types.set(field.id, field.type)
    if (isShown(field.visibleWhen, holds)) visible.add(field.id)
  }
  return visible
}

function isShown(visibleWhen: VisibleWhen | null, holds: (rule: Rule) => boolean): boolean {
  if (visibleWhen === null) return true
  return visibleWhen.match === 'all' ? visibleWhen.rules.every(holds) : visibleWhen.rules.some(holds)
}

/** Whether a rule holds for the raw answer of its subject. */
export function ruleHolds(rule: Rule, type: AnswerType | DisplayType, answer: unknown): boolean {
  const subject = readOperand(type, answer)
  switch (rule.operator) {
    case 'is_empty':
      return subject === null
    case 'is_not_empty':
      return subject !== null
    case 'equals':
      return equals(type, subject, rule.value)
    case 'not_equals':
      return !equals(type, subject, rule.value)
    case 'contains':
      return contains(type, subject, rule.value)
    case 'not_contains':
      return !contains(type, subject, rule.value)
    case 'any_of':
      return isAnyOf(type, subject, rule.value)
    case 'none_of':
      return !isAnyOf(type, subject, rule.value)
    case 'greater_than':
      return compares(type, subject, rule.value, (difference) => difference > 0)
    case 'greater_or_equal':
      return compares(type, subject, rule.value, (difference) => difference >= 0)
    case 'less_than':
      return compares(type, subject, rule.value, (difference) => difference < 0)
    case 'less_or_equal':
      return compares(type, subject, rule.value, (difference) => difference <= 0)
  }
}

function equals(type: AnswerType | DisplayType, subject: Operand, value: unknown): boolean {
  const operand = readOperand(type, value)
  if (typeof operand === 'boolean') return (subject ?? false) === operand
  if (subject instanceof Set && operand instanceof Set) {
    return subject.size === operand.size && [...operand].every((member) => subject.has(member))
  }
  return subject !== null && subject === operand
}

function contains(type: AnswerType | DisplayType, subject: Operand, value: unknown): boolean {
  if (subject instanceof Set) return subject.has(value)
  const part = readOperand(type, value)
  return typeof subject === 'string' && typeof part === 'string' && subject.includes(part)
}

function isAnyOf(type: AnswerType | DisplayType, subject: Operand, value: unknown): boolean {
  if (subject === null || !Array.isArray(value)) return false
  if (subject instanceof Set) return value.some((member) => subject.has(member))
  return value.some((member) => readOperand(type, member) === subject)
}

function compares(
  type: AnswerType | DisplayType,
  subject: Operand,
  value: unknown,
  accepts: (difference: number) => boolean,
): boolean {
  const bound = readOperand(type, value)
  if (typeof subject === 'number' && typeof bound === 'number') return accepts(subject - bound)
  // Dates with four-digit years can be compared as text.
  if (typeof subject === 'string' && typeof bound === 'string')
    return accepts(subject < bound ? -1 : +(subject > bound))
  return false
}
