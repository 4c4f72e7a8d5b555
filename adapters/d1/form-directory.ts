import { sql } from 'kysely'
import type { FormDirectory } from '../../ports/form-directory.ts'
import type { TenantWriter } from '../../ports/tenant-writer.ts'
import { bind, slot, template } from './compiler.ts'
import type { Executor } from './executor.ts'

const findForm = template(sql`
  select f.organization_id, f.form_id, f.version, f.is_published, f.definition, f.password_hash, o.phone_country
  from forms as f join organizations as o on o.organization_id = f.organization_id
  where f.form_id = ${slot('formId')}`)

interface FormRow {
  readonly organization_id: string
  readonly form_id: string
  readonly version: number
  readonly is_published: number
  readonly definition: string
  readonly password_hash: string | null
  readonly phone_country: string
}

/** The directory of forms on D1. `openTenant` opens the organization that owns a form found. */
export function createD1FormDirectory(
  executor: Executor,
  openTenant: (organizationId: string) => TenantWriter,
): FormDirectory {
  return {
    async find(formId) {
      const [found] = await executor.batch([bind(findForm, { formId })])
      const row = found?.results[0] as FormRow | undefined
      if (row === undefined) return null
      return {
        organizationId: row.organization_id,
        formId: row.form_id,
        version: row.version,
        isPublished: row.is_published === 1,
        definition: JSON.parse(row.definition) as unknown,
        passwordHash: row.password_hash,
        phoneCountry: row.phone_country,
      }
    },
    tenantOf: ({ organizationId }) => openTenant(organizationId),
  }
}
