import type { FormDefinition, StoredRow, TenantWriter } from '../../../ports/records.ts'
import { echoed } from '../../bounds/echo.ts'
import { abuseWarnings } from '../../forms/definition/abuse-warnings.ts'
import { contactMessages } from '../../jobs/automation/steps.ts'

/** What strangers could do with automations that are about to be imported, as sentences for the operator. */
export async function automationWarnings(
  rows: readonly StoredRow[],
  lookup: Pick<TenantWriter, 'findMany'>,
): Promise<readonly string[]> {
  const writing = rows.flatMap(({ automationId, status, triggerFormId, steps }) => {
    const messages = status === 'active' && triggerFormId !== null ? contactMessages(steps) : []
    return messages.length === 0
      ? []
      : [{ id: String(automationId), formId: String(triggerFormId), messages }]
  })
  const formIds = writing.map(({ formId }) => formId)
  const found = formIds.length === 0 ? [] : await lookup.findMany('forms', ['formId', 'definition'], formIds)
  const definitions = new Map(found.map(({ formId, definition }) => [formId, definition as FormDefinition]))
  return writing.flatMap(({ id, formId, messages }) => {
    const definition = definitions.get(formId)
    if (definition === undefined) return []
    const use = { password: null, messages }
    return abuseWarnings(definition, use).map(
      (sentence) => `${echoed(id)}: form ${echoed(formId)}: ${sentence}`,
    )
  })
}
