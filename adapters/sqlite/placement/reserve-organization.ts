import { sql } from 'kysely'
import type { OwnPlace, PlaceReservation } from '../../../ports/placement/placement.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Executor } from '../statement/executor.ts'
import { resultsOf } from '../statement/executor.ts'
import { isPlaced, ownPlace } from './family-row.ts'
import { findPlace } from './finder.ts'

const organizationId = slot('organizationId')

/** Whether another organization has the slug, in this database or in one of its own. */
const slugTaken = sql`(${slot('slug')} is not null and (
  exists (select 1 from organizations as o where o.slug = ${slot('slug')} and o.organization_id <> ${organizationId})
  or exists (select 1 from placed_slugs as s where s.slug = ${slot('slug')} and s.organization_id <> ${organizationId})))`

/**
 * Whether the entry cannot be made: the organization is in this database or in another family, or its family has no
 * database of its own yet.
 */
const isElsewhere = sql`(
  exists (select 1 from placed_organizations as p
    where p.organization_id = ${organizationId} and p.family_id <> ${slot('familyId')})
  or not ${isPlaced(organizationId)}
    and exists (select 1 from organizations as o where o.organization_id = ${organizationId})
  or ${slot('isNewFamily')} = 0 and not exists (
    select 1 from families as f where f.family_id = ${slot('familyId')} and f.place = 'own'))`

const mayBeReserved = sql`not ${slugTaken} and not ${isElsewhere}`

const judge = template(sql<{ readonly slugTaken: number; readonly isElsewhere: number }>`
  select ${slugTaken} as "slugTaken", ${isElsewhere} as "isElsewhere"`)

/** A family that returns from the shared database gets the next generation. */
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

/**
 * Writes the directory's entry of an organization, and of its family if that is new, as `PlaceDirectory.reserve` says.
 */
export async function reserve(
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
