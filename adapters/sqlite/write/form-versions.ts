import { sql } from 'kysely'
import type { FormDefinition, FormVersion, TenantWriter } from '../../../ports/records.ts'
import { parsed, type JsonText } from '../statement/database.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import { rowsOf, type Executor, type Statement } from '../statement/executor.ts'

/** The maximum number of versions that are kept of a form. */
const VERSIONS_MAX = 50

const organizationId = slot<string>('organizationId')
const formId = slot<string>('formId')

/** The forms in the slot `formIds`, each with its latest version. */
const forms = sql`json_each(${slot('formIds')}) as e
  join forms as f on f.organization_id = ${organizationId} and f.form_id = e.value
  left join form_versions as v on v.organization_id = f.organization_id and v.form_id = f.form_id and v.number = (
    select max(number) from form_versions where organization_id = f.organization_id and form_id = f.form_id)`

const insert = sql`insert into form_versions (organization_id, form_id, number, saved_at, saved_by, definition)
  select f.organization_id, f.form_id, ifnull(v.number, 0) + 1, f.updated_at`

/** A version without whether it is published, which is no part of it. */
const content = (definition: 'f' | 'v') =>
  sql`json_remove(${sql.ref(`${definition}.definition`)}, '$.isPublished')`

/** What was stored before there were versions becomes one before it is replaced. */
const keepStored = template(
  sql`${insert}, null, f.definition from ${forms} where v.number is null or ${content('f')} is not ${content('v')}`,
)

/** Those that this batch has written: their instant is that to which it has moved the clock. */
const addWritten = template(sql`${insert}, ${slot('savedBy')}, f.definition from ${forms}
  where f.updated_at = (select clock_at from organizations where organization_id = ${organizationId})`)

const dropOldest = template(sql`delete from form_versions
  where organization_id = ${organizationId} and form_id in (select value from json_each(${slot('formIds')}))
    and number <= (select max(of.number) from form_versions as of
      where of.organization_id = form_versions.organization_id and of.form_id = form_versions.form_id)
      - ${sql.lit(VERSIONS_MAX)}`)

/**
 * The statements around those that write forms in a batch, behind the one that moves the organization's clock.
 * @param savedBy who saves them; null: an import
 */
export function versionStatements(
  organizationId: string,
  formIds: readonly string[],
  savedBy: string | null,
): { readonly before: readonly Statement[]; readonly after: readonly Statement[] } {
  const values = { organizationId, formIds: JSON.stringify(formIds), savedBy }
  return {
    before: [bind(keepStored, values)],
    after: [bind(addWritten, values), bind(dropOldest, values)],
  }
}

const removeVersions = template(sql`delete from form_versions where organization_id = ${organizationId}
  and form_id in (select value ->> 0 from json_each(${slot('keys')}))`)

/**
 * Removes the versions of forms.
 * @param keys a JSON array of the keys of forms
 */
export function withoutVersions(organizationId: string, keys: string): Statement {
  return bind(removeVersions, { organizationId, keys })
}

const columns = sql`number, saved_at as "savedAt", saved_by as "savedBy", definition ->> 'name' as name`
const ofForm = sql`organization_id = ${organizationId} and form_id = ${formId}`
const list = template(
  sql<FormVersion>`select ${columns} from form_versions where ${ofForm} order by number desc`,
)
const find = template(sql<FormVersion & { readonly definition: JsonText<FormDefinition> }>`
  select ${columns}, definition from form_versions where ${ofForm} and number = ${slot('number')}`)

/** Reads the versions of an organization's forms. */
export function createFormVersions(
  executor: Executor,
  organizationId: string,
): Pick<TenantWriter, 'formVersions' | 'formVersion'> {
  return {
    formVersions: (formId) => rowsOf(executor, bind(list, { organizationId, formId })),
    async formVersion(formId, number) {
      const [row] = await rowsOf(executor, bind(find, { organizationId, formId, number }))
      return row === undefined ? null : { ...row, definition: parsed(row.definition) }
    },
  }
}
