import { listOf } from '../text/encoding.ts'
import { isSensitiveKey } from '../text/sensitive-keys.ts'
import { isAnswerField, type AnswerField } from './language/definition.ts'
import { readField } from './language/compile.ts'
import type { Say } from './language/words.ts'

// What people are shown of the answers to a form: its words, as the visitor read them.

type Answers = Readonly<Record<string, unknown>>

/** What truth values are called. */
interface Truths {
  readonly yes: string
  readonly no: string
}

const englishTruths: Truths = { yes: 'Yes', no: 'No' }

/** What a form calls truth values. */
export function truthsOf(say: Say): Truths {
  return { yes: say(['yes']), no: say(['no']) }
}

/**
 * The fields of a stored form to which there are answers that may be shown, in the form's order.
 * @param saved the form's `fields` as they are stored, whatever they are
 */
export function shownFields(saved: unknown): readonly AnswerField[] {
  return listOf(saved).flatMap((field, index) => {
    const reading = readField(field, index)
    const isShown =
      reading.kind === 'field' && isAnswerField(reading.field) && !isSensitiveKey(reading.field.id)
    return isShown ? [reading.field] : []
  })
}

/** What a field is called: by its label, or else its id. */
export function fieldName({ id, label }: AnswerField): string {
  return label || id
}

/**
 * An answer in the form's words: choices by their labels, truth values as Yes and No, lists item by item. All else, and a
 * value that the form does not have, stays as it is.
 * @param field undefined: the form no longer has it
 */
export function inWords(answer: unknown, field: AnswerField | undefined, truths = englishTruths): unknown {
  if (Array.isArray(answer)) return answer.map((one) => inWords(one, field, truths))
  if (typeof answer === 'boolean') return answer ? truths.yes : truths.no
  if (typeof answer !== 'string') return answer
  return field?.options.find(({ value }) => value === answer)?.label || answer
}

/** An answer in the form's words as one text: lists with commas, what is neither a text nor a list as JSON. */
export function answerText(answer: unknown, field: AnswerField | undefined, truths = englishTruths): string {
  if (answer === null || answer === undefined) return ''
  if (Array.isArray(answer)) return answer.map((one) => answerText(one, field, truths)).join(', ')
  const words = inWords(answer, field, truths)
  return typeof words === 'string' ? words : JSON.stringify(words)
}

/** One answer as people are shown it. */
export interface AnswerLine {
  readonly id: string
  readonly label: string
  readonly value: string
}

/**
 * The answers in the form's order and words. Answers to fields that it no longer has come last, with the field's id as
 * the label. Those that read as secrets are left out.
 */
export function answerLines(
  answers: Answers,
  fields: readonly AnswerField[],
  truths = englishTruths,
): readonly AnswerLine[] {
  const known = new Map(fields.map((field) => [field.id, field]))
  const ids = [...known.keys(), ...Object.keys(answers).filter((id) => !known.has(id))]
  return ids
    .filter((id) => Object.hasOwn(answers, id) && !isSensitiveKey(id))
    .map((id) => {
      const field = known.get(id)
      const label = field === undefined ? id : fieldName(field)
      return { id, label, value: answerText(answers[id], field, truths) }
    })
}
