import { sql, type Expression, type SqlBool } from 'kysely'
import { slot } from '../statement/compiler.ts'

/** The ids of a family's organizations by the rows of a database: `family(id)`, for a `with recursive`. */
const members = sql`family(id) as (
  select organization_id from organizations where organization_id = ${slot('familyId')}
  union select o.organization_id from organizations as o join family as f on o.parent_id = f.id)`

/** Whether an id is one of the family's organizations, by the rows of the database. */
export function inFamily(id: Expression<unknown>): Expression<SqlBool> {
  return sql<SqlBool>`${id} in (with recursive ${members} select id from family)`
}

/** Whether every organization of the family has a pause of writes with the token in the shared database. */
export const isPaused = sql<SqlBool>`(exists (select 1 from write_pauses where token = ${slot('token')})
  and not exists (with recursive ${members} select 1 from family where not exists (
    select 1 from write_pauses as w where w.organization_id = family.id and w.token = ${slot('token')})))`

/** The selection of a family's organizations. */
export const familyIds = sql<{ readonly id: string }>`with recursive ${members} select id from family`
