import { withAsciiDomain } from '../../../text/email-address.ts'
import { isCalendarDate } from '../../../text/instant.ts'
import { withLineFeeds, withoutFormatCharacters } from '../../../text/characters.ts'
import type { AnswerType, DisplayType } from '../definition.ts'
import { isBlank, keptDigits, parseNumber, plainDate } from '../answers/readings.ts'

/** An answer or a rule's value in the form in which it is compared; null: empty, or not of the subject's type. */
export type Operand = string | number | boolean | ReadonlySet<string> | null

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
