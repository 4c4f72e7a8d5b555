import type { FormDefinition, FormDirectory } from '../../../ports/form-directory.ts'
import type { TenantWriter } from '../../../ports/tenant-writer.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Executor } from '../statement/executor.ts'
import { rowsOf } from '../statement/executor.ts'
import type { JsonText } from '../statement/json-text.ts'
import { parsed } from '../statement/json-text.ts'
import { sql } from '../statement/sql.ts'

const findForm = template(sql<FormRow>`
  select f.organization_id, f.form_id, f.version, f.is_published, f.definition, f.password_hash, o.phone_country
  from forms as f join organizations as o on o.organization_id = f.organization_id
  where f.form_id = ${slot('formId')}`)

interface FormRow {
  readonly organization_id: string
  readonly form_id: string
  readonly version: number
  readonly is_published: number
  readonly definition: JsonText<FormDefinition>
  readonly password_hash: string | null
  readonly phone_country: string
}

/** The directory of forms. `openTenant` opens the organization that owns a form found. */
export function createFormDirectory(
  executor: Executor,
  openTenant: (organizationId: string) => TenantWriter,
): FormDirectory {
  return {
    async find(formId) {
      const [row] = await rowsOf(executor, bind(findForm, { formId }))
      if (row === undefined) return null
      return {
        organizationId: row.organization_id,
        formId: row.form_id,
        version: row.version,
        isPublished: row.is_published === 1,
        definition: parsed(row.definition),
        passwordHash: row.password_hash,
        phoneCountry: row.phone_country,
      }
    },
    tenantOf: ({ organizationId }) => openTenant(organizationId),
  }
}
