import type { Expression } from 'kysely'
import { sql } from 'kysely'
import type { OwnPlace, PlacedOrganization } from '../../../ports/placement/placement.ts'
import type { JsonText } from '../statement/json-text.ts'
import { parsed } from '../statement/json-text.ts'

/** A row of the table `families`. */
export type FamilyRow = Omit<OwnPlace, 'kind'>

/** The columns of `families` with the alias f. */
export const familyColumns = sql`f.family_id as "familyId", f.generation, f.region, f.jurisdiction`

/**
 * The SQL for whether the directory places an organization in a database of its own, so that rows of it in this
 * database are what a move has left behind.
 * @param organizationId the SQL for the organization's id; it must not use the alias p
 */
export function isPlaced(organizationId: Expression<unknown>): Expression<unknown> {
  return sql`exists (select 1 from placed_organizations as p where p.organization_id = ${organizationId})`
}

export function ownPlace({ familyId, generation, region, jurisdiction }: FamilyRow): OwnPlace {
  return { kind: 'own', familyId, generation, region, jurisdiction }
}

const storedFamily = {
  familyId: sql`f.family_id`,
  generation: sql`f.generation`,
  region: sql`f.region`,
  jurisdiction: sql`f.jurisdiction`,
}

/**
 * The members of a family's row in an SQL object, so that `json_object('kind', 'own', …)` with these is an `OwnPlace`.
 * @param values the SQL for each value; by default, the columns of `families` with the alias f
 */
export function familyMembers(
  values: Readonly<Record<keyof FamilyRow, Expression<unknown>>> = storedFamily,
): Expression<unknown> {
  return sql`'familyId', ${values.familyId}, 'generation', ${values.generation}, 'region', ${values.region},
    'jurisdiction', ${values.jurisdiction}`
}

/** An organization with its place, as text in one column. */
export type PlacedText = JsonText<FamilyRow & { readonly organizationId: string }>

/** The SQL for `PlacedText`, from `placed_organizations` with the alias p and `families` with the alias f. */
export const placedText = sql`json_object('organizationId', p.organization_id, ${familyMembers()})`

export function placedOrganization(text: PlacedText): PlacedOrganization {
  const { organizationId, ...family } = parsed(text)
  return { organizationId, place: ownPlace(family) }
}
