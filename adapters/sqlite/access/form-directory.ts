import { sql } from 'kysely'
import type { FormDefinition, FormDirectory } from '../../../ports/records/form-directory.ts'
import type { SubmissionWriter } from '../../../ports/records/tenant-writer.ts'
import type { PlacedText } from '../placement/family-row.ts'
import { isPlaced, placedText } from '../placement/family-row.ts'
import { elsewhere } from '../placement/guard.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Executor } from '../statement/executor.ts'
import { resultsOf } from '../statement/executor.ts'
import type { JsonText } from '../statement/json-text.ts'
import { parsed } from '../statement/json-text.ts'

const findForm = template(sql<FormRow>`
  select f.organization_id, f.form_id, f.version, f.is_published, f.definition, f.password_hash, o.phone_country
  from forms as f join organizations as o on o.organization_id = f.organization_id
  where f.form_id = ${slot('formId')}
    and not ${isPlaced(sql`f.organization_id`)}`)

/** Finds the organization that has the form, where its family has a database of its own. */
const findPlaced = template(sql<{ readonly place: PlacedText }>`
  select ${placedText} as place from placed_forms as placed
    join placed_organizations as p on p.organization_id = placed.organization_id
    join families as f on f.family_id = p.family_id
  where placed.form_id = ${slot('formId')}`)

interface FormRow {
  readonly organization_id: string
  readonly form_id: string
  readonly version: number
  readonly is_published: number
  readonly definition: JsonText<FormDefinition>
  readonly password_hash: string | null
  readonly phone_country: string
}

/** The directory of forms. `submissionsOf` opens the organization that owns a form for writing. */
export function createFormDirectory(
  executor: Executor,
  submissionsOf: (organizationId: string) => SubmissionWriter,
): FormDirectory {
  return {
    async find(formId) {
      const [found, placed] = await resultsOf(executor, [
        bind(findForm, { formId }),
        bind(findPlaced, { formId }),
      ])
      const [row] = found.rows
      const [elsewhereRow] = placed.rows
      if (row === undefined && elsewhereRow !== undefined) throw elsewhere(elsewhereRow.place)
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
    submissionsOf,
  }
}
