import { organizationPath } from '../organizations/organization.ts'

/** The address of a form's page below the console. An id alone is no address: a form may be called “new”. */
export function formPath(organizationId: string, formId: string, page: 'edit' | 'site'): string {
  return organizationPath(organizationId, `/forms/${encodeURIComponent(formId)}/${page}`)
}
