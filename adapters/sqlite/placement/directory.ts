import type { Expression } from 'kysely'
import { sql } from 'kysely'
import type { FamilyWithWork, PlaceDirectory, PlacedFamily } from '../../../ports/placement/placement.ts'
import type { Clock } from '../../../ports/platform/clock.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Executor } from '../statement/executor.ts'
import { rowsOf } from '../statement/executor.ts'
import type { FamilyRow } from './family-row.ts'
import { familyColumns, isPlaced, ownPlace } from './family-row.ts'
import { formReservations } from './form-reservations.ts'
import { createPlaceFinder } from './finder.ts'
import { reserve } from './reserve-organization.ts'

const organizationId = slot('organizationId')

const findSlugs = template(sql<{ readonly slug: string }>`
  select slug from placed_slugs where organization_id = ${organizationId} order by slug`)

const freeSlugs = template(sql`
  delete from placed_slugs
  where organization_id = ${organizationId} and slug in (select value from json_each(${slot('slugs')}))`)

const addKey = template(sql`
  insert into placed_keys (key_id, organization_id) values (${slot('keyId')}, ${organizationId})
  on conflict (key_id) do nothing`)

interface ListedRow extends FamilyRow {
  readonly organizationId: string
  readonly isPlaced: number
}

/**
 * Both parts are sorted by the index. An organization whose rows are still here after a move is listed by its new place
 * only.
 */
function listed(after: Expression<unknown>) {
  return template(sql<ListedRow>`
    select l.id as "organizationId", l.family_id is not null as "isPlaced", ${familyColumns} from (
      select organization_id as id, family_id from placed_organizations where ${after}
      union all
      select o.organization_id, null from organizations as o where ${after}
        and not ${isPlaced(sql`o.organization_id`)}
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

const settleWork = template(sql`
  update families set work_since = ${slot('next')}, was_idle = ${slot('isIdle')}
  where family_id = ${slot('familyId')} and work_notes = ${slot('notes')}`)

/** What an organization holds, then its family when that has nobody left, with the record of its moves. */
const releases = [
  ...['placed_slugs', 'placed_keys', 'placed_forms', 'placed_organizations'].map((table) =>
    template(sql`delete from ${sql.id(table)} where organization_id = ${organizationId}`),
  ),
  template(sql`delete from families where family_id = ${organizationId}
    and not exists (select 1 from placed_organizations as p where p.family_id = families.family_id)`),
  // A move that is still to be tidied up is needed for that.
  template(sql`delete from moves
    where family_id = ${organizationId} and ended_at is not null and not_before is null
      and not exists (select 1 from families as f where f.family_id = moves.family_id)`),
]

/** The directory of places, which is in the shared database. */
export function createPlaceDirectory(executor: Executor, clock: Clock): PlaceDirectory {
  return {
    ...createPlaceFinder(executor),
    reserve: (reservation) => reserve(executor, reservation),

    async slugsOf(id) {
      return (await rowsOf(executor, bind(findSlugs, { organizationId: id }))).map(({ slug }) => slug)
    },

    async freeSlugs(id, slugs) {
      await executor.batch([bind(freeSlugs, { organizationId: id, slugs: JSON.stringify(slugs) })])
    },

    async reserveKey(keyId, id) {
      await executor.batch([bind(addKey, { keyId, organizationId: id })])
    },

    ...formReservations(executor, clock),

    async release(id) {
      await executor.batch(releases.map((release) => bind(release, { organizationId: id })))
    },

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

    async settleWork({ place: { familyId }, notes }, isIdle, next) {
      await executor.batch([bind(settleWork, { familyId, notes, isIdle: Number(isIdle), next })])
    },
  }
}

function placedFamily(row: WorkRow): PlacedFamily {
  return { place: ownPlace(row) }
}

function familyWithWork(row: WorkRow): FamilyWithWork {
  return { place: ownPlace(row), notes: row.notes, wasIdle: row.wasIdle === 1 }
}
