import type { FormDirectory } from '../../../ports/records.ts'
import { isPlaced, placedText } from '../placement/family-row.ts'
import { elsewhere } from '../placement/guard.ts'
import { bind, db, slot, template } from '../statement/compiler.ts'
import { resultsOf } from '../statement/executor.ts'
import { parsed } from '../database/json-text.ts'
import { tenantExecutors, type StorageOptions } from '../storage-options.ts'
import { createSubmissionWriter } from '../write/submission-writer.ts'

const findForm = template(() =>
  db
    .selectFrom('forms as f')
    .innerJoin('organizations as o', 'o.organization_id', 'f.organization_id')
    .select([
      'f.organization_id',
      'f.form_id',
      'f.version',
      'f.is_published',
      'f.definition',
      'f.password_hash',
    ])
    .select('o.phone_country')
    .where('f.form_id', '=', slot('formId'))
    .where(({ not, ref }) => not(isPlaced(ref('f.organization_id')))),
)

/** Finds the organization that has the form, where its family has a database of its own. */
const findPlaced = template(() =>
  db
    .selectFrom('placed_forms as placed')
    .innerJoin('placed_organizations as p', 'p.organization_id', 'placed.organization_id')
    .innerJoin('families as f', 'f.family_id', 'p.family_id')
    .select(placedText.as('place'))
    .where('placed.form_id', '=', slot('formId')),
)

/** The directory of forms. `submissionsOf` opens the organization that owns a form for writing. */
export function createFormDirectory(options: StorageOptions): FormDirectory {
  const { executor, clock } = options
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
    submissionsOf: (organizationId) =>
      createSubmissionWriter(tenantExecutors(options, organizationId), clock, organizationId),
  }
}
