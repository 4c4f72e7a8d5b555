import { isAnswerField } from './language/definition.ts'
import { readField } from './language/compile.ts'
import { listOf } from '../text/json.ts'
import { isSensitiveKey } from '../text/sensitive-keys.ts'

/** What a sheet shows of a submission. */
interface SheetSubmission {
  readonly submissionId: string
  readonly submittedAt: string
  readonly formId: string
  readonly contact: { readonly contactId: string } | null
  readonly answers: Readonly<Record<string, unknown>>
  readonly attribution: Readonly<Record<string, unknown>>
}

/** The columns that every sheet has. */
const FIXED = ['submissionId', 'submittedAt', 'formId', 'contactId'] as const

/**
 * Submissions as a sheet, the first row of which has the heads: a column for each field of the form, in its order, then
 * for answers to fields that it has no longer, then for where visitors came from. A field that is called as another
 * column has the head `answers.FIELD`.
 * @param formFields the ids of the fields of the form; none when the submissions are those of several
 */
export function submissionsSheet(
  formFields: readonly string[],
  submissions: readonly SheetSubmission[],
): readonly (readonly unknown[])[] {
  const fields = [...new Set([...formFields, ...submissions.flatMap(({ answers }) => Object.keys(answers))])]
  const origins = [...new Set(submissions.flatMap(({ attribution }) => Object.keys(attribution)))].sort()
  const taken = new Set<string>([...FIXED, ...origins])
  const heads = fields.map((field) => (taken.has(field) ? `answers.${field}` : field))
  return [
    [...FIXED, ...heads, ...origins],
    ...submissions.map(({ submissionId, submittedAt, formId, contact, answers, attribution }) => [
      ...[submissionId, submittedAt, formId, contact?.contactId],
      ...fields.map((field) => valueIn(answers, field)),
      ...origins.map((origin) => valueIn(attribution, origin)),
    ]),
  ]
}

function valueIn(values: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(values, name) ? values[name] : null
}

/** The ids of the fields of a stored form whose answers are published. */
export function answeredFields(form: Readonly<Record<string, unknown>>): readonly string[] {
  return listOf(form.fields).flatMap((saved, index) => {
    const reading = readField(saved, index)
    const isShown =
      reading.kind === 'field' && isAnswerField(reading.field) && !isSensitiveKey(reading.field.id)
    return isShown ? [reading.field.id] : []
  })
}
