import { sql } from 'kysely'
import { toInstant } from '../../../domain/text/instant.ts'
import type { Clock } from '../../../ports/platform/clock.ts'
import type { HeldForm, PlaceDirectory } from '../../../ports/placement/placement.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Executor } from '../statement/executor.ts'
import { resultsOf } from '../statement/executor.ts'
import { jsonChunks } from '../statement/json-chunks.ts'

const organizationId = slot('organizationId')

/** The given ids of forms that other organizations hold: in this database, or in databases of their own. */
const heldForms = sql`
  select f.form_id as "formId", f.organization_id as "organizationId", null as "reservedAt"
  from json_each(${slot('formIds')}) as id join forms as f on f.form_id = id.value
  where f.organization_id <> ${organizationId}
  union all
  select f.form_id, f.organization_id, f.reserved_at
  from json_each(${slot('formIds')}) as id join placed_forms as f on f.form_id = id.value
  where f.organization_id <> ${organizationId}`

const findHeld = template(sql<HeldForm>`${heldForms}`)

/**
 * Whether an import of forms is being written. Its ids are not in the table of forms yet, so they could be the same.
 */
const isImporting = sql`exists (select 1 from import_sessions as s indexed by import_sessions_state
  where s.state = 'writing' and s.kind = 'forms')`

const findImporting = template(sql<{ readonly isImporting: number }>`select ${isImporting} as "isImporting"`)

const addForms = template(sql`
  insert into placed_forms (form_id, organization_id, reserved_at)
  select id.value, ${organizationId}, ${slot('now')} from json_each(${slot('formIds')}) as id
  where not exists (${heldForms}) and not ${isImporting}
  on conflict (form_id) do update set reserved_at = excluded.reserved_at where placed_forms.reserved_at is not null`)

const settleForms = template(sql`
  update placed_forms set reserved_at = null
  where organization_id = ${organizationId} and form_id in (select value from json_each(${slot('formIds')}))`)

const freeForms = template(sql`
  delete from placed_forms where organization_id = ${organizationId} and reserved_at <= ${slot('reservedUntil')}
    and form_id in (select value from json_each(${slot('formIds')}))`)

const releaseForms = template(sql`
  delete from placed_forms
  where organization_id = ${organizationId} and form_id in (select value from json_each(${slot('formIds')}))`)

/** Reserves ids of forms for families that have databases of their own. */
export function formReservations(
  executor: Executor,
  clock: Clock,
): Pick<PlaceDirectory, 'reserveForms' | 'settleForms' | 'freeForms' | 'releaseForms' | 'formsOfOthers'> {
  return {
    async reserveForms(id, formIds) {
      const values = { organizationId: id, formIds: JSON.stringify(formIds) }
      const [held, importing] = await resultsOf(executor, [
        bind(findHeld, values),
        bind(findImporting, {}),
        bind(addForms, { ...values, now: toInstant(clock.nowMs()) }),
      ])
      return importing.rows[0]?.isImporting === 1 ? null : held.rows
    },

    async settleForms(id, formIds) {
      const chunks = jsonChunks(formIds)
      if (chunks.length === 0) return
      await executor.batch(chunks.map((chunk) => bind(settleForms, { organizationId: id, formIds: chunk })))
    },

    async freeForms(id, formIds, reservedUntil) {
      const chunks = jsonChunks(formIds)
      if (chunks.length === 0) return
      await executor.batch(
        chunks.map((chunk) => bind(freeForms, { organizationId: id, formIds: chunk, reservedUntil })),
      )
    },

    async releaseForms(id, formIds) {
      const chunks = jsonChunks(formIds)
      if (chunks.length === 0) return
      await executor.batch(chunks.map((chunk) => bind(releaseForms, { organizationId: id, formIds: chunk })))
    },

    async formsOfOthers(id, formIds) {
      if (formIds.length === 0) return []
      const statements = jsonChunks(formIds).map((chunk) =>
        bind(findHeld, { organizationId: id, formIds: chunk }),
      )
      return (await resultsOf(executor, statements)).flatMap(({ rows }) => rows)
    },
  }
}
