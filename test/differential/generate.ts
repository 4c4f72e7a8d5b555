import type { AnswerType, RuleOperator, Rule, VisibleWhen } from '../../domain/forms/definition/definition.ts'
import { answerTypes, ruleOperators } from '../../domain/forms/definition/definition.ts'
import { subjectTakes, takesNoValue } from '../../domain/forms/definition/rules/visibility.ts'

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

/** Draws from [0, 1). */
export type Draw = () => number

/** The number of sets of answers with which each definition is tried. */
const CASES_PER_DEFINITION = 4

/** Draws cases without end; see `TestCase`. */
export function* generateCases(draw: Draw, shares: Shares): Generator<TestCase, never> {
  for (;;) {
    const drawn = drawFields(draw, shares)
    const fields = shuffled(draw, drawn)
    for (let cases = 0; cases < CASES_PER_DEFINITION; cases += 1) {
      yield { fields, answers: drawAnswers(draw, drawn), before: drawAnswers(draw, drawn) }
    }
  }
}

/** Draws two to six fields. A rule refers to a field drawn before, so chains are common and cycles impossible. */
function drawFields(draw: Draw, shares: Shares): readonly TestField[] {
  const fields: TestField[] = []
  const count = 2 + below(draw, 5)
  while (fields.length < count) fields.push(field(draw, fields, shares))
  return fields
}

function drawAnswers(draw: Draw, fields: readonly TestField[]): Answers {
  return Object.fromEntries(
    fields.flatMap(({ id, type }) => (draw() < 0.2 ? [] : [[id, answer(draw, type)] as const])),
  )
}

function field(draw: Draw, earlier: readonly TestField[], shares: Shares): TestField {
  const type = pick(draw, answerTypes)
  const id = `f${earlier.length}`
  const hasOptions = type === 'single_choice' || type === 'multiple_choice'
  const rules =
    earlier.length === 0 || draw() < 0.2
      ? []
      : Array.from({ length: 1 + below(draw, 3) }, () => rule(draw, earlier, shares))
  return {
    id,
    type,
    label: id,
    ...(hasOptions ? { options: choices.map((value) => ({ value, label: value })) } : {}),
    ...(rules.length === 0 ? {} : { visibleWhen: { match: draw() < 0.5 ? 'all' : 'any', rules } }),
  }
}

function rule(draw: Draw, earlier: readonly TestField[], shares: Shares): Rule {
  // The latest field is drawn as often as all others together, which makes chains.
  const subject = draw() < 0.5 ? earlier.at(-1) : pick(draw, earlier)
  if (subject === undefined) throw new Error('There is no field to point at')
  const possible = ruleOperators.filter(
    (operator) => subjectTakes(subject.type, operator) && shares(subject.type, operator),
  )
  const operator = pick(draw, possible)
  return {
    field: subject.id,
    operator,
    value: takesNoValue(operator) ? null : operand(draw, subject.type, operator),
  }
}

function operand(draw: Draw, type: AnswerType, operator: RuleOperator): unknown {
  const isSet = type === 'multiple_choice' && (operator === 'equals' || operator === 'not_equals')
  if (operator !== 'any_of' && operator !== 'none_of' && !isSet) return value(draw, type)
  const size = 1 + below(draw, 3)
  return [...new Set(Array.from({ length: size }, () => value(draw, type)))]
}

/** A value that suits a rule on a subject of the type. */
function value(draw: Draw, type: AnswerType): unknown {
  switch (type) {
    case 'short_text':
    case 'long_text':
    case 'email':
      return pick(draw, texts)
    case 'phone':
      return pick(draw, phones)
    case 'number':
      return pick(draw, numbers)
    case 'date':
      return pick(draw, dates)
    case 'single_choice':
    case 'multiple_choice':
      return pick(draw, choices)
    case 'boolean':
    case 'consent':
      return draw() < 0.5
  }
}

/** A raw answer. One in six is empty, in one of the ways in which an answer of that type can be empty. */
function answer(draw: Draw, type: AnswerType): unknown {
  if (draw() < 1 / 6) return emptyAnswer(draw, type)
  if (type === 'multiple_choice') return shuffled(draw, choices).slice(0, 1 + below(draw, 3))
  if (type === 'number' && draw() < 0.3) return pick(draw, ['2', '2.0', ' 1 ', '2,5'])
  return value(draw, type)
}

function emptyAnswer(draw: Draw, type: AnswerType): unknown {
  if (type === 'multiple_choice') return pick(draw, [[], null])
  if (type === 'boolean' || type === 'consent' || type === 'number') return null
  return pick(
    draw,
    type === 'short_text' || type === 'long_text' || type === 'email' ? ['', '  ', null] : ['', null],
  )
}

function below(draw: Draw, bound: number): number {
  return Math.floor(draw() * bound)
}

function pick<Item>(draw: Draw, items: readonly Item[]): Item {
  const item = items[below(draw, items.length)]
  if (item === undefined) throw new Error('There is nothing to pick from')
  return item
}

function shuffled<Item>(draw: Draw, items: readonly Item[]): readonly Item[] {
  return items
    .map((item) => ({ item, place: draw() }))
    .sort((left, right) => left.place - right.place)
    .map(({ item }) => item)
}
