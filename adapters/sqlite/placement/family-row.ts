import type { OwnPlace, PlacedOrganization } from '../../../ports/placement.ts'
import type { JsonText } from '../statement/json-text.ts'
import { parsed } from '../statement/json-text.ts'
import { sql } from '../statement/sql.ts'

/** What the table `families` says of a place. */
export type FamilyRow = Omit<OwnPlace, 'kind'>

/** The columns of `families`, under the alias f. */
export const familyColumns = sql`f.family_id as "familyId", f.generation, f.region, f.jurisdiction`

export function ownPlace({ familyId, generation, region, jurisdiction }: FamilyRow): OwnPlace {
  return { kind: 'own', familyId, generation, region, jurisdiction }
}

/** An organization with its place, as text in one column. */
export type PlacedText = JsonText<FamilyRow & { readonly organizationId: string }>

/** That text: of `placed_organizations` under the alias p, and `families` under f. */
export const placedText = sql`json_object('organizationId', p.organization_id, 'familyId', f.family_id,
  'generation', f.generation, 'region', f.region, 'jurisdiction', f.jurisdiction)`

export function placedOrganization(text: PlacedText): PlacedOrganization {
  const { organizationId, ...family } = parsed(text)
  return { organizationId, place: ownPlace(family) }
}
