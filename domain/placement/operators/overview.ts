import type { Administration, Organization } from '../../../ports/organizations.ts'
import type { ListedEntry, OutboxSummary, SummaryScope } from '../../../ports/outbox.ts'
import type { DirectoryEntry, Jurisdiction, OwnPlace, Region } from '../../../ports/placement.ts'
import { within, ANSWER_MS } from '../../limits/waiting.ts'
import { lookUp, SHARED, type AllPlaces, type LoggedPlaces } from '../find/at-place.ts'
import { findOrganization } from '../storage/placed-writes.ts'
import { listPlacedOutbox } from '../storage/placed-outbox.ts'
import {
  askEach,
  FAMILIES_MAX,
  visitFamilies,
  NO_GAPS,
  type PlacedOutboxPosition,
  type PlacesList,
  type Visit,
} from '../find/visit-families.ts'
import type { Storage } from '../../../ports/storage.ts'
import { forms } from '../../resources/forms.ts'
import type { DeletionPlaces, RestorePlaces } from './restore-places.ts'
import type { Moves } from './moves.ts'

/** The place of an organization, as operators see it. */
export interface PlaceDescription {
  readonly place: 'shared' | 'own'
  readonly region: Region | null
  readonly jurisdiction: Jurisdiction | null
  /** The size of the family's own database; null in the shared database, and when the database does not answer. */
  readonly sizeBytes: number | null
}

/** The place of organizations in the shared database. */
export const IN_SHARED: PlaceDescription = {
  place: 'shared',
  region: null,
  jurisdiction: null,
  sizeBytes: null,
}

/** An organization as an operator sees it. */
interface DescribedOrganization {
  /** Null: the database of the family does not answer, so only the place is known, from the directory. */
  readonly organization: Organization | null
  readonly place: PlaceDescription
}

/**
 * Everything that operators see of all places together. Databases are asked a few at a time, and only as many as a page
 * needs.
 */
export interface Overview {
  /** An organization with its place; null: there is none. */
  describe(organizationId: string): Promise<DescribedOrganization | null>
  /** Organizations by their id, starting after `afterId` (null: at the first), at most `limit`. */
  organizations(afterId: string | null, limit: number): Promise<PlacesList<Organization, string>>
  /**
   * Entries that wait or failed, at most `limit`: those of the shared database, then family by family, each oldest
   * first.
   */
  outbox(
    after: PlacedOutboxPosition | null,
    limit: number,
  ): Promise<PlacesList<ListedEntry, PlacedOutboxPosition>>
  /**
   * What waits and failed: of one organization, or of all by their id, starting after `afterId` (null: at the first), at
   * most `limit`.
   */
  summaries(
    of: { readonly organizationId: string } | { readonly afterId: string | null; readonly limit: number },
    scope: SummaryScope,
  ): Promise<PlacesList<OutboxSummary, string>>
  /** Does work on the keys and forms in the databases of the next families. */
  administrations<Result>(
    afterFamilyId: string | null,
    work: (administration: Administration) => Promise<Result>,
  ): Promise<Visit<Result>>
}

/** Opens the overview. No I/O. */
export function createOverview(places: LoggedPlaces): Overview {
  return {
    describe: (organizationId) => describe(organizationId, places),
    organizations: (afterId, limit) => listOrganizations(afterId, limit, places),
    outbox: (after, limit) => listPlacedOutbox(after, limit, places),
    summaries: (of, scope) => summarize(of, scope, places),
    administrations: (afterId, work) =>
      visitFamilies(afterId, places, ({ administration }) => work(administration)),
  }
}

async function describe(organizationId: string, places: LoggedPlaces): Promise<DescribedOrganization | null> {
  const place = await lookUp(organizationId, places)
  if (place.kind === 'shared') {
    const organization = await findOrganization(organizationId, places)
    return organization === null ? null : { organization, place: IN_SHARED }
  }
  const { familyId, region, jurisdiction } = place
  const own = { place: 'own', region, jurisdiction } as const
  try {
    const asked = ask(organizationId, place, places)
    const { organization, sizeBytes } = await within(places.deadline, ANSWER_MS, asked)
    return organization === null ? null : { organization, place: { ...own, sizeBytes } }
  } catch (cause) {
    places.log.error('family_unanswered', { familyId }, cause)
    return { organization: null, place: { ...own, sizeBytes: null } }
  }
}

async function ask(organizationId: string, place: OwnPlace, places: AllPlaces) {
  const organization = await findOrganization(organizationId, places)
  return { organization, sizeBytes: (await places.databases?.sizeBytes(place)) ?? null }
}

async function listOrganizations(
  afterId: string | null,
  limit: number,
  places: LoggedPlaces,
): Promise<PlacesList<Organization, string>> {
  const found = await places.directory.list(afterId, limit + 1)
  const entries = withinFamilies(found.slice(0, limit))
  const families = familiesOf(entries)
  const shared = await places.storageAt(SHARED, true).administration.listOrganizations(afterId, limit)
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
    unfinished: own.unfinished,
  }
}

/** An organization, and where it is. */
type PlacedEntry = Pick<DirectoryEntry, 'organizationId' | 'place'>

/** Asks each database only for the organizations that the directory says are there. */
async function summarize(
  of: Parameters<Overview['summaries']>[0],
  scope: SummaryScope,
  places: LoggedPlaces,
): Promise<PlacesList<OutboxSummary, string>> {
  const isOne = 'organizationId' in of
  const found: readonly PlacedEntry[] = isOne
    ? [{ ...of, place: await lookUp(of.organizationId, places) }]
    : await places.directory.list(of.afterId, of.limit + 1)
  const entries = isOne ? found : withinFamilies(found.slice(0, of.limit))
  const idsIn = (familyId: string | null): readonly string[] =>
    entries
      .filter(({ place }) => (place.kind === 'own' ? place.familyId : null) === familyId)
      .map(({ organizationId }) => organizationId)
  const shared = await places.storageAt(SHARED, true).outbox.summaries(idsIn(null), scope)
  const own = await askEach(familiesOf(entries), places, ({ outbox }, familyId) =>
    outbox.summaries(idsIn(familyId), scope),
  )
  const all = [...shared, ...own.results.flatMap(({ result }) => result)]
  const byId = new Map(all.map((summary) => [summary.organizationId, summary]))
  const last = entries.length < found.length ? entries.at(-1) : undefined
  return {
    rows: entries.flatMap(({ organizationId }) => byId.get(organizationId) ?? []),
    next: last?.organizationId ?? null,
    unanswered: own.unanswered,
    unfinished: own.unfinished,
  }
}

/** The first entries: as many as belong to no more families than a page may ask. */
function withinFamilies(entries: readonly PlacedEntry[]): readonly PlacedEntry[] {
  const families = new Set<string>()
  const end = entries.findIndex(({ place }) => {
    if (place.kind === 'own') families.add(place.familyId)
    return families.size > FAMILIES_MAX
  })
  return end < 0 ? entries : entries.slice(0, end)
}

function familiesOf(entries: readonly PlacedEntry[]): readonly OwnPlace[] {
  const families = new Map<string, OwnPlace>()
  for (const { place } of entries) if (place.kind === 'own') families.set(place.familyId, place)
  return [...families.values()]
}

/** What operators can do about the places of organizations. */
export interface OperatorPlaces {
  readonly overview: Overview
  readonly moves: Moves
  readonly restorePlaces: RestorePlaces
  readonly deletionPlaces: DeletionPlaces
}

/** The places when there is only one database, as in a program that embeds the library: nothing can move. */
export function onePlace(storage: Pick<Storage, 'administration' | 'outbox' | 'tenant'>): OperatorPlaces {
  return {
    overview: overviewOfOne(storage),
    moves: {
      begin: async () => ({ kind: 'no_places' }),
      watch: async () => null,
      running: async () => null,
      abort: async () => false,
    },
    restorePlaces: {
      prepare: async (_organization, choice) => (choice?.kind === 'own' ? 'no_places' : 'ready'),
      formsOfOthers: (organizationId, formIds) =>
        storage.tenant(organizationId).foreignIds(forms.collection, formIds),
      reserve: async (organizationId, formIds) =>
        (await storage.tenant(organizationId).foreignIds(forms.collection, formIds)).length === 0,
      free: async () => undefined,
      enter: async () => true,
    },
    deletionPlaces: { isPlaced: async () => false, release: async () => undefined },
  }
}

function overviewOfOne({ administration, outbox }: Pick<Storage, 'administration' | 'outbox'>): Overview {
  return {
    async describe(organizationId) {
      const organization = await administration.findOrganization(organizationId)
      return organization === null ? null : { organization, place: IN_SHARED }
    },
    async organizations(afterId, limit) {
      const found = await administration.listOrganizations(afterId, limit + 1)
      const rows = found.slice(0, limit)
      const next = found.length > limit ? (rows.at(-1)?.organizationId ?? null) : null
      return { rows, next, ...NO_GAPS }
    },
    async outbox(after, limit) {
      const found = await outbox.list(null, after?.entry ?? null, limit + 1)
      const rows = found.slice(0, limit)
      const entry = found.length > limit ? (rows.at(-1) ?? null) : null
      return { rows, next: entry === null ? null : { familyId: null, entry }, ...NO_GAPS }
    },
    async summaries(of, scope) {
      if ('organizationId' in of)
        return { rows: await outbox.summaries([of.organizationId], scope), next: null, ...NO_GAPS }
      const found = await administration.listOrganizations(of.afterId, of.limit + 1)
      const ids = found.slice(0, of.limit).map(({ organizationId }) => organizationId)
      const next = found.length > of.limit ? (ids.at(-1) ?? null) : null
      return { rows: await outbox.summaries(ids, scope), next, ...NO_GAPS }
    },
    administrations: async () => ({ results: [], next: null, ...NO_GAPS }),
  }
}
