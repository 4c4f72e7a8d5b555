import type { Administration } from '../../ports/administration.ts'
import type { Log } from '../../ports/log.ts'
import type { Organization } from '../../ports/organization.ts'
import type { ListedEntry } from '../../ports/outbox-store.ts'
import type { DirectoryEntry, Jurisdiction, OwnPlace, Region } from '../../ports/placement.ts'
import type { AllPlaces } from './at-place.ts'
import { lookUp, SHARED } from './at-place.ts'
import { listOutbox } from './list-outbox.ts'
import type { PlacedOutboxPosition, PlacesList } from './places-list.ts'
import type { Visit } from './visit-families.ts'
import { askEach, FAMILIES_MAX, visitFamilies } from './visit-families.ts'

/** Where an organization lives, as an operator sees it. */
export interface PlaceDescription {
  readonly place: 'shared' | 'own'
  readonly region: Region | null
  readonly jurisdiction: Jurisdiction | null
  /** How much its family's database stores; null in the shared one. */
  readonly sizeBytes: number | null
}

/** What operators see of all places together. Databases are asked a few at a time, and only as many as a page needs. */
export interface Overview {
  describe(organizationId: string): Promise<PlaceDescription>
  /** Organizations by their id, starting after `afterId` (null: at the first), at most `limit`. */
  organizations(afterId: string | null, limit: number): Promise<PlacesList<Organization, string>>
  /**
   * Entries that wait or failed, oldest first in each place: those of the shared place, then family by family, at most
   * `limit`.
   */
  outbox(
    after: PlacedOutboxPosition | null,
    limit: number,
  ): Promise<PlacesList<ListedEntry, PlacedOutboxPosition>>
  /** Does work on the keys and forms of each of the next families' databases. */
  administrations<Result>(
    afterFamilyId: string | null,
    work: (administration: Administration) => Promise<Result>,
  ): Promise<Visit<Result>>
}

/** No I/O. */
export function createOverview(places: AllPlaces, log: Log): Overview {
  return {
    describe: (organizationId) => describe(organizationId, places),
    organizations: (afterId, limit) => listOrganizations(afterId, limit, { ...places, log }),
    outbox: (after, limit) => listOutbox(after, limit, { ...places, log }),
    administrations: (afterId, work) =>
      visitFamilies(afterId, { ...places, log }, ({ administration }) => work(administration)),
  }
}

type LoggedPlaces = AllPlaces & { readonly log: Log }

async function describe(organizationId: string, places: AllPlaces): Promise<PlaceDescription> {
  const place = await lookUp(organizationId, places)
  if (place.kind === 'shared') return { place: 'shared', region: null, jurisdiction: null, sizeBytes: null }
  const { region, jurisdiction } = place
  return { place: 'own', region, jurisdiction, sizeBytes: (await places.databases?.sizeBytes(place)) ?? null }
}

async function listOrganizations(
  afterId: string | null,
  limit: number,
  places: LoggedPlaces,
): Promise<PlacesList<Organization, string>> {
  const found = await places.directory.list(afterId, limit + 1)
  const entries = withinFamilies(found.slice(0, limit))
  const families = familiesOf(entries)
  const shared = await places.storageAt(SHARED).administration.listOrganizations(afterId, limit)
  const own = await askEach(families, places, ({ administration }) =>
    administration.listOrganizations(afterId, limit),
  )
  const all = [...shared, ...own.results.flatMap(({ result }) => result)]
  const byId = new Map(all.map((organization) => [organization.organizationId, organization]))
  const last = entries.length < found.length ? entries.at(-1) : undefined
  return {
    rows: entries.flatMap(({ organizationId }) => byId.get(organizationId) ?? []),
    next: last?.organizationId ?? null,
    unanswered: own.unanswered,
  }
}

/** The first entries, as many as lie in no more families than a page may ask. */
function withinFamilies(entries: readonly DirectoryEntry[]): readonly DirectoryEntry[] {
  const families = new Set<string>()
  const end = entries.findIndex(({ place }) => {
    if (place.kind === 'own') families.add(place.familyId)
    return families.size > FAMILIES_MAX
  })
  return end < 0 ? entries : entries.slice(0, end)
}

function familiesOf(entries: readonly DirectoryEntry[]): readonly OwnPlace[] {
  const families = new Map<string, OwnPlace>()
  for (const { place } of entries) if (place.kind === 'own') families.set(place.familyId, place)
  return [...families.values()]
}
