import type {
  FamilyWithWork,
  HeldForm,
  OwnPlace,
  PlaceDirectory,
  PlacedFamily,
  PlaceReservation,
} from '../../../ports/placement.ts'
import type { Clock } from '../../../ports/clock.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Executor } from '../statement/executor.ts'
import { resultsOf, rowsOf } from '../statement/executor.ts'
import { jsonChunks } from '../statement/json-chunks.ts'
import type { RawBuilder } from '../statement/sql.ts'
import { sql } from '../statement/sql.ts'
import { toInstant } from '../../../domain/text/instant.ts'
import type { FamilyRow } from './family-row.ts'
import { familyColumns, ownPlace } from './family-row.ts'

const organizationId = slot('organizationId')

const findPlace = template(sql<FamilyRow>`
  select ${familyColumns} from placed_organizations as p join families as f on f.family_id = p.family_id
  where p.organization_id = ${organizationId}`)

const findKey = template(sql<FamilyRow & { readonly organizationId: string }>`
  select k.organization_id as "organizationId", ${familyColumns} from placed_keys as k
    join placed_organizations as p on p.organization_id = k.organization_id
    join families as f on f.family_id = p.family_id
  where k.key_id = ${slot('keyId')}`)

/** Another organization has the slug, in this database or in one of its own. */
const slugTaken = sql`(${slot('slug')} is not null and (
  exists (select 1 from organizations as o where o.slug = ${slot('slug')} and o.organization_id <> ${organizationId})
  or exists (select 1 from placed_slugs as s where s.slug = ${slot('slug')} and s.organization_id <> ${organizationId})))`

/** The organization is in this database, or in another family; or its family is not in a database of its own yet. */
const isElsewhere = sql`(
  exists (select 1 from placed_organizations as p
    where p.organization_id = ${organizationId} and p.family_id <> ${slot('familyId')})
  or not exists (select 1 from placed_organizations as p where p.organization_id = ${organizationId})
    and exists (select 1 from organizations as o where o.organization_id = ${organizationId})
  or ${slot('isNewFamily')} = 0 and not exists (
    select 1 from families as f where f.family_id = ${slot('familyId')} and f.place = 'own'))`

const mayBeReserved = sql`not ${slugTaken} and not ${isElsewhere}`

const judge = template(sql<{ readonly slugTaken: number; readonly isElsewhere: number }>`
  select ${slugTaken} as "slugTaken", ${isElsewhere} as "isElsewhere"`)

/** A family that comes back from the shared database has a database of the next generation. */
const addFamily = template(sql`
  insert into families (family_id, place, generation, region, jurisdiction)
  select ${slot('familyId')}, 'own', 1, ${slot('region')}, ${slot('jurisdiction')}
  where ${slot('isNewFamily')} = 1 and ${mayBeReserved}
  on conflict (family_id) do update set place = 'own', generation = generation + 1, region = excluded.region,
    jurisdiction = excluded.jurisdiction
  where families.place = 'shared'`)

const addOrganization = template(sql`
  insert into placed_organizations (organization_id, family_id)
  select ${organizationId}, ${slot('familyId')} where ${mayBeReserved}
  on conflict (organization_id) do nothing`)

const addSlug = template(sql`
  insert into placed_slugs (slug, organization_id)
  select ${slot('slug')}, ${organizationId} where ${slot('slug')} is not null and ${mayBeReserved}
  on conflict (slug) do nothing`)

const dropSlugs = template(sql`
  delete from placed_slugs where organization_id = ${organizationId} and slug is not ${slot('slug')}`)

const addKey = template(sql`
  insert into placed_keys (key_id, organization_id) values (${slot('keyId')}, ${organizationId})
  on conflict (key_id) do nothing`)

/** Ids of forms that others hold: in this database, or in their own. */
const heldForms = sql`
  select f.form_id as "formId", f.organization_id as "organizationId", null as "reservedAt"
  from json_each(${slot('formIds')}) as id join forms as f on f.form_id = id.value
  where f.organization_id <> ${organizationId}
  union all
  select f.form_id, f.organization_id, f.reserved_at
  from json_each(${slot('formIds')}) as id join placed_forms as f on f.form_id = id.value
  where f.organization_id <> ${organizationId}`

const findHeld = template(sql<HeldForm>`${heldForms}`)

/** Nobody knows yet which ids an import that is being written brings. */
const isImporting = sql`exists (select 1 from import_sessions as s indexed by import_sessions_state
  where s.state = 'writing' and s.kind = 'forms')`

const findImporting = template(sql<{ readonly isImporting: number }>`select ${isImporting} as "isImporting"`)

const addForms = template(sql`
  insert into placed_forms (form_id, organization_id, reserved_at)
  select id.value, ${organizationId}, ${slot('now')} from json_each(${slot('formIds')}) as id
  where not exists (${heldForms}) and not ${isImporting}
  on conflict (form_id) do nothing`)

const settleForms = template(sql`
  update placed_forms set reserved_at = null
  where organization_id = ${organizationId} and form_id in (select value from json_each(${slot('formIds')}))`)

const freeForm = template(sql`
  delete from placed_forms where form_id = ${slot('formId')} and organization_id = ${organizationId}
    and reserved_at = ${slot('reservedAt')}`)

interface ListedRow extends FamilyRow {
  readonly organizationId: string
  readonly isPlaced: number
}

/** Both halves come in the order of the index; an organization with leftovers in this database is listed where it lives. */
function listed(after: RawBuilder<unknown>) {
  return template(sql<ListedRow>`
    select l.id as "organizationId", l.family_id is not null as "isPlaced", ${familyColumns} from (
      select organization_id as id, family_id from placed_organizations where ${after}
      union all
      select o.organization_id, null from organizations as o where ${after}
        and not exists (select 1 from placed_organizations as p where p.organization_id = o.organization_id)
      order by 1 limit +${slot('limit')}) as l
    left join families as f on f.family_id = l.family_id order by l.id`)
}
const firstListed = listed(sql`true`)
const nextListed = listed(sql`organization_id > ${slot('afterId')}`)

type WorkRow = FamilyRow & { readonly notes: number; readonly wasIdle: number }

const families = sql`select ${familyColumns}, f.work_notes as "notes", f.was_idle as "wasIdle" from families as f where f.place = 'own'`
const firstFamilies = template(sql<WorkRow>`${families} order by f.family_id limit +${slot('limit')}`)
const nextFamilies = template(sql<WorkRow>`${families} and f.family_id > ${slot('afterId')}
  order by f.family_id limit +${slot('limit')}`)
const withWork = template(sql<WorkRow>`${families} and f.work_since <= ${slot('now')}
  order by f.work_since, f.family_id limit +${slot('limit')}`)

const noteWork = template(sql`
  update families set work_since = min(coalesce(work_since, ${slot('at')}), ${slot('at')}), work_notes = work_notes + 1,
    was_idle = 0
  where family_id = ${slot('familyId')}`)

const settleWork = template(sql`
  update families set work_since = ${slot('next')}, was_idle = ${slot('isIdle')}
  where family_id = ${slot('familyId')} and work_notes = ${slot('notes')}`)

/** The directory of places, in the shared database. */
export function createPlaceDirectory(executor: Executor, clock: Clock): PlaceDirectory {
  return {
    async placeOf(id) {
      const [row] = await rowsOf(executor, bind(findPlace, { organizationId: id }))
      return row === undefined ? null : ownPlace(row)
    },
    async placeOfKey(keyId) {
      const [row] = await rowsOf(executor, bind(findKey, { keyId }))
      return row === undefined ? null : { organizationId: row.organizationId, place: ownPlace(row) }
    },
    reserve: (reservation) => reserve(executor, reservation),

    async settleSlug(id, slug) {
      await executor.batch([bind(dropSlugs, { organizationId: id, slug })])
    },

    async reserveKey(keyId, id) {
      await executor.batch([bind(addKey, { keyId, organizationId: id })])
    },

    ...formReservations(executor, clock),

    async list(afterId, limit) {
      const statement = afterId === null ? bind(firstListed, { limit }) : bind(nextListed, { afterId, limit })
      return (await rowsOf(executor, statement)).map((row) => ({
        organizationId: row.organizationId,
        place: row.isPlaced === 1 ? ownPlace(row) : { kind: 'shared' },
      }))
    },

    async families(afterId, limit) {
      const statement =
        afterId === null ? bind(firstFamilies, { limit }) : bind(nextFamilies, { afterId, limit })
      return (await rowsOf(executor, statement)).map(placedFamily)
    },

    async familiesWithWork(now, limit) {
      return (await rowsOf(executor, bind(withWork, { now, limit }))).map(familyWithWork)
    },

    async noteWork(familyId, at) {
      await executor.batch([bind(noteWork, { familyId, at })])
    },

    async settleWork({ place: { familyId }, notes }, isIdle, next) {
      await executor.batch([bind(settleWork, { familyId, notes, isIdle: Number(isIdle), next })])
    },
  }
}

function formReservations(
  executor: Executor,
  clock: Clock,
): Pick<PlaceDirectory, 'reserveForms' | 'settleForms' | 'freeForm' | 'formsOfOthers'> {
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

    async freeForm({ formId, organizationId: id, reservedAt }) {
      await executor.batch([bind(freeForm, { formId, organizationId: id, reservedAt })])
    },

    async formsOfOthers(id, formIds) {
      if (formIds.length === 0) return []
      const statements = jsonChunks(formIds).map((chunk) =>
        bind(findHeld, { organizationId: id, formIds: chunk }),
      )
      const results = await resultsOf(executor, statements)
      return results.flatMap(({ rows }) => rows.map(({ formId }) => formId))
    },
  }
}

async function reserve(
  executor: Executor,
  { organizationId: id, familyId, choice, slug }: PlaceReservation,
): Promise<OwnPlace | 'slug_taken' | 'elsewhere'> {
  const values = {
    organizationId: id,
    familyId,
    slug,
    isNewFamily: Number(choice !== null),
    region: choice?.region ?? null,
    jurisdiction: choice?.jurisdiction ?? null,
  }
  const [judgement, , , , place] = await resultsOf(executor, [
    bind(judge, values),
    bind(addFamily, values),
    bind(addOrganization, values),
    bind(addSlug, values),
    bind(findPlace, { organizationId: id }),
  ])
  if (judgement.rows[0]?.slugTaken === 1) return 'slug_taken'
  const [row] = place.rows
  if (row === undefined || judgement.rows[0]?.isElsewhere === 1) return 'elsewhere'
  const found = ownPlace(row)
  const isAsked =
    choice === null || (found.region === choice.region && found.jurisdiction === choice.jurisdiction)
  return isAsked ? found : 'elsewhere'
}

function placedFamily(row: WorkRow): PlacedFamily {
  return { place: ownPlace(row) }
}

function familyWithWork(row: WorkRow): FamilyWithWork {
  return { place: ownPlace(row), notes: row.notes, wasIdle: row.wasIdle === 1 }
}
