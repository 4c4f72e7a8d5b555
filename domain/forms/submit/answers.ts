import { echoed } from '../../bounds/echo.ts'
import type { CompiledForm } from '../definition/compiled/compile.ts'
import { isControlKey } from './control-keys.ts'
import type { AnswerValue } from '../definition/definition.ts'
import type { Entries, SubmittedBody } from '../definition/answers/entries.ts'
import { answerProblem } from '../definition/answers/judge-answer.ts'
import { readAnswer, type AnswerReading } from '../definition/answers/read-answer.ts'
import type { FieldErrors } from '../answer/result.ts'
import { visibleFields } from '../definition/rules/visibility.ts'
import { withLineFeeds } from '../../text/characters.ts'

export type AnswersReading =
  | {
      readonly kind: 'valid'
      /** The answers to store: those of visible fields, by field id. */
      readonly answers: Readonly<Record<string, AnswerValue>>
      /** The texts of those answers exactly as they were sent, by field id. */
      readonly given: ReadonlyMap<string, string>
    }
  | { readonly kind: 'invalid'; readonly fieldErrors: FieldErrors }

/**
 * Checks a body against a form. Answers to hidden fields are dropped without a check. Every field that fails is named,
 * and then every unknown key; the id of a display-only field counts as unknown.
 */
export function readAnswers(form: CompiledForm, body: SubmittedBody): AnswersReading {
  const entries = entriesById(form, body)
  const readings = new Map<string, AnswerReading>()
  const values = new Map<string, AnswerValue>()
  for (const field of form.answerFields.values()) {
    const reading = readAnswer(field, entries.get(field.id) ?? NO_VALUES, body.format)
    readings.set(field.id, reading)
    if (reading.kind === 'answer') values.set(field.id, reading.value)
  }
  const visible = visibleFields(form.resolved, values)
  const fieldErrors = new Map<string, string>()
  const answers: [string, AnswerValue][] = []
  const given = new Map<string, string>()
  for (const [id, reading] of readings) {
    const field = form.answerFields.get(id)
    if (field === undefined || !visible.has(id)) continue
    const problem = answerProblem(field, reading)
    if (problem !== null) fieldErrors.set(id, problem)
    if (reading.kind !== 'answer') continue
    answers.push([id, reading.value])
    if (reading.given !== null) given.set(id, reading.given)
  }
  addUnknownKeys(fieldErrors, form, entries)
  return fieldErrors.size > 0
    ? { kind: 'invalid', fieldErrors }
    : { kind: 'valid', answers: Object.fromEntries(answers), given }
}

/** The values of a field that the body does not contain. */
const NO_VALUES: readonly unknown[] = []

/** The entries by the ids of fields: browsers send a line break within a name as CRLF, whatever it was in the page. */
function entriesById({ answerFields }: CompiledForm, { format, entries }: SubmittedBody): Entries {
  const broken = format === 'form' ? [...answerFields.keys()].filter((id) => /[\r\n]/.test(id)) : []
  if (broken.length === 0) return entries
  const ids = new Map(broken.map((id) => [withLineFeeds(id), id]))
  const idOf = (name: string) => (answerFields.has(name) ? name : (ids.get(withLineFeeds(name)) ?? name))
  return new Map([...entries].map(([name, values]) => [idOf(name), values]))
}

/**
 * Adds an error for each key of a body that the form does not have. The keys are shortened, because the reply repeats
 * them.
 */
function addUnknownKeys(
  fieldErrors: Map<string, string>,
  { answerFields }: CompiledForm,
  entries: Entries,
): void {
  for (const key of entries.keys()) {
    if (answerFields.has(key) || isControlKey(key)) continue
    const shown = echoed(key)
    if (!fieldErrors.has(shown)) fieldErrors.set(shown, 'This form has no such field.')
  }
}
