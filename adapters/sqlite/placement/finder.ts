import { sql } from 'kysely'
import type { PlaceFinder } from '../../../ports/placement/placement.ts'
import { bind, db, slot, template } from '../statement/compiler.ts'
import { rowsOf, type Executor } from '../statement/executor.ts'
import { familyColumns, ownPlace } from './family-row.ts'

const placed = () =>
  db
    .selectFrom('placed_organizations as p')
    .innerJoin('families as f', 'f.family_id', 'p.family_id')
    .select(familyColumns)

export const findPlace = template(() => placed().where('p.organization_id', '=', slot('organizationId')))

const findKey = template(() =>
  placed()
    .innerJoin('placed_keys as k', 'k.organization_id', 'p.organization_id')
    .select('k.organization_id as organizationId')
    .where('k.key_id', '=', slot('keyId')),
)

const noteWork = template(() =>
  db
    .updateTable('families')
    .set(({ eb, fn }) => ({
      work_since: fn<string>('min', [fn.coalesce('work_since', slot('at')), slot('at')]),
      work_notes: eb('work_notes', '+', sql.lit(1)),
      was_idle: sql.lit(0),
    }))
    .where('family_id', '=', slot('familyId')),
)

/** Finds places in the directory, which is in the shared database. */
export function createPlaceFinder(executor: Executor): PlaceFinder {
  return {
    async placeOf(id) {
      const [row] = await rowsOf(executor, bind(findPlace, { organizationId: id }))
      return row === undefined ? null : ownPlace(row)
    },
    async placeOfKey(keyId) {
      const [row] = await rowsOf(executor, bind(findKey, { keyId }))
      return row === undefined ? null : { organizationId: row.organizationId, place: ownPlace(row) }
    },
    async noteWork(familyId, at) {
      await executor.batch([bind(noteWork, { familyId, at })])
    },
  }
}
