import { listOf } from '../text/encoding.ts'
import { isSensitiveKey } from '../text/sensitive-keys.ts'
import { isAnswerField, type AnswerField } from './language/definition.ts'
import { readField } from './language/compile.ts'
import type { Say } from './language/words.ts'

// What people are shown of the answers to a form, one by one and as a sheet: its words, as the visitor read them.

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
function inWords(answer: unknown, field: AnswerField | undefined, truths = englishTruths): unknown {
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

/** What a sheet shows of a submission. */
interface SheetSubmission {
  readonly submissionId: string
  readonly submittedAt: string
  readonly formId: string
  readonly contact: { readonly contactId: string } | null
  readonly answers: Readonly<Record<string, unknown>>
  /** Left out: it is not known. */
  readonly extra?: Readonly<Record<string, string>>
  readonly attribution: Readonly<Record<string, unknown>>
}

/** The columns that every sheet has. */
const FIXED = ['submissionId', 'submittedAt', 'formId', 'contactId'] as const

/** How a sheet names answers: by the ids of fields with the stored values, or in the words of the forms. */
interface SheetOptions {
  readonly isLabelled: boolean
}

/**
 * Submissions as a sheet, the first row of which has the heads: a column for each field of the forms, in their order, then
 * for answers to fields that they have no longer, then as `extra.NAME` for what was sent besides, then for where visitors came from. With labels, fields of several forms
 * that are called the same share a column; two of one form do not, and have their id too. What is called as another column
 * has the head `answers.NAME`.
 * @param forms the fields of forms by their id. Of a form that is not among them, the ids of fields are the names
 */
export function submissionsSheet(
  submissions: readonly SheetSubmission[],
  forms: ReadonlyMap<string, readonly AnswerField[]>,
  { isLabelled }: SheetOptions,
): readonly (readonly unknown[])[] {
  const named = new Map([...forms].map(([formId, fields]) => [formId, namesOf(fields, isLabelled)]))
  const rows = submissions.map((submission) => ({
    submission,
    values: valuesOf(submission.answers, named.get(submission.formId) ?? namesOf([], isLabelled)),
  }))
  const ofForms = [...named.values()].flatMap(({ names }) => [...names.values()])
  const names = [...new Set([...ofForms, ...rows.flatMap(({ values }) => [...values.keys()])])]
  const origins = [...new Set(submissions.flatMap(({ attribution }) => Object.keys(attribution)))].sort()
  const extras = [...new Set(submissions.flatMap(({ extra }) => Object.keys(extra ?? {})))]
  const extraHeads = extras.map((name) => `extra.${name}`)
  const taken = new Set<string>([...FIXED, ...extraHeads, ...origins])
  const heads = names.map((name) => (taken.has(name) ? `answers.${name}` : name))
  return [
    [...FIXED, ...heads, ...extraHeads, ...origins],
    ...rows.map(
      ({ submission: { submissionId, submittedAt, formId, contact, extra = {}, attribution }, values }) => [
        ...[submissionId, submittedAt, formId, contact?.contactId],
        ...names.map((name) => values.get(name) ?? null),
        ...extras.map((name) => (Object.hasOwn(extra, name) ? extra[name] : null)),
        ...origins.map((origin) => (Object.hasOwn(attribution, origin) ? attribution[origin] : null)),
      ],
    ),
  ]
}

/** How the fields of one form are called in a sheet. */
interface FormNames {
  readonly fields: ReadonlyMap<string, AnswerField>
  /** The name of each field by its id. */
  readonly names: ReadonlyMap<string, string>
  readonly isLabelled: boolean
}

function namesOf(fields: readonly AnswerField[], isLabelled: boolean): FormNames {
  const counts = Map.groupBy(fields.map(fieldName), (name) => name)
  const nameOf = (field: AnswerField): string => {
    if (!isLabelled) return field.id
    const name = fieldName(field)
    return counts.get(name)?.length === 1 ? name : `${name} (${field.id})`
  }
  return {
    fields: new Map(fields.map((field) => [field.id, field])),
    names: new Map(fields.map((field) => [field.id, nameOf(field)])),
    isLabelled,
  }
}

/** The answers of a submission by the names of their columns. */
function valuesOf(
  answers: SheetSubmission['answers'],
  { fields, names, isLabelled }: FormNames,
): ReadonlyMap<string, unknown> {
  const taken = new Set(names.values())
  return new Map(
    Object.entries(answers).map(([id, answer]) => {
      // A field that the form has no longer must not share the column of another that is called so now.
      const name = names.get(id) ?? (taken.has(id) ? `answers.${id}` : id)
      return [name, isLabelled ? inWords(answer, fields.get(id)) : answer]
    }),
  )
}
