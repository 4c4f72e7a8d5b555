import * as v from 'valibot'
import type { PlaceRefusal, Organization } from '../../ports/organizations.ts'
import type { PlaceChoice } from '../../ports/placement/placement.ts'
import { jurisdictions, placeKinds, regions } from '../placement/operators/choices.ts'
import { choice, sets } from '../record/command.ts'
import { described } from '../record/meaning.ts'
import { OrganizationSettings } from './organization-settings.ts'

const PlaceKind = v.picklist(placeKinds, `must be ${placeKinds.join(' or ')}`)

/** The keys for a family's place in the operator interface. */
const placeEntries = {
  place: v.exactOptional(
    described(
      PlaceKind,
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

/** The flags that say where in the world a family's own database is. */
export const lawFlags = {
  region: sets('region', choice('REGION', regions)),
  jurisdiction: sets('jurisdiction', choice('LAW', jurisdictions)),
} as const

/** The place of an organization. */
export const PlaceSettings = v.strictObject(placeEntries)

/** The place to which a family is to move. */
export const MoveSettings = v.strictObject({
  ...placeEntries,
  place: described(PlaceKind, 'Where the family is to live.'),
})

/** The settings of an organization, and the place if it is new. */
export const PlacedSettings = v.strictObject({ ...OrganizationSettings.entries, ...placeEntries })
type PlacedSettings = v.InferOutput<typeof PlacedSettings>

/**
 * Splits settings into the requested place (null: none was requested), or a sentence that refuses it, and the other
 * settings.
 */
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

/** The requested place (null: none was requested), or a sentence that refuses it. */
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

/** The requested place, or a sentence that refuses it. */
export function choiceOfPlace({
  place,
  region,
  jurisdiction,
}: v.InferOutput<typeof MoveSettings>): PlaceChoice | string {
  if (region !== undefined && jurisdiction !== undefined)
    return 'region: cannot be given together with a jurisdiction.'
  if (place === 'own') return { kind: 'own', region: region ?? null, jurisdiction: jurisdiction ?? null }
  if (region !== undefined) return 'region: needs the place own.'
  return jurisdiction === undefined ? { kind: 'shared' } : 'jurisdiction: needs the place own.'
}

/** Why families cannot have databases of their own in this service. */
const NO_PLACES =
  'The service has no binding FAMILIES, which a database of its own needs. Deploy it with the Durable Object class of wrangler.toml.'

/** Why the platform cannot provide a database of its own as it was requested. */
export const placeRefusals: Readonly<Record<PlaceRefusal, string>> = {
  no_places: NO_PLACES,
  no_jurisdiction:
    'The platform on which the service runs cannot keep a database within this jurisdiction; the local runtime knows none. Leave the jurisdiction out, or choose another one.',
}

/** Why an organization cannot be in the requested place. */
export function placeProblem(
  outcome: 'elsewhere' | PlaceRefusal,
  { organizationId, parentId }: Organization,
  existing: Organization | null,
): string {
  if (outcome !== 'elsewhere') return placeRefusals[outcome]
  if (existing === null)
    return parentId === null
      ? `${organizationId} was begun in another place. Ask for that, or take another id.`
      : `The family of ${parentId} lives in another place. Leave the place out: a child goes where its parent is.`
  if (existing.parentId === parentId)
    return `${organizationId} lives in another place. Move its family with "org move".`
  return parentId === null
    ? `${organizationId} can leave its family only in the shared database, where it then stays. Move the family there with "org move" first.`
    : `${parentId} is not in the place where ${organizationId} lives. Move the family with "org move" first.`
}
