import { organizationPath } from '../organizations/organization.tsx'
import { searchText } from '../service/client.ts'

/** Which submissions an inbox shows; null: all. */
export interface InboxFilter {
  readonly formId: string | null
  readonly contactId: string | null
}

/** The address of what came in, below the console. */
export function inboxPath(organizationId: string, filter: Partial<InboxFilter>): string {
  const { formId, contactId } = filter
  return organizationPath(organizationId, '/submissions') + searchText({ form: formId, contact: contactId })
}

/** The filter in the query of an address. */
export function filterIn(search: string): InboxFilter {
  const chosen = new URLSearchParams(search)
  return { formId: chosen.get('form'), contactId: chosen.get('contact') }
}

/** The filter as the service takes it. */
export function queryOf({ formId, contactId }: InboxFilter) {
  return { ...(formId === null ? {} : { formId }), ...(contactId === null ? {} : { contactId }) }
}

/** The formats of a file of submissions, as those of the operator's command. */
export const formats = ['csv', 'ndjson'] as const
export type Format = (typeof formats)[number]
