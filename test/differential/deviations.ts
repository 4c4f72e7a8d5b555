import type { AnswerType, Rule } from '../../domain/forms/language/definition.ts'

/** One rule as a library evaluates it. */
export interface Situation {
  readonly rule: Rule
  /** The subject's type. */
  readonly type: AnswerType
  /** The subject's answer, null where the library hides the subject. */
  readonly answer: unknown
}

interface Described {
  readonly id: string
  readonly library: string
  /** How the library behaves instead, and why the engine here does not behave so. */
  readonly explanation: string
}

/** The library evaluates a rule with another answer than the visible subject has. */
export interface AnswerDeviation extends Described {
  readonly kind: 'answer'
  /**
   * Whether the library still uses the answer of a hidden subject. `isLater`: the subject comes after the field in the
   * form.
   */
  keepsHidden(isLater: boolean): boolean
}

/** The library interprets a rule differently. */
export interface RuleDeviation extends Described {
  readonly kind: 'rule'
  /** The library's result for the rule, when this explanation applies; else null. */
  reads(situation: Situation): boolean | null
}

export type Deviation = AnswerDeviation | RuleDeviation

const texts: readonly AnswerType[] = ['short_text', 'long_text', 'email']
const flags: readonly AnswerType[] = ['boolean', 'consent']

function isText({ type }: Situation): boolean {
  return texts.includes(type)
}

function isFlag({ type }: Situation): boolean {
  return flags.includes(type)
}

/** Text that consists of spaces only. */
function isBlankText(situation: Situation): boolean {
  const { answer } = situation
  return isText(situation) && typeof answer === 'string' && answer !== '' && answer.trim() === ''
}

function isNothing(answer: unknown): boolean {
  return answer === null || answer === undefined || answer === ''
}

/** Compares strings as an operator does, without interpreting them; null for other operators. */
function compareStrings(
  { operator, value }: Rule,
  answer: string,
  isEqual: (left: string, right: string) => boolean,
): boolean | null {
  if (operator === 'equals' || operator === 'not_equals')
    return isEqual(answer, String(value)) === (operator === 'equals')
  if (operator !== 'any_of' && operator !== 'none_of') return null
  const members = Array.isArray(value) ? value.map(String) : []
  return members.some((member) => isEqual(answer, member)) === (operator === 'any_of')
}

function containsString(
  { operator, value }: Rule,
  answer: string,
  fold: (text: string) => string,
): boolean | null {
  if (operator !== 'contains' && operator !== 'not_contains') return null
  return fold(answer).includes(fold(String(value))) === (operator === 'contains')
}

const same = (text: string): string => text
const lower = (text: string): string => text.toLowerCase()
const identical = (left: string, right: string): boolean => left === right
const alike = (left: string, right: string): boolean => lower(left.trim()) === lower(right.trim())

/** In both libraries an unanswered yes-or-no question is not "no": the comparison with false fails. */
function unansweredFlag(situation: Situation): boolean | null {
  const { rule, answer } = situation
  if (!isFlag(situation) || !isNothing(answer) || rule.value !== false) return null
  if (rule.operator === 'equals') return false
  return rule.operator === 'not_equals' ? true : null
}

/** Both libraries compare phone numbers as plain text. */
function phoneAsText({ rule, type, answer }: Situation): boolean | null {
  if (type !== 'phone' || typeof answer !== 'string' || answer === '') return null
  return compareStrings(rule, answer, identical) ?? containsString(rule, answer, same)
}

/**
 * Every known difference between a library and the engine here. The test applies this list to each rule and requires
 * that the library then shows exactly the same fields, and that every entry has an effect. So the list is complete and
 * contains nothing that does not occur. If several entries apply to a rule, the first one counts.
 */
export const deviations: readonly Deviation[] = [
  {
    id: 'survey-unanswered-flag',
    library: 'survey-core',
    kind: 'rule',
    explanation:
      'An unanswered boolean equals nothing, not even false; here it counts as false (form definitions).',
    reads: unansweredFlag,
  },
  {
    id: 'survey-phone-as-text',
    library: 'survey-core',
    kind: 'rule',
    explanation: 'Phone numbers compare as typed; here by the digits that are kept.',
    reads: phoneAsText,
  },
  {
    id: 'survey-blank-is-answer',
    library: 'survey-core',
    kind: 'rule',
    explanation: 'A text of spaces is an answer; here blank text is empty.',
    reads: (situation) => {
      const { rule, answer } = situation
      if (!isText(situation) || typeof answer !== 'string' || answer === '' || answer.trim() !== '')
        return null
      if (rule.operator === 'is_empty') return false
      return rule.operator === 'is_not_empty' ? true : null
    },
  },
  {
    id: 'survey-contains-untrimmed',
    library: 'survey-core',
    kind: 'rule',
    explanation: '"contains" looks for the value with its outer spaces; here both sides are trimmed.',
    reads: (situation) => {
      const { rule, answer } = situation
      if (!isText(situation) || typeof answer !== 'string' || answer === '') return null
      return String(rule.value).trim() === rule.value ? null : containsString(rule, answer, lower)
    },
  },
  {
    id: 'survey-ignores-case',
    library: 'survey-core',
    kind: 'rule',
    explanation:
      'Text compares without regard to case (settings.comparator.caseSensitive); here case matters.',
    reads: (situation) => {
      const { rule, answer } = situation
      if (!isText(situation) || typeof answer !== 'string' || answer.trim() === '') return null
      return compareStrings(rule, answer, alike) ?? containsString(rule, answer, lower)
    },
  },
  {
    id: 'formio-single-pass',
    library: '@formio/core',
    kind: 'answer',
    explanation:
      'Fields are judged once, in the order of the form, so the answer of a hidden subject further down still counts; ' +
      'here subjects come first, whatever the order of the form.',
    keepsHidden: (isLater) => isLater,
  },
  {
    id: 'formio-unanswered-flag',
    library: '@formio/core',
    kind: 'rule',
    explanation: 'An unanswered checkbox is not equal to false; here it counts as false.',
    reads: unansweredFlag,
  },
  {
    id: 'formio-false-is-empty',
    library: '@formio/core',
    kind: 'rule',
    explanation: 'A checkbox that is false is empty; here false is an answer.',
    reads: (situation) => {
      const { rule, answer } = situation
      if (!isFlag(situation) || answer !== false) return null
      if (rule.operator === 'is_empty') return true
      return rule.operator === 'is_not_empty' ? false : null
    },
  },
  {
    id: 'formio-phone-as-text',
    library: '@formio/core',
    kind: 'rule',
    explanation: 'Phone numbers compare as typed; here by the digits that are kept.',
    reads: phoneAsText,
  },
  {
    id: 'formio-blank-email-is-answer',
    library: '@formio/core',
    kind: 'rule',
    explanation:
      'An email field of spaces is answered, other text fields of spaces are not; here blank text is always empty.',
    reads: (situation) => {
      const { rule, type } = situation
      if (!isBlankText(situation) || type !== 'email') return null
      if (rule.operator === 'is_empty') return false
      return rule.operator === 'is_not_empty' ? true : null
    },
  },
  {
    id: 'formio-untrimmed',
    library: '@formio/core',
    kind: 'rule',
    explanation: 'Text compares with its outer spaces; here both sides are trimmed.',
    reads: (situation) => {
      const { rule, answer } = situation
      if (!isText(situation) || typeof answer !== 'string') return null
      return compareStrings(rule, answer, identical) ?? containsString(rule, answer, same)
    },
  },
  {
    id: 'formio-numeric-text',
    library: '@formio/core',
    kind: 'rule',
    explanation: 'Numeric text is no number: it equals none and is neither less nor greater; here "2" is 2.',
    reads: ({ rule, type, answer }) => {
      if (type !== 'number' || typeof answer !== 'string') return null
      if (rule.operator === 'is_empty' || rule.operator === 'is_not_empty') return null
      return rule.operator === 'not_equals'
    },
  },
]
