import { sql, type AliasableExpression, type Expression, type SqlBool } from 'kysely'
import { db, eb, slot, exists } from '../statement/compiler.ts'

// What is asked of an organization by whatever makes, changes, restores or deletes one.

/**
 * Whether another organization has the slug in the slot `slug`. Slugs are unique in the whole service: those of
 * families with databases of their own are in `placed_slugs`.
 */
export function slugTaken(organizationId: Expression<string>): AliasableExpression<SqlBool> {
  const has = (table: 'organizations' | 'placed_slugs') => sql<SqlBool>`exists (
    select 1 from ${sql.table(table)} where slug = ${slot('slug')} and organization_id <> ${organizationId})`
  return eb.or([has('organizations'), has('placed_slugs')])
}

/** Whether a parent is named and does not exist. */
export function parentMissing(parentId: Expression<string | null>): AliasableExpression<SqlBool> {
  const parent = db.selectFrom('organizations as other').where('other.organization_id', '=', parentId)
  return eb.and([eb(parentId, 'is not', null), eb.not(exists(parent))])
}

/** Whether the organization is closed, because its rows are being restored from an archive, or deleted. */
export function isClosed(organizationId: Expression<string>): AliasableExpression<SqlBool> {
  return exists(
    db.selectFrom('restores').where('organization_id', '=', organizationId).where('ended_at', 'is', null),
  )
}

/** What closes an organization that is being deleted. No archive has an empty name, so this is no restoration. */
export const DELETION = {
  restore_id: sql.lit('deletion'),
  archive: sql.lit(''),
  digest: sql.lit(''),
  next_part: sql.lit(0),
  progress: sql.lit('{}'),
}
