import { showOrganizationForm } from '../../../../domain/operators/endpoints/forms/organization-forms.ts'
import type { listSubmissions } from '../../../../domain/operators/endpoints/forms/submissions.ts'
import { answeredFields, submissionsSheet } from '../../../../domain/forms/sheet/submissions-sheet.ts'
import type { ItemOf } from '../../client/pages.ts'
import { textOf } from '../../command/arguments.ts'
import type { Values } from '../../command/command.ts'
import type { Context } from '../../command/context.ts'
import type { Sheet } from '../../listing/listing.ts'

/** Opens the sheet of submissions; with --form, its columns begin with those of the form. */
export async function openSubmissionsSheet(
  context: Context,
  values: Values,
): Promise<Sheet<ItemOf<typeof listSubmissions>>> {
  const formId = textOf(values, 'form')
  if (formId === undefined) return (submissions) => submissionsSheet([], submissions)
  const params = { organizationId: textOf(values, 'org') ?? '', formId }
  const { body } = await (await context.service()).call(showOrganizationForm, { params })
  return (submissions) => submissionsSheet(answeredFields(body.form), submissions)
}
