import { sql } from 'kysely'
import { slot } from '../statement/compiler.ts'

/**
 * Whether another organization has the slug. Slugs are unique in the whole service: those of families with databases of
 * their own are in `placed_slugs`.
 */
export const slugTaken = sql`(exists (select 1 from organizations as other
  where other.slug = ${slot('slug')} and other.organization_id <> ${slot('organization_id')})
  or exists (select 1 from placed_slugs as placed
  where placed.slug = ${slot('slug')} and placed.organization_id <> ${slot('organization_id')}))`
