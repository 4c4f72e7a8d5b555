import { isCalendarDate } from '../../text/instant.ts'
import {
  isStorableText,
  characterCount,
  withLineFeeds,
  withoutFormatCharacters,
  withAsciiDigits,
  readEmailAddress,
} from '../../text/typed-text.ts'
import { ANSWER_MAX_LENGTH, ITEMS_MAX, type AnswerField, type AnswerValue } from './definition.ts'
import type { Sentence, SentenceKey } from './words.ts'

/** A request body that was understood. */
export interface SubmittedBody {
  /** The format of the body. Form encodings only know text, and repeat a name for a list; JSON has types and lists. */
  readonly format: 'json' | 'form'
  readonly entries: Entries
}

/**
 * The keys of a request body with their values: from JSON one value each, with its JSON type, or an `InexactNumber`;
 * from a form all repetitions, as text.
 */
export type Entries = ReadonlyMap<string, readonly unknown[]>

/** A number of a JSON body that cannot be kept as it was written there. `JSON.parse` would round it silently. */
export class InexactNumber {
  /** As it was written. */
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Groups pairs by name; the order of names and of values is kept. */
export function groupEntries(pairs: Iterable<readonly [string, unknown]>): Entries {
  const entries = new Map<string, unknown[]>()
  for (const [name, value] of pairs) {
    const values = entries.get(name)
    if (values === undefined) entries.set(name, [value])
    else values.push(value)
  }
  return entries
}

/** The value of a body for one field: none, an answer of the field's type, or something else. */
export type AnswerReading =
  | { readonly kind: 'empty' }
  /** `given` is the text as it was sent, for answers that are text; see `readableText`. */
  | { readonly kind: 'answer'; readonly value: AnswerValue; readonly given: string | null }
  | { readonly kind: 'invalid'; readonly problem: Sentence }

const empty: AnswerReading = { kind: 'empty' }

function invalid(...problem: Sentence): AnswerReading {
  return { kind: 'invalid', problem }
}

function answer(value: AnswerValue, given: string | null = null): AnswerReading {
  return { kind: 'answer', value, given }
}

/** Reads the values of a field from a body by its type; whether the answer is allowed is judged elsewhere. */
export function readAnswer(
  field: AnswerField,
  values: readonly unknown[],
  format: SubmittedBody['format'],
): AnswerReading {
  if (field.type === 'multiple_choice')
    return readList(field, format === 'json' ? values[0] : values.filter(isGiven))
  if (values.length > 1) return invalid('oneAnswer')
  const [value = null] = values
  if (value === null || (Array.isArray(value) && value.length === 0)) return empty
  if (typeof value === 'string') return readText(field, value, format)
  if (field.type === 'number' && value instanceof InexactNumber) return numberOf(value.text)
  if (field.type === 'number' && typeof value === 'number') {
    // Adding 0 turns -0 into 0, because JSON does not keep -0.
    return Number.isFinite(value) ? answer(value + 0) : invalid(expectations.number)
  }
  if ((field.type === 'boolean' || field.type === 'consent') && typeof value === 'boolean')
    return answer(value)
  return invalid(expectations[field.type])
}

const expectations: Readonly<Record<AnswerField['type'], SentenceKey>> = {
  short_text: 'enterText',
  long_text: 'enterText',
  email: 'enterEmailText',
  phone: 'enterPhoneText',
  number: 'enterNumber',
  date: 'enterDate',
  single_choice: 'chooseOne',
  multiple_choice: 'chooseSome',
  boolean: 'answerTrueOrFalse',
  consent: 'answerTrueOrFalse',
}

function readText(field: AnswerField, given: string, format: SubmittedBody['format']): AnswerReading {
  const text = readableText(field, given)
  if (isBlank(text)) return empty
  if (characterCount(given) > ANSWER_MAX_LENGTH)
    return invalid('atMostCharacters', { max: ANSWER_MAX_LENGTH })
  if (!isStorableText(text)) return invalid('unstorable')
  switch (field.type) {
    case 'number':
      return numberOf(text)
    case 'boolean':
    case 'consent': {
      const flag = format === 'form' ? (flagSpellings.get(text) ?? null) : null
      return flag === null ? invalid(expectations[field.type]) : answer(flag, text)
    }
    case 'date': {
      const date = plainDate(text)
      return isCalendarDate(date) ? answer(date, text) : invalid(expectations.date)
    }
    case 'phone':
      return answer(keptDigits(text), text)
    case 'single_choice':
    case 'multiple_choice':
      return answer(optionMeant(field, text), text)
    case 'short_text':
    case 'long_text':
    case 'email':
      return answer(text, text)
  }
}

/**
 * The text that is read as the answer. Text is taken verbatim, but what nobody sees is no part of an address or a number,
 * so it is neither an answer nor in the way of one.
 */
function readableText({ type }: AnswerField, given: string): string {
  return type === 'email' || type === 'phone' ? withoutFormatCharacters(given) : given
}

function numberOf(text: string): AnswerReading {
  const reading = readNumber(text)
  return 'number' in reading ? answer(reading.number, text) : invalid(...reading.problem)
}

/** The option that a text means: browsers send a line break within a value as CRLF, whatever it was in the page. */
function optionMeant({ options }: AnswerField, text: string): string {
  if (!/[\r\n]/.test(text) || options.some(({ value }) => value === text)) return text
  return options.find(({ value }) => withLineFeeds(value) === withLineFeeds(text))?.value ?? text
}

/** The spellings of a boolean in form encodings. */
const flagSpellings: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['on', true],
  ['1', true],
  ['yes', true],
  ['false', false],
  ['off', false],
  ['0', false],
  ['no', false],
])

/** Forms send an empty value beside a checkbox group, so that an unchecked group is sent at all. */
function isGiven(value: unknown): boolean {
  return typeof value !== 'string' || !isBlank(value)
}

function readList(field: AnswerField, value: unknown): AnswerReading {
  if (value === undefined || value === null) return empty
  if (typeof value === 'string' && isBlank(value)) return empty
  if (!Array.isArray(value)) return invalid('sendList')
  if (value.length === 0) return empty
  if (value.length > ITEMS_MAX) return invalid('chooseAtMost', { max: ITEMS_MAX })
  const texts = value.filter((item) => typeof item === 'string')
  if (texts.length < value.length) return invalid(expectations.multiple_choice)
  const items = texts.map((text) => optionMeant(field, text))
  return new Set(items).size === items.length ? answer(items) : invalid('chooseOnce')
}

const PHONE_MIN_DIGITS = 7

/** Why the answer of a visible field is not acceptable, as a sentence for the person answering; null when it is. */
export function answerProblem(field: AnswerField, reading: AnswerReading): Sentence | null {
  switch (reading.kind) {
    case 'invalid':
      return reading.problem
    case 'empty':
      return field.required ? requirement(field) : null
    case 'answer':
      return valueProblem(field, reading.value, reading.given ?? '')
  }
}

function requirement(field: AnswerField): Sentence {
  return [field.type === 'consent' ? 'consentRequired' : 'required']
}

function valueProblem(field: AnswerField, value: AnswerValue, given: string): Sentence | null {
  switch (field.type) {
    case 'email':
      return readEmailAddress(given) === null ? ['validEmail'] : lengthProblem(field, given)
    case 'phone':
      return digitsProblem(given) ?? lengthProblem(field, given)
    case 'short_text':
    case 'long_text':
      return lengthProblem(field, given)
    case 'number':
    case 'date':
      return boundProblem(field, value)
    case 'single_choice':
      return isOption(field, value) ? null : ['chooseOne']
    case 'multiple_choice':
      return isListOf(value, (item) => isOption(field, item)) ? null : ['chooseSome']
    case 'consent':
      return field.required && value !== true ? requirement(field) : null
    case 'boolean':
      return null
  }
}

function lengthProblem({ minLength, maxLength }: AnswerField, given: string): Sentence | null {
  const count = characterCount(given)
  if (minLength !== null && count < minLength) return ['atLeastCharacters', { min: minLength }]
  return maxLength !== null && count > maxLength ? ['atMostCharacters', { max: maxLength }] : null
}

function digitsProblem(given: string): Sentence | null {
  return phoneDigits(given).length < PHONE_MIN_DIGITS ? ['validPhone'] : null
}

function boundProblem({ type, min, max }: AnswerField, value: AnswerValue): Sentence | null {
  // Saved bounds have the type of the answers: numbers, or dates with four-digit years, which can be compared as text.
  const isDate = type === 'date'
  if (min !== null && value < min) return [isDate ? 'dateFrom' : 'numberAtLeast', { min }]
  return max !== null && value > max ? [isDate ? 'dateUntil' : 'numberAtMost', { max }] : null
}

function isListOf(value: AnswerValue, isIncluded: (item: string) => boolean): boolean {
  return typeof value === 'object' && value.every(isIncluded)
}

function isOption(field: AnswerField, value: AnswerValue): boolean {
  return field.options.some((option) => option.value === value)
}

/**
 * A decimal number as people type it: HTML's floating-point number, also with a plus sign, the minus sign U+2212, a
 * decimal comma, or the Arabic decimal separator U+066B.
 */
const NUMERIC_TEXT = /^([+\-\u2212]?)(\d*)(?:[.,\u066b](\d+))?(?:e([+-]?\d+))?$/i

/** The characters of such a number, as the `pattern` of an HTML control: in ASCII, so that a page may have any encoding. */
export const NUMBER_PATTERN = String.raw`[\p{Nd}\p{Cf}\s.,\u066B+\-\u2212eE]+`

/** A number with a comma that may stand between thousands: 1,500 is 1500 to some, and 1.5 to others. */
const AMBIGUOUS = /^[+\-\u2212]?[1-9]\d{0,2},\d{3}(?:e|$)/i

/** Digits in groups, between which people write different signs. */
const GROUPED = /^[+\-\u2212]?\d+(?:[\s.,'\u2019\u066b\u066c]\d+)+$/

/** The maximum number of significant digits. A double keeps any decimal number of that many. */
const DIGITS_MAX = 15

/** The least number that a double keeps with as many digits. Below, digits are lost one by one (IEEE 754, subnormal). */
const LEAST_NORMAL = 2 ** -1022

const PHONE_DIGITS_KEPT = 10

/** The finite number that a text means exactly, or why it means none, as a sentence for the person answering. */
type NumberReading = { readonly number: number } | { readonly problem: Sentence }

/**
 * Reads a number as it was written, as text or in JSON. White space around it and invisible characters are ignored; the
 * digits may be of any script. A number that would be rounded is none, and neither is one whose comma could be a
 * decimal comma or stand between thousands, nor hexadecimal.
 */
function readNumber(text: string): NumberReading {
  const written = withAsciiDigits(withoutFormatCharacters(text)).trim()
  if (AMBIGUOUS.test(written)) return grouped
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMERIC_TEXT.exec(written) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  if (whole + fraction === '') return GROUPED.test(written) ? grouped : noNumber
  if (significantLength(digits) > DIGITS_MAX) return { problem: ['fewerDigits', { max: DIGITS_MAX }] }
  const size = Number(`${whole}.${fraction}e${exponent}`)
  if (!Number.isFinite(size) || (digits !== '' && size < LEAST_NORMAL)) return noNumber
  // A zero has no sign, because JSON does not keep -0.
  return { number: sign === '' || sign === '+' || size === 0 ? size : -size }
}

const noNumber: NumberReading = { problem: ['enterNumber'] }

const grouped: NumberReading = { problem: ['noSeparators'] }

/** The length without the zeros at the end. */
function significantLength(digits: string): number {
  let length = digits.length
  while (digits[length - 1] === '0') length -= 1
  return length
}

/** The number that a text means; null: none. */
export function parseNumber(text: string): number | null {
  const reading = readNumber(text)
  return 'number' in reading ? reading.number : null
}

/** The digits of a phone number, of any script, in ASCII. */
function phoneDigits(text: string): string {
  return withAsciiDigits(text).replaceAll(/\D/g, '')
}

/** The digits of a phone answer; when more than ten remain, the last ten (contract, request body rule 6). */
export function keptDigits(text: string): string {
  return phoneDigits(text).slice(-PHONE_DIGITS_KEPT)
}

/**
 * What a visitor typed where the answer does not say all of it, by field id; null: the answers say all. The last ten
 * digits of a phone number have lost its country and its writing.
 * @param given the texts of answers as they were sent, by field id
 */
export function typedBeside(
  fields: ReadonlyMap<string, AnswerField>,
  answers: Readonly<Record<string, AnswerValue>>,
  given: ReadonlyMap<string, string>,
): Readonly<Record<string, string>> | null {
  const differing = [...given].filter(
    ([id, text]) => fields.get(id)?.type === 'phone' && answers[id] !== text,
  )
  return differing.length === 0 ? null : Object.fromEntries(differing)
}

/**
 * Answers as people read them: a phone number as it was typed. What was typed for another answer than the one that is
 * stored, as after an import of the answers alone, is not shown.
 */
export function answersAsTyped(
  answers: Readonly<Record<string, unknown>>,
  typed: Readonly<Record<string, string>> | null,
): Readonly<Record<string, unknown>> {
  if (typed === null) return answers
  const shown = (id: string, answer: unknown): unknown => {
    const text = Object.hasOwn(typed, id) ? typed[id] : undefined
    return text !== undefined && keptDigits(text) === answer ? text : answer
  }
  return Object.fromEntries(Object.entries(answers).map(([id, answer]) => [id, shown(id, answer)]))
}

/** A date as it is kept: in ASCII digits, without invisible characters. Whether it is one is judged elsewhere. */
export function plainDate(text: string): string {
  return withAsciiDigits(withoutFormatCharacters(text))
}

/** Whether text counts as no answer: empty or white space only. */
export function isBlank(text: string): boolean {
  return text.trim() === ''
}
