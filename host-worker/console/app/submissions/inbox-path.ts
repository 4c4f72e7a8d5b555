import { organizationPath } from '../organizations/organization.ts'

/**
 * The address of what came in through a form, below the console.
 * @param formId empty: through all of them
 */
export function inboxPath(organizationId: string, formId: string): string {
  const path = organizationPath(organizationId, '/submissions')
  return formId === '' ? path : `${path}?${new URLSearchParams({ form: formId }).toString()}`
}
