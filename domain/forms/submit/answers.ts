import { echoed } from '../../bounds/echo.ts'
import type { CompiledForm } from '../definition/compile.ts'
import { isControlKey } from './control-keys.ts'
import type { AnswerValue } from '../definition/definition.ts'
import type { SubmittedBody } from '../definition/entries.ts'
import { answerProblem } from '../definition/judge-answer.ts'
import type { AnswerReading } from '../definition/read-answer.ts'
import { readAnswer } from '../definition/read-answer.ts'
import type { FieldErrors } from '../answer/result.ts'
import { visibleFields } from '../definition/visibility.ts'

export type AnswersReading =
  | {
      readonly kind: 'valid'
      /** What is stored: the answers of visible fields that have one, by field id. */
      readonly answers: Readonly<Record<string, AnswerValue>>
      /** The text of those answers exactly as it was sent. */
      readonly given: ReadonlyMap<string, string>
    }
  | { readonly kind: 'invalid'; readonly fieldErrors: FieldErrors }

/**
 * Checks a body against a form. Answers to hidden fields are dropped unseen; every field that fails is named, and then
 * every unknown key. A key of a display-only field is an unknown one.
 */
export function readAnswers(form: CompiledForm, body: SubmittedBody): AnswersReading {
  const readings = new Map(
    [...form.answerFields.values()].map((field) => [
      field.id,
      readAnswer(field, body.entries.get(field.id) ?? [], body.format),
    ]),
  )
  const values = answered(readings, ({ value }) => value)
  const visible = visibleFields(form.resolved, values)
  const fieldErrors = new Map<string, string>()
  for (const [id, field] of form.answerFields) {
    const reading = readings.get(id)
    const problem = visible.has(id) && reading !== undefined ? answerProblem(field, reading) : null
    if (problem !== null) fieldErrors.set(id, problem)
  }
  for (const key of unknownKeys(form, body)) {
    if (!fieldErrors.has(key)) fieldErrors.set(key, 'This form has no such field.')
  }
  if (fieldErrors.size > 0) return { kind: 'invalid', fieldErrors }
  const shown = new Map([...readings].filter(([id]) => visible.has(id)))
  return {
    kind: 'valid',
    answers: Object.fromEntries(answered(shown, ({ value }) => value)),
    given: answered(shown, ({ given }) => given),
  }
}

/** The keys of a body that the form does not have, as they may be repeated to whoever sent them. */
function unknownKeys({ answerFields }: CompiledForm, { entries }: SubmittedBody): readonly string[] {
  return [...entries.keys()].filter((key) => !answerFields.has(key) && !isControlKey(key)).map(echoed)
}

type Answer = Extract<AnswerReading, { kind: 'answer' }>

function answered<Value>(
  readings: ReadonlyMap<string, AnswerReading>,
  pick: (answer: Answer) => Value | null,
): Map<string, Value> {
  return new Map(
    [...readings].flatMap(([id, reading]): (readonly [string, Value])[] => {
      const picked = reading.kind === 'answer' ? pick(reading) : null
      return picked === null ? [] : [[id, picked]]
    }),
  )
}
