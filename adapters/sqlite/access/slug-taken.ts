import { db, eb, slot } from '../statement/compiler.ts'
import { one } from '../statement/words.ts'

/**
 * Whether another organization has the slug. Slugs are unique in the whole service: those of families with databases of
 * their own are in `placed_slugs`.
 */
export const slugTaken = eb.or([
  eb.exists(
    db
      .selectFrom('organizations as other')
      .select(one)
      .where('other.slug', '=', slot('slug'))
      .where('other.organization_id', '<>', slot('organization_id')),
  ),
  eb.exists(
    db
      .selectFrom('placed_slugs as placed')
      .select(one)
      .where('placed.slug', '=', slot('slug'))
      .where('placed.organization_id', '<>', slot('organization_id')),
  ),
])
