import { sql } from 'kysely'
import type { PlaceFinder } from '../../../ports/placement/placement.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Executor } from '../statement/executor.ts'
import { rowsOf } from '../statement/executor.ts'
import type { FamilyRow } from './family-row.ts'
import { familyColumns, ownPlace } from './family-row.ts'

export const findPlace = template(sql<FamilyRow>`
  select ${familyColumns} from placed_organizations as p join families as f on f.family_id = p.family_id
  where p.organization_id = ${slot('organizationId')}`)

const findKey = template(sql<FamilyRow & { readonly organizationId: string }>`
  select k.organization_id as "organizationId", ${familyColumns} from placed_keys as k
    join placed_organizations as p on p.organization_id = k.organization_id
    join families as f on f.family_id = p.family_id
  where k.key_id = ${slot('keyId')}`)

const noteWork = template(sql`
  update families set work_since = min(coalesce(work_since, ${slot('at')}), ${slot('at')}), work_notes = work_notes + 1,
    was_idle = 0
  where family_id = ${slot('familyId')}`)

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
