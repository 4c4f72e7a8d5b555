import { sql } from 'kysely'
import type { FamilyWithWork, PlaceDirectory, PlacedFamily } from '../../../ports/placement.ts'
import type { Clock } from '../../../ports/platform.ts'
import { atMost, bind, db, slot, template, one, textsOf, type Template } from '../statement/compiler.ts'
import { rowsOf, type Executor } from '../statement/executor.ts'
import { familyColumns, isPlaced, ownPlace, createPlaceFinder, type FamilyRow } from './finder.ts'
import { formReservations } from './form-reservations.ts'
import { reserve } from './reserve-organization.ts'

const organizationId = slot<string>('organizationId')

const findSlugs = template(
  db.selectFrom('placed_slugs').select('slug').where('organization_id', '=', organizationId).orderBy('slug'),
)

const freeSlugs = template(
  db
    .deleteFrom('placed_slugs')
    .where('organization_id', '=', organizationId)
    .where('slug', 'in', textsOf(slot('slugs'))),
)

const addKey = template(
  db
    .insertInto('placed_keys')
    .values({ key_id: slot('keyId'), organization_id: organizationId, issued_by: slot('issuedBy') })
    .onConflict((conflict) => conflict.column('key_id').doNothing()),
)

const forgetIssuers = template(
  db
    .updateTable('placed_keys')
    .set({ issued_by: sql`null` })
    .where('issued_by', 'in', textsOf(slot('issuers')))
    .where('organization_id', 'in', textsOf(slot('organizationIds'))),
)

const placed = db
  .selectFrom('placed_organizations')
  .select(['placed_organizations.organization_id as id', 'family_id'])
const here = db
  .selectFrom('organizations as o')
  .select(['o.organization_id as id', sql<string | null>`null`.as('family_id')])
  .where(({ not, ref }) => not(isPlaced(ref('o.organization_id'))))

/**
 * Both parts are sorted by the index. An organization whose rows are still here after a move is listed by its new place
 * only.
 */
function listed(places: typeof placed, others: typeof here) {
  const both = places.$castTo<{ id: string; family_id: string | null }>().unionAll(others)
  return template(
    db
      .selectFrom(
        both
          .orderBy(sql`1`)
          .limit(atMost('limit'))
          .as('l'),
      )
      .leftJoin('families as f', 'f.family_id', 'l.family_id')
      .select(({ eb }) => ['l.id as organizationId', eb('l.family_id', 'is not', null).as('isPlaced')])
      .select(familyColumns)
      .orderBy('l.id')
      .$castTo<FamilyRow & { readonly organizationId: string; readonly isPlaced: number }>(),
  )
}
const firstListed = listed(placed, here)
const nextListed = listed(
  placed.where('organization_id', '>', slot('afterId')),
  here.where('o.organization_id', '>', slot('afterId')),
)

const families = db
  .selectFrom('families as f')
  .select(familyColumns)
  .select(['f.work_notes as notes', 'f.was_idle as wasIdle'])
  .where('f.place', '=', sql.lit('own'))
  .limit(atMost('limit'))
const firstFamilies = template(families.orderBy('f.family_id'))
const nextFamilies = template(families.where('f.family_id', '>', slot('afterId')).orderBy('f.family_id'))
const withWork = template(
  families.where('f.work_since', '<=', slot('now')).orderBy('f.work_since').orderBy('f.family_id'),
)
type WorkRow = NonNullable<typeof withWork.rowType>

const settleWork = template(
  db
    .updateTable('families')
    .set({ work_since: slot('next'), was_idle: slot('isIdle') })
    .where('family_id', '=', slot('familyId'))
    .where('work_notes', '=', slot('notes')),
)

/** What an organization holds, then its family when that has nobody left, with the record of its moves. */
/**
 * Rows that a move has left here are about to be deleted: until then nobody may use or make the organization, as while it
 * is deleted. The names are those of the deletion of an organization.
 */
const closeWhatIsLeft = db
  .insertInto('restores')
  .columns(['organization_id', 'restore_id', 'archive', 'digest', 'next_part', 'progress', 'started_at'])
  .expression(
    db
      .selectNoFrom([organizationId.as('organization_id'), sql.lit('deletion').as('restore_id')])
      .select([sql.lit('').as('archive'), sql.lit('').as('digest'), sql.lit(0).as('next_part')])
      .select([sql.lit('{}').as('progress'), sql.lit('').as('started_at')])
      .where(isPlaced(organizationId)),
  )
  .onConflict((conflict) => conflict.doNothing())

const releases: readonly Template[] = [
  template<unknown>(closeWhatIsLeft),
  ...(['organizations', 'api_keys'] as const).map((table) =>
    template(
      db.deleteFrom(table).where('organization_id', '=', organizationId).where(isPlaced(organizationId)),
    ),
  ),
  ...(['placed_slugs', 'placed_keys', 'placed_forms', 'placed_organizations'] as const).map((table) =>
    template(db.deleteFrom(table).where('organization_id', '=', organizationId)),
  ),
  template(
    db
      .deleteFrom('families')
      .where('family_id', '=', organizationId)
      .where(({ exists, not }) =>
        not(
          exists(
            db.selectFrom('placed_organizations as p').select(one).where('p.family_id', '=', organizationId),
          ),
        ),
      ),
  ),
  // A move that is still to be tidied up is needed for that.
  template(
    db
      .deleteFrom('moves')
      .where('family_id', '=', organizationId)
      .where('ended_at', 'is not', null)
      .where('not_before', 'is', null)
      .where(({ exists, not }) =>
        not(exists(db.selectFrom('families as f').select(one).where('f.family_id', '=', organizationId))),
      ),
  ),
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

    async reserveKey(keyId, id, issuedBy) {
      await executor.batch([bind(addKey, { keyId, organizationId: id, issuedBy })])
    },

    async forgetIssuers(ids, issuers) {
      const values = { organizationIds: JSON.stringify(ids), issuers: JSON.stringify(issuers) }
      await executor.batch([bind(forgetIssuers, values)])
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
