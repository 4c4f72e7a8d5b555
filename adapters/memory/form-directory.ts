import type { FormDirectory, StoredForm } from '../../ports/form-directory.ts'
import type { TenantWriter } from '../../ports/tenant-writer.ts'
import type { KeptRow, MemoryState, TenantState } from './state.ts'
import { rowsOf } from './state.ts'

/** The directory of forms. `openTenant` opens the organization that owns a form found. */
export function createMemoryFormDirectory(
  state: MemoryState,
  openTenant: (organizationId: string) => TenantWriter,
): FormDirectory {
  return {
    async find(formId) {
      state.meter.calls += 1
      for (const tenant of state.tenants.values()) {
        const row = rowsOf(tenant, 'forms').get(formId)
        if (row !== undefined) return storedForm(tenant, row)
      }
      return null
    },
    tenantOf: ({ organizationId }) => openTenant(organizationId),
  }
}

function storedForm({ organization }: TenantState, row: KeptRow): StoredForm {
  return {
    organizationId: organization.organizationId,
    formId: row.formId as string,
    version: row.version as number,
    isPublished: row.isPublished === true,
    definition: JSON.parse(row.definition as string) as unknown,
    passwordHash: row.passwordHash as string | null,
    phoneCountry: organization.phoneCountry,
  }
}
