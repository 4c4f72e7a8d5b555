import type { Organization } from '../../../ports/organizations.ts'
import type { PlaceChoice } from '../../../ports/placement.ts'
import { organization } from '../../../adapters/conformance/fixtures.ts'
import type { ScratchIsolate, ScratchPlaces } from '../scratch/scratch-places.ts'

/** Saves an organization as an operator's request does, which reads the stored one first. */
export async function saveIn(
  { administration }: ScratchIsolate,
  organizationId: string,
  settings: Partial<Organization> = {},
  choice?: PlaceChoice,
) {
  const found = await administration.findOrganization(organizationId)
  const made = { ...(found ?? organization(organizationId)), ...settings }
  return administration.saveOrganization(made, found, choice)
}

/** The slugs in the directory. */
export function slugsIn(scratch: ScratchPlaces) {
  return scratch.run('select slug, organization_id from placed_slugs order by slug')
}

/** The family in whose own database an organization lives, or `shared`. */
export async function placeIn({ directory }: ScratchPlaces, organizationId: string): Promise<string> {
  return (await directory.placeOf(organizationId))?.familyId ?? 'shared'
}
