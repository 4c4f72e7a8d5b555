import * as fc from 'fast-check'
import {
  answerTypes,
  ruleOperators,
  type AnswerType,
  type RuleOperator,
  type Rule,
  type VisibleWhen,
} from '../../domain/forms/language/definition.ts'
import { subjectTakes, takesNoValue } from '../../domain/forms/language/visibility.ts'

/** A field of a generated definition, with everything that visibility depends on. */
export interface TestField {
  readonly id: string
  readonly type: AnswerType
  readonly label: string
  readonly options?: readonly { readonly value: string; readonly label: string }[]
  readonly visibleWhen?: VisibleWhen
}

/** Raw answers by field id. */
export type Answers = Readonly<Record<string, unknown>>

/** A definition without cycles. Its fields are in any order; sorted by their ids, subjects come before dependents. */
export interface TestCase {
  readonly fields: readonly TestField[]
  /** Contains answers to hidden fields, too. */
  readonly answers: Answers
  /** Earlier answers, which were then changed. They are for engines that keep a state. */
  readonly before: Answers
}

/** Which rules a library shares with this engine. */
export type Shares = (type: AnswerType, operator: RuleOperator) => boolean

const texts = ['x', 'y', 'X', 'xy', 'x y', ' x ', '2', 'true'] as const
const phones = ['2125550100', '(212) 555-0100', '+1 212 555 0100', '2125550199', '٢١٢ ٥٥٥ ٠١٠٠'] as const
const dates = ['2025-12-31', '2026-01-01', '2026-01-02', '2026-02-28'] as const
const numbers = [0, 1, 2, 2.5, -1] as const
const choices = ['a', 'b', 'c'] as const

/** The number of sets of answers with which each definition is tried. */
export const CASES_PER_DEFINITION = 4

/** Chooses one of many possibilities: the first ones are the simplest. */
const choice = fc.noBias(fc.nat(9_999))

const chosen = <Item>(from: readonly Item[], number: number): Item => {
  const item = from[number % from.length]
  if (item === undefined) throw new Error('There is nothing to choose from')
  return item
}

const drawnRule = fc.record({
  // The latest field is drawn as often as all others together, which makes chains.
  isLatest: fc.boolean(),
  subject: choice,
  operator: choice,
  operands: fc.array(choice, { minLength: 1, maxLength: 3 }),
})
/** Four of five are given. */
const drawnAnswer = fc.option(fc.tuple(choice, choice, choice), { freq: 5 })
const drawnField = fc.record({
  type: fc.constantFrom(...answerTypes),
  match: fc.constantFrom('all' as const, 'any' as const),
  rules: fc.array(drawnRule, { maxLength: 3, size: 'max' }),
  place: choice,
  cases: fc.array(fc.record({ answers: drawnAnswer, before: drawnAnswer }), {
    minLength: CASES_PER_DEFINITION,
    maxLength: CASES_PER_DEFINITION,
  }),
})
type DrawnRule = FromArbitrary<typeof drawnRule>
type DrawnField = FromArbitrary<typeof drawnField>
type FromArbitrary<Arbitrary> = Arbitrary extends fc.Arbitrary<infer Value> ? Value : never

/**
 * Cases of one definition with two to six fields. A rule refers to a field drawn before, so chains are common and cycles
 * impossible.
 */
export function casesOf(shares: Shares): fc.Arbitrary<readonly TestCase[]> {
  return fc.array(drawnField, { minLength: 2, maxLength: 6, size: 'max' }).map((drawn) => {
    const fields = drawn
      .map((one, index) => ({ place: one.place, field: field(drawn.slice(0, index), one, shares) }))
      .toSorted((left, right) => left.place - right.place)
      .map((placed) => placed.field)
    const answersOf = (index: number, name: 'answers' | 'before'): Answers =>
      Object.fromEntries(
        drawn.flatMap(({ type, cases }, place) => {
          const numbers = cases[index]?.[name] ?? null
          return numbers === null ? [] : [[`f${place}`, answer(type, numbers)]]
        }),
      )
    return Array.from({ length: CASES_PER_DEFINITION }, (_, index) => {
      return { fields, answers: answersOf(index, 'answers'), before: answersOf(index, 'before') }
    })
  })
}

function field(
  earlier: readonly DrawnField[],
  { type, match, rules }: DrawnField,
  shares: Shares,
): TestField {
  const id = `f${earlier.length}`
  const hasOptions = type === 'single_choice' || type === 'multiple_choice'
  return {
    id,
    type,
    label: id,
    ...(hasOptions ? { options: choices.map((value) => ({ value, label: value })) } : {}),
    ...(rules.length === 0 || earlier.length === 0
      ? {}
      : { visibleWhen: { match, rules: rules.map((one) => rule(earlier, one, shares)) } }),
  }
}

function rule(earlier: readonly DrawnField[], drawn: DrawnRule, shares: Shares): Rule {
  const subject = drawn.isLatest ? earlier.length - 1 : drawn.subject % earlier.length
  const { type } = chosen(earlier, subject)
  const possible = ruleOperators.filter((each) => subjectTakes(type, each) && shares(type, each))
  const operator = chosen(possible, drawn.operator)
  const isSet = type === 'multiple_choice' && (operator === 'equals' || operator === 'not_equals')
  const values = drawn.operands.map((number) => chosen<unknown>(valuesOf(type), number))
  const isList = isSet || operator === 'any_of' || operator === 'none_of'
  return {
    field: `f${subject}`,
    operator,
    value: takesNoValue(operator) ? null : isList ? [...new Set(values)] : values[0],
  }
}

/** The values that suit a rule on a subject of the type. */
function valuesOf(type: AnswerType): readonly unknown[] {
  switch (type) {
    case 'short_text':
    case 'long_text':
    case 'email':
      return texts
    case 'phone':
      return phones
    case 'number':
      return numbers
    case 'date':
      return dates
    case 'single_choice':
    case 'multiple_choice':
      return choices
    case 'boolean':
    case 'consent':
      return [true, false]
  }
}

/** A raw answer. One in six is empty, in one of the ways in which an answer of that type can be empty. */
function answer(type: AnswerType, [kind, first, second]: readonly [number, number, number]): unknown {
  if (kind % 6 === 5) return chosen<unknown>(emptyAnswersOf(type), first)
  if (type === 'multiple_choice') return [...choices, ...choices].slice(first % 3).slice(0, 1 + (second % 3))
  if (type === 'number' && kind % 3 === 1) return chosen(['2', '2.0', ' 1 ', '2,5'], first)
  return chosen<unknown>(valuesOf(type), first)
}

function emptyAnswersOf(type: AnswerType): readonly unknown[] {
  if (type === 'multiple_choice') return [[], null]
  if (type === 'boolean' || type === 'consent' || type === 'number') return [null]
  return type === 'phone' || type === 'date' || type === 'single_choice' ? ['', null] : ['', '  ', null]
}
