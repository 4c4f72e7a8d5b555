import { readEmailAddress } from '../../../text/email-address.ts'
import { characterCount } from '../../../text/characters.ts'
import type { AnswerField, AnswerValue } from '../definition.ts'
import type { AnswerReading } from './read-answer.ts'
import { phoneDigits } from './readings.ts'

const PHONE_MIN_DIGITS = 7

/** Why the answer of a visible field is not acceptable, as a sentence for the person answering; null when it is. */
export function answerProblem(field: AnswerField, reading: AnswerReading): string | null {
  switch (reading.kind) {
    case 'invalid':
      return reading.message
    case 'empty':
      return field.required ? requirement(field) : null
    case 'answer':
      return valueProblem(field, reading.value, reading.given ?? '')
  }
}

function requirement(field: AnswerField): string {
  return field.type === 'consent' ? 'Your consent is required.' : 'This field is required.'
}

function valueProblem(field: AnswerField, value: AnswerValue, given: string): string | null {
  switch (field.type) {
    case 'email':
      return readEmailAddress(given) === null ? 'Enter a valid email address.' : lengthProblem(field, given)
    case 'phone':
      return digitsProblem(given) ?? lengthProblem(field, given)
    case 'short_text':
    case 'long_text':
      return lengthProblem(field, given)
    case 'number':
    case 'date':
      return boundProblem(field, value)
    case 'single_choice':
      return isOption(field, value) ? null : 'Choose one of the options.'
    case 'multiple_choice':
      return isListOf(value, (item) => isOption(field, item)) ? null : 'Choose from the options.'
    case 'consent':
      return field.required && value !== true ? requirement(field) : null
    case 'boolean':
      return null
  }
}

function lengthProblem({ minLength, maxLength }: AnswerField, given: string): string | null {
  const count = characterCount(given)
  if (minLength !== null && count < minLength) return `Use at least ${minLength} characters.`
  return maxLength !== null && count > maxLength ? `Use at most ${maxLength} characters.` : null
}

function digitsProblem(given: string): string | null {
  return phoneDigits(given).length < PHONE_MIN_DIGITS ? 'Enter a valid phone number.' : null
}

function boundProblem({ type, min, max }: AnswerField, value: AnswerValue): string | null {
  // Saved bounds have the type of the answers: numbers, or dates with four-digit years, which can be compared as text.
  const [below, above] = type === 'date' ? ['on or after', 'on or before'] : ['of at least', 'of at most']
  if (min !== null && value < min) return `Enter a ${type} ${below} ${min}.`
  return max !== null && value > max ? `Enter a ${type} ${above} ${max}.` : null
}

function isListOf(value: AnswerValue, isIncluded: (item: string) => boolean): boolean {
  return typeof value === 'object' && value.every(isIncluded)
}

function isOption(field: AnswerField, value: AnswerValue): boolean {
  return field.options.some((option) => option.value === value)
}
