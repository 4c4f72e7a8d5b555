import * as v from 'valibot'
import type { Organization } from '../../ports/organization.ts'
import type { PlaceChoice } from '../../ports/placement.ts'
import { jurisdictions, regions } from '../placement/choices.ts'
import { described } from '../record/meaning.ts'
import { OrganizationSettings } from './organization-settings.ts'

/** Where a family may live, as the operator interface takes it. */
const placeEntries = {
  place: v.exactOptional(
    described(
      v.picklist(['shared', 'own'], 'must be shared or own'),
      'Where a new organization without a parent lives: in the database that organizations share (the default), or with those below it in one of their own. Of an organization that exists, it must be the place where it is.',
    ),
  ),
  region: v.exactOptional(
    described(
      v.picklist(regions, `must be one of ${regions.join(', ')}`),
      'Near where its own database is made, as far as the platform can.',
    ),
  ),
  jurisdiction: v.exactOptional(
    described(
      v.picklist(jurisdictions, `must be one of ${jurisdictions.join(', ')}`),
      'Where its own database must be and stay.',
    ),
  ),
}

/** Where an organization is to live. */
export const PlaceSettings = v.strictObject(placeEntries)

/** Where a family is to move. */
export const MoveTarget = v.strictObject({
  ...placeEntries,
  place: described(v.picklist(['shared', 'own'], 'must be shared or own'), 'Where the family is to live.'),
})

/** The settings of an organization, and the place of a new one. */
export const PlacedSettings = v.strictObject({ ...OrganizationSettings.entries, ...placeEntries })
type PlacedSettings = v.InferOutput<typeof PlacedSettings>

/** What is asked for of the place (null: nothing), or the sentence against it; and the settings without that. */
export function choiceOf({ place, region, jurisdiction, ...settings }: PlacedSettings): {
  readonly choice: PlaceChoice | string | null
  readonly settings: Omit<PlacedSettings, keyof typeof placeEntries>
} {
  const asked = {
    ...(place === undefined ? {} : { place }),
    ...(region === undefined ? {} : { region }),
    ...(jurisdiction === undefined ? {} : { jurisdiction }),
  }
  return { choice: choose(asked, settings.parentId ?? null), settings }
}

/** The place that is asked for (null: none), or the sentence against it. */
function choose(
  given: v.InferOutput<typeof PlaceSettings>,
  parentId: string | null,
): PlaceChoice | string | null {
  const { place, region, jurisdiction } = given
  const setting = region === undefined ? 'jurisdiction' : 'region'
  const isBound = region !== undefined || jurisdiction !== undefined
  if (isBound && parentId !== null)
    return `${setting}: cannot be given beside a parent, which says where the family lives.`
  if (isBound && place !== 'own') return `${setting}: needs the place own.`
  return place === undefined ? null : choiceOfPlace({ ...given, place })
}

/** A place that was asked for, or the sentence against it. */
export function choiceOfPlace({
  place,
  region,
  jurisdiction,
}: v.InferOutput<typeof MoveTarget>): PlaceChoice | string {
  if (region !== undefined && jurisdiction !== undefined)
    return 'region: cannot be given together with a jurisdiction.'
  if (place === 'own') return { kind: 'own', region: region ?? null, jurisdiction: jurisdiction ?? null }
  if (region !== undefined) return 'region: needs the place own.'
  return jurisdiction === undefined ? { kind: 'shared' } : 'jurisdiction: needs the place own.'
}

/** Why nothing can have a database of its own here. */
export const NO_PLACES =
  'The service has no binding FAMILIES, which a database of its own needs. Deploy it with the Durable Object class of wrangler.toml.'

/** Why an organization cannot be where it was asked to be. */
export function placeProblem(
  outcome: 'elsewhere' | 'no_places',
  { organizationId, parentId }: Organization,
  existing: Organization | null,
): string {
  if (outcome === 'no_places') return NO_PLACES
  if (existing === null)
    return parentId === null
      ? `${organizationId} was begun in another place. Ask for that, or take another id.`
      : `The family of ${parentId} lives in another place. Leave the place out: a child goes where its parent is.`
  return existing.parentId === parentId
    ? `${organizationId} lives in another place. Move its family with "org move".`
    : `${parentId ?? 'No parent'} is not in the place where ${organizationId} lives. Move the family with "org move" first.`
}
