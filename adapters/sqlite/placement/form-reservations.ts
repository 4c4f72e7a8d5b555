import { sql } from 'kysely'
import { forms } from '../../../domain/resources/forms.ts'
import { toInstant } from '../../../domain/text/instant.ts'
import type { Clock } from '../../../ports/platform.ts'
import type { PlaceDirectory } from '../../../ports/placement.ts'
import { bind, db, eb, slot, template, jsonEach, one, textsOf, jsonChunks } from '../statement/compiler.ts'
import { resultsOf, type Executor } from '../statement/executor.ts'

const organizationId = slot<string>('organizationId')
const formIds = slot<string>('formIds')

/** The given ids of forms that other organizations hold: in this database, or in databases of their own. */
const heldForms = db
  .selectFrom(jsonEach<string, 'id'>(formIds, 'id'))
  .innerJoin('forms as f', 'f.form_id', 'id.value')
  .select(['f.form_id as formId', 'f.organization_id as organizationId'])
  .select(sql<string | null>`null`.as('reservedAt'))
  .where('f.organization_id', '<>', organizationId)
  .unionAll(
    db
      .selectFrom(jsonEach<string, 'id'>(formIds, 'id'))
      .innerJoin('placed_forms as f', 'f.form_id', 'id.value')
      .select(['f.form_id as formId', 'f.organization_id as organizationId', 'f.reserved_at as reservedAt'])
      .where('f.organization_id', '<>', organizationId),
  )

const findHeld = template(heldForms)

/**
 * Whether an import of forms is being written. Its ids are not in the table of forms yet, so they could be the same.
 */
const isImporting = eb.exists(
  db
    .selectFrom('import_sessions as s')
    .select(one)
    .where('s.state', '=', sql.lit('writing'))
    .where('s.kind', '=', sql.lit(forms.collection)),
)

const findImporting = template(db.selectNoFrom(isImporting.as('isImporting')))

const addForms = template(
  db
    .insertInto('placed_forms')
    .columns(['form_id', 'organization_id', 'reserved_at'])
    .expression(
      db
        .selectFrom(jsonEach<string, 'id'>(formIds, 'id'))
        .select(['id.value', organizationId.as('organizationId'), slot('now').as('now')])
        .where(({ and, exists, not }) => and([not(exists(heldForms)), not(isImporting)])),
    )
    .onConflict((conflict) =>
      conflict
        .column('form_id')
        .doUpdateSet(({ ref }) => ({ reserved_at: ref('excluded.reserved_at') }))
        .where('placed_forms.reserved_at', 'is not', null),
    ),
)

const settleForms = template(
  db
    .updateTable('placed_forms')
    .set({ reserved_at: sql`null` })
    .where('organization_id', '=', organizationId)
    .where('form_id', 'in', textsOf(formIds)),
)

const theseForms = db
  .deleteFrom('placed_forms')
  .where('organization_id', '=', organizationId)
  .where('form_id', 'in', textsOf(formIds))
const freeForms = template(theseForms.where('reserved_at', '<=', slot('reservedUntil')))
const releaseForms = template(theseForms)

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
