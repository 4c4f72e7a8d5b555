import type { AnswerType, DisplayType, RuleOperator, Rule, VisibleWhen } from './definition.ts'
import { withAsciiDomain, withLineFeeds, withoutFormatCharacters } from '../../text/typed-text.ts'
import { isCalendarDate } from '../../text/instant.ts'
import { isBlank, keptDigits, parseNumber, plainDate } from './answers.ts'

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

/** An answer or a rule's value in the form in which it is compared; null: empty, or not of the subject's type. */
type Operand = string | number | boolean | ReadonlySet<string> | null

/** Reads an answer, or the value of a rule, as the subject's type compares it. */
export function readOperand(type: AnswerType | DisplayType, raw: unknown): Operand {
  switch (type) {
    case 'short_text':
    case 'long_text':
      return typeof raw === 'string' ? withLineFeeds(raw.trim()) || null : null
    case 'email':
      // A browser may turn an international domain into ASCII before anything else sees it.
      return typeof raw === 'string' ? withAsciiDomain(withoutFormatCharacters(raw).trim()) || null : null
    case 'phone':
      return typeof raw === 'string' ? keptDigits(raw) || null : null
    case 'number':
      return readNumber(raw)
    case 'date':
      return typeof raw === 'string' && isCalendarDate(plainDate(raw)) ? plainDate(raw) : null
    case 'single_choice':
      return typeof raw === 'string' && !isBlank(raw) ? raw : null
    case 'multiple_choice':
      return readSet(raw)
    case 'boolean':
    case 'consent':
      return typeof raw === 'boolean' ? raw : null
    case 'heading':
    case 'paragraph':
      return null
  }
}

function readNumber(raw: unknown): number | null {
  if (typeof raw === 'string') return parseNumber(raw)
  return typeof raw === 'number' && Number.isFinite(raw) ? raw : null
}

function readSet(raw: unknown): ReadonlySet<string> | null {
  if (!Array.isArray(raw)) return null
  const members = raw.filter((member): member is string => typeof member === 'string')
  return members.length === 0 ? null : new Set(members)
}

/**
 * Fields in an order in which the subjects of a field's rules come before the field; or the fields that make such an
 * order impossible.
 */
interface DependencyOrder<Field> {
  readonly resolved: readonly Field[]
  /** Fields on a cycle (or between two cycles), in the given order. Empty when everything could be ordered. */
  readonly cyclic: readonly Field[]
}

/**
 * Orders fields by their rules. Rules about fields that do not exist are ignored. Runs without recursion, in time
 * linear in fields and rules, so a chain may have any length.
 */
export function dependencyOrder<Field extends ConditionalField>(
  fields: readonly Field[],
): DependencyOrder<Field> {
  const ids = new Set(fields.map((field) => field.id))
  const subjects = new Map(fields.map((field) => [field.id, subjectsOf(field, ids)]))
  const dependents = reversed(subjects)
  const first = peel(subjects, dependents)
  if (first.size === fields.length) {
    const byId = new Map(fields.map((field) => [field.id, field]))
    return { resolved: [...first].flatMap((id) => byId.get(id) ?? []), cyclic: [] }
  }
  // Peeling from the other end too excludes the fields that merely depend on a cycle.
  const last = peel(dependents, subjects)
  return { resolved: [], cyclic: fields.filter(({ id }) => !first.has(id) && !last.has(id)) }
}

type Edges = ReadonlyMap<string, ReadonlySet<string>>

function subjectsOf(field: ConditionalField, ids: ReadonlySet<string>): ReadonlySet<string> {
  return new Set(field.visibleWhen?.rules.map((rule) => rule.field).filter((id) => ids.has(id)))
}

function reversed(edges: Edges): Edges {
  const reverse = new Map<string, Set<string>>([...edges.keys()].map((id) => [id, new Set()]))
  for (const [id, targets] of edges) {
    for (const target of targets) reverse.get(target)?.add(id)
  }
  return reverse
}

/** The ids that can be removed one after another, each after all ids that it points to were removed. */
function peel(edges: Edges, reverse: Edges): ReadonlySet<string> {
  const open = new Map([...edges].map(([id, targets]) => [id, targets.size]))
  // Iterating over a set includes members that are added meanwhile, so one set serves as queue and as result.
  const peeled = new Set([...open].filter(([, count]) => count === 0).map(([id]) => id))
  for (const id of peeled) {
    for (const dependent of reverse.get(id) ?? []) {
      const left = (open.get(dependent) ?? 0) - 1
      open.set(dependent, left)
      if (left === 0) peeled.add(dependent)
    }
  }
  return peeled
}
