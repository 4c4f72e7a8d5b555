import { showOrganizationForm } from '../../../domain/operators/endpoints/organization-forms.ts'
import type { listSubmissions } from '../../../domain/operators/endpoints/submissions.ts'
import { readField } from '../../../domain/forms/definition/field-settings.ts'
import { isAnswerField } from '../../../domain/forms/definition/definition.ts'
import { isSensitiveKey } from '../../../domain/text/sensitive-keys.ts'
import type { ItemOf } from '../client/pages.ts'
import { textOf } from '../command/arguments.ts'
import type { Values } from '../command/command.ts'
import type { Context } from '../command/context.ts'
import type { Sheet } from '../listing/listing.ts'

type Submission = ItemOf<typeof listSubmissions>

/** The columns that every sheet has. */
const FIXED = ['submissionId', 'submittedAt', 'formId', 'contactId'] as const

/**
 * Submissions as a sheet: a column for each field of the form, in its order, then for answers to fields that it has no
 * longer, then for where visitors came from. A field that is called as another column has the head `answers.FIELD`.
 */
export async function openSubmissionsSheet(context: Context, values: Values): Promise<Sheet<Submission>> {
  const ofForm = await fieldsOfForm(context, values)
  return (submissions) => {
    const fields = [...new Set([...ofForm, ...submissions.flatMap(({ answers }) => Object.keys(answers))])]
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
}

function valueIn(values: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(values, name) ? values[name] : null
}

/** The ids of the fields of the form in --form; none without it. */
async function fieldsOfForm(context: Context, values: Values): Promise<readonly string[]> {
  const formId = textOf(values, 'form')
  if (formId === undefined) return []
  const params = { organizationId: textOf(values, 'org') ?? '', formId }
  const { body } = await (await context.service()).call(showOrganizationForm, { params })
  const { fields } = body.form
  return (Array.isArray(fields) ? fields : []).flatMap((saved: unknown, index) => {
    const reading = readField(saved, index)
    const isShown =
      reading.kind === 'field' && isAnswerField(reading.field) && !isSensitiveKey(reading.field.id)
    return isShown ? [reading.field.id] : []
  })
}
