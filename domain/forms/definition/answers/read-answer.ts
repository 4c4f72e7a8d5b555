import { isCalendarDate } from '../../../text/instant.ts'
import {
  isStorableText,
  characterCount,
  withLineFeeds,
  withoutFormatCharacters,
} from '../../../text/characters.ts'
import type { AnswerField, AnswerValue } from '../definition.ts'
import { InexactNumber, type SubmittedBody } from './entries.ts'
import { ANSWER_MAX_LENGTH, ITEMS_MAX } from '../limits.ts'
import { isBlank, keptDigits, plainDate, readNumber } from './readings.ts'

/** The value of a body for one field: none, an answer of the field's type, or something else. */
export type AnswerReading =
  | { readonly kind: 'empty' }
  /** `given` is the text as it was sent, for answers that are text; see `readableText`. */
  | { readonly kind: 'answer'; readonly value: AnswerValue; readonly given: string | null }
  | { readonly kind: 'invalid'; readonly message: string }

const empty: AnswerReading = { kind: 'empty' }

function invalid(message: string): AnswerReading {
  return { kind: 'invalid', message }
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
  if (values.length > 1) return invalid('Give one answer only.')
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

const expectations: Readonly<Record<AnswerField['type'], string>> = {
  short_text: 'Enter text.',
  long_text: 'Enter text.',
  email: 'Enter an email address as text.',
  phone: 'Enter a phone number as text.',
  number: 'Enter a number.',
  date: 'Enter a date as YYYY-MM-DD.',
  single_choice: 'Choose one of the options.',
  multiple_choice: 'Choose from the options.',
  boolean: 'Answer true or false.',
  consent: 'Answer true or false.',
}

function readText(field: AnswerField, given: string, format: SubmittedBody['format']): AnswerReading {
  const text = readableText(field, given)
  if (isBlank(text)) return empty
  if (characterCount(given) > ANSWER_MAX_LENGTH)
    return invalid(`Use at most ${ANSWER_MAX_LENGTH} characters.`)
  if (!isStorableText(text)) return invalid('This text has a character that cannot be stored.')
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
  return 'number' in reading ? answer(reading.number, text) : invalid(reading.problem)
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
  if (!Array.isArray(value)) return invalid('Send a list of options.')
  if (value.length === 0) return empty
  if (value.length > ITEMS_MAX) return invalid(`Choose at most ${ITEMS_MAX} options.`)
  const texts = value.filter((item) => typeof item === 'string')
  if (texts.length < value.length) return invalid(expectations.multiple_choice)
  const items = texts.map((text) => optionMeant(field, text))
  return new Set(items).size === items.length ? answer(items) : invalid('Choose each option once only.')
}
