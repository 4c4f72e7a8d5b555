import type { Administration, Organization, PlaceRefusal, StoredKey } from '../../../ports/organizations.ts'
import type { ListedEntry, OutboxSummary, SummaryScope } from '../../../ports/outbox.ts'
import type {
  DirectoryEntry,
  Jurisdiction,
  OwnPlace,
  Region,
  PlaceChoice,
  Place,
} from '../../../ports/placement.ts'
import { within, ALARM_MS, ANSWER_MS } from '../../limits/waiting.ts'
import { lookUp, SHARED, type AllPlaces, type LoggedPlaces } from '../find/at-place.ts'
import { findOrganization, targetOf, formsOfOthers, reserveForms } from '../storage/placed-writes.ts'
import { afterEntry, listPlacedOutbox } from '../storage/placed-outbox.ts'
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
import type { Moves } from './moves.ts'
import { toInstant } from '../../text/instant.ts'
import { keysOf } from '../../text/encoding.ts'

const regionNames: Readonly<Record<Region, true>> = {
  wnam: true,
  enam: true,
  sam: true,
  weur: true,
  eeur: true,
  apac: true,
  oc: true,
  afr: true,
  me: true,
}

const jurisdictionNames: Readonly<Record<Jurisdiction, true>> = { eu: true, us: true, fedramp: true }

/** The kinds of places: the database that families share, and one of a family's own. */
export const placeKinds = ['shared', 'own'] as const satisfies readonly Place['kind'][]

/** The regions in which a family's database can be created. */
export const regions = keysOf(regionNames)

/** The jurisdictions in which a family's database can be required to stay. */
export const jurisdictions = keysOf(jurisdictionNames)

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
      const last = found.length > limit ? rows.at(-1) : undefined
      return { rows, next: last === undefined ? null : afterEntry(null, last), ...NO_GAPS }
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

/** The place of an organization that is restored, and what it holds in the directory. */
export interface RestorePlaces {
  /**
   * Prepares the place for an organization: its present one, its parent's, or the chosen one (null: the shared
   * database). May be repeated.
   */
  prepare(
    organization: RestoredOrganization,
    choice: PlaceChoice | null,
  ): Promise<'ready' | 'slug_taken' | 'elsewhere' | 'parent_missing' | PlaceRefusal>
  /** Those of the ids of forms that other organizations hold. */
  formsOfOthers(organizationId: string, formIds: readonly string[]): Promise<readonly string[]>
  /** Reserves ids of forms for the organization. False: another one holds one of them, or imports forms. */
  reserve(organizationId: string, formIds: readonly string[]): Promise<boolean>
  /** Frees the reservations of forms that the organization has not stored. */
  free(organizationId: string, formIds: readonly string[]): Promise<void>
  /**
   * Ends the reservations of forms whose rows are stored. Where the organization has a database of its own, ids of forms
   * and keys are entered in the directory. False: another organization holds one of the forms.
   */
  enter(organizationId: string, ids: DirectoryIds): Promise<boolean>
}

/** What the place of a restored organization depends on. */
export type RestoredOrganization = Pick<Organization, 'organizationId' | 'parentId' | 'slug'>

interface DirectoryIds {
  readonly formIds: readonly string[]
  /** The keys, each with the operator key that issued it. */
  readonly keys: readonly Pick<StoredKey, 'keyId' | 'issuedBy'>[]
}

/** Finds and reserves the places of organizations that are restored. Opening asks no database. */
export function createRestorePlaces(places: LoggedPlaces): RestorePlaces {
  const { directory, databases, memory } = places
  return {
    async prepare(organization, choice) {
      const { organizationId, slug } = organization
      const target = await targetOf(organization, choice, places)
      if (typeof target === 'string') return target
      if (target.kind === 'shared') return 'ready'
      const { familyId } = target
      const isStored = (await findOrganization(organizationId, places)) !== null
      const place = await directory.reserve({ organizationId, familyId, choice: target.choice, slug })
      if (typeof place === 'string') return place
      if (organizationId === familyId && !isStored) await databases?.create(place)
      memory.remember(organizationId, place)
      return 'ready'
    },
    formsOfOthers: (organizationId, formIds) => formsOfOthers(formIds, organizationId, places),
    reserve: async (organizationId, formIds) =>
      formIds.length === 0 || reserveForms(formIds, organizationId, places),
    free: (organizationId, formIds) =>
      directory.freeForms(organizationId, formIds, toInstant(places.clock.nowMs())),
    async enter(organizationId, { formIds, keys }) {
      const place = await lookUp(organizationId, places)
      if (place.kind === 'shared') {
        if (formIds.length > 0 && !(await reserveForms(formIds, organizationId, places))) return false
        // From here on the rows themselves hold the ids.
        await directory.releaseForms(organizationId, formIds)
        return true
      }
      // The rows may say how long others are kept, and only the sweep looks after that.
      await directory.noteWork(place.familyId, toInstant(places.clock.nowMs() + ALARM_MS))
      for (const { keyId, issuedBy } of keys) await directory.reserveKey(keyId, organizationId, issuedBy)
      if (formIds.length === 0) return true
      if (!(await reserveForms(formIds, organizationId, places))) return false
      await directory.settleForms(organizationId, formIds)
      return true
    },
  }
}

/** The places in which something of a deleted organization may be left. */
export interface DeletionPlaces {
  /** Whether the directory names the organization, which need not exist. */
  isPlaced(organizationId: string): Promise<boolean>
  /**
   * Removes what is left of an organization whose rows were deleted: the database of its family, if it was the root, its
   * entries in the directory, and rows that a move to another place has left. May be repeated.
   */
  release(organizationId: string): Promise<void>
}

/** Deletes organizations wherever they live. Opening asks no database. */
export function createDeletionPlaces(places: AllPlaces): DeletionPlaces {
  const { directory, databases, memory, storageAt } = places
  return {
    isPlaced: async (organizationId) => (await lookUp(organizationId, places)).kind === 'own',
    async release(organizationId) {
      const place = await lookUp(organizationId, places)
      if (place.kind === 'own' && place.familyId === organizationId) await databases?.remove(place)
      await directory.release(organizationId)
      memory.forget(organizationId)
      // As long as the directory named another place, the shared database refused every call about the organization.
      const left = storageAt(SHARED, true).organizationStore(organizationId)
      while ((await left.deleteSome()) !== null);
    },
  }
}
