import type { ListedEntry } from '../../ports/outbox-store.ts'
import type { OwnPlace } from '../../ports/placement.ts'
import type { AllPlaces } from './at-place.ts'
import { lookUp, SHARED } from './at-place.ts'
import { named } from './placed-outbox.ts'
import type { PlacedOutboxPosition, PlacesList } from './places-list.ts'
import type { VisitingPlaces } from './visit-families.ts'
import { askEach, FAMILIES_MAX, WIDTH } from './visit-families.ts'

type OutboxPage = PlacesList<ListedEntry, PlacedOutboxPosition>

/**
 * Entries of all places, at most `limit`: those of the shared place, then family by family, each oldest first. A page may
 * be short though another follows, because it asks a bounded number of databases.
 */
export async function listOutbox(
  after: PlacedOutboxPosition | null,
  limit: number,
  places: AllPlaces & VisitingPlaces,
): Promise<OutboxPage> {
  const isInShared = after === null || (after.familyId === null && after.entry !== null)
  if (!isInShared) return inFamilies(after, [], limit, places)
  const { outbox } = places.storageAt(SHARED)
  const found = await outbox.list(null, after?.entry ?? null, limit + 1)
  const rows = found.slice(0, limit)
  const last = found.length > limit ? rows.at(-1) : undefined
  if (last !== undefined) return { rows, next: { familyId: null, entry: last }, unanswered: [] }
  return inFamilies({ familyId: null, entry: null }, rows, limit, places)
}

/** A family whose entries are to be listed, from the beginning or after an entry. */
interface Begun extends Pick<PlacedOutboxPosition, 'entry'> {
  readonly place: OwnPlace
}

async function inFamilies(
  after: PlacedOutboxPosition,
  first: readonly ListedEntry[],
  limit: number,
  places: AllPlaces & VisitingPlaces,
): Promise<OutboxPage> {
  const families = await familiesFrom(after, places)
  const rows = [...first]
  const unanswered: string[] = []
  let next: PlacedOutboxPosition | null = null
  for (let start = 0; start < families.length; start += WIDTH) {
    const some = families.slice(start, start + WIDTH)
    const asked = await askSome(some, limit - rows.length + 1, places)
    unanswered.push(...asked.unanswered)
    for (const { familyId, result } of asked.results) {
      const taken = result.slice(0, limit - rows.length)
      rows.push(...taken.map(named))
      if (taken.length < result.length) return { rows, next: lastOf(familyId, taken, next), unanswered }
      next = { familyId, entry: null }
    }
    next = { familyId: some.at(-1)?.place.familyId ?? null, entry: null }
  }
  return { rows, next: families.length < FAMILIES_MAX ? null : next, unanswered }
}

/** Where a page ends that had room for only these of a family. */
function lastOf(
  familyId: string,
  taken: readonly ListedEntry[],
  before: PlacedOutboxPosition | null,
): PlacedOutboxPosition {
  const entry = taken.at(-1)
  return entry === undefined ? (before ?? { familyId: null, entry: null }) : { familyId, entry }
}

/** The families that a page asks: the one that the page before ended in, and those after it. */
async function familiesFrom(
  { familyId, entry }: PlacedOutboxPosition,
  places: AllPlaces,
): Promise<readonly Begun[]> {
  const others = await places.directory.families(familyId, FAMILIES_MAX)
  const begun = others.map(({ place }) => ({ place, entry: null }))
  if (familyId === null || entry === null) return begun
  const place = await lookUp(familyId, places)
  return place.kind === 'own' ? [{ place, entry }, ...begun] : begun
}

function askSome(some: readonly Begun[], limit: number, places: VisitingPlaces) {
  const entries = new Map(some.map(({ place, entry }) => [place.familyId, entry]))
  return askEach(
    some.map(({ place }) => place),
    places,
    ({ outbox }, familyId) => outbox.list(null, entries.get(familyId) ?? null, limit),
  )
}
