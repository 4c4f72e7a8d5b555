import type { OutboxStore, ListedEntry } from '../../../ports/outbox.ts'
import type { Storage } from '../../../ports/storage.ts'
import { relayed } from '../../../ports/relayed.ts'
import { atPlace, toPlace, lookUp, SHARED, type AllPlaces, type LoggedPlaces } from '../find/at-place.ts'
import { noteWorkOf } from './placed-requests.ts'
import type { OwnPlace } from '../../../ports/placement.ts'
import { CONNECTIONS_WIDTH } from '../../limits/waiting.ts'
import {
  NO_GAPS,
  askEach,
  FAMILIES_MAX,
  type PlacedOutboxPosition,
  type PlacesList,
  type VisitingPlaces,
} from '../find/visit-families.ts'

/** Separates an organization's id from that of an entry. Neither contains this character. */
const SEPARATOR = ':'

/**
 * The outbox of all places. The lists of due entries, those over several organizations, and summaries cover the shared database
 * only, because each family's database handles its own work. Entries of such a database are listed under ids that also
 * name the organization, so that an operator's command can find them by their id alone.
 */
export function placedOutbox(places: AllPlaces, { outbox: shared }: Storage): OutboxStore {
  return {
    open: (organizationId) =>
      relayed(
        toPlace(organizationId, places, ({ outbox }) => outbox.open(organizationId)),
        {
          settle: (outboxId, token, settlement, now) =>
            atPlace(organizationId, places, ({ outbox }, place) => {
              // What is kept of a delivery is forgotten by the sweep.
              const isKept = 'delivery' in settlement
              if (isKept && place.kind === 'own') noteWorkOf(place.familyId, places)
              return outbox.open(organizationId).settle(outboxId, token, settlement, now)
            }),
        },
      ),
    due: (now, limit) => shared.due(now, limit),
    nextDue: () => shared.nextDue(),
    list(organizationId, after, limit) {
      if (organizationId === null) return shared.list(null, after, limit)
      const position = after === null ? null : { ...after, id: idInPlace(after.id) }
      return atPlace(organizationId, places, async ({ outbox }, place) => {
        const entries = await outbox.list(organizationId, position, limit)
        return place.kind === 'shared' ? entries : entries.map(named)
      })
    },
    summaries: (organizationIds, scope) => shared.summaries(organizationIds, scope),
    ofSubmission: (organizationId, submissionId) =>
      atPlace(organizationId, places, async ({ outbox }, place) => {
        const entries = await outbox.ofSubmission(organizationId, submissionId)
        return place.kind === 'shared' ? entries : entries.map(named)
      }),
    async ownerOf(outboxId) {
      const placed = placedEntry(outboxId)
      if (placed === null) return shared.ownerOf(outboxId)
      const { organizationId } = placed
      return atPlace(organizationId, places, async ({ outbox }) => {
        const owner = await outbox.ownerOf(placed.outboxId)
        return owner === organizationId ? owner : null
      })
    },
    redrive(outboxId, now) {
      const placed = placedEntry(outboxId)
      if (placed === null) return shared.redrive(outboxId, now)
      return atPlace(placed.organizationId, places, ({ outbox }) => outbox.redrive(placed.outboxId, now))
    },
  }
}

/** Gives an entry an id that also names its organization. */
function named<Entry extends { readonly organizationId: string; readonly outboxId: string }>(
  entry: Entry,
): Entry {
  return { ...entry, outboxId: `${entry.organizationId}${SEPARATOR}${entry.outboxId}` }
}

/** The organization and the entry that an id names; null: the id does not name an organization. */
export function placedEntry(
  outboxId: string,
): { readonly organizationId: string; readonly outboxId: string } | null {
  const at = outboxId.indexOf(SEPARATOR)
  return at < 0 ? null : { organizationId: outboxId.slice(0, at), outboxId: outboxId.slice(at + 1) }
}

/** The id of an entry in its own database. */
export function idInPlace(outboxId: string): string {
  return placedEntry(outboxId)?.outboxId ?? outboxId
}

type OutboxPage = PlacesList<ListedEntry, PlacedOutboxPosition>

/** Where a list continues after an entry of the shared place (null), or of a family. */
export function afterEntry(familyId: string | null, entry: ListedEntry): PlacedOutboxPosition {
  return { familyId, entry: { value: entry.createdAt, id: entry.outboxId } }
}

/**
 * Outbox entries of all places, at most `limit`: those of the shared database, then family by family, each oldest
 * first. A page may be short although another one follows, because it asks a limited number of databases.
 */
export async function listPlacedOutbox(
  after: PlacedOutboxPosition | null,
  limit: number,
  places: LoggedPlaces,
): Promise<OutboxPage> {
  const isInShared = after === null || (after.familyId === null && after.entry !== null)
  if (!isInShared) return inFamilies(after, [], limit, places)
  const { outbox } = places.storageAt(SHARED, true)
  const found = await outbox.list(null, after?.entry ?? null, limit + 1)
  const rows = found.slice(0, limit)
  const last = found.length > limit ? rows.at(-1) : undefined
  if (last !== undefined) return { rows, next: afterEntry(null, last), ...NO_GAPS }
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
  places: LoggedPlaces,
): Promise<OutboxPage> {
  const families = await familiesFrom(after, places)
  const rows = [...first]
  const gaps = { unanswered: [] as string[], unfinished: [] as string[] }
  let next: PlacedOutboxPosition | null = null
  for (let start = 0; start < families.length; start += CONNECTIONS_WIDTH) {
    const some = families.slice(start, start + CONNECTIONS_WIDTH)
    const asked = await askSome(some, limit - rows.length + 1, places)
    gaps.unanswered.push(...asked.unanswered)
    gaps.unfinished.push(...asked.unfinished)
    for (const { familyId, result } of asked.results) {
      const taken = result.slice(0, limit - rows.length)
      rows.push(...taken.map(named))
      if (taken.length < result.length) return { rows, next: lastOf(familyId, taken, next), ...gaps }
      next = { familyId, entry: null }
    }
    next = { familyId: some.at(-1)?.place.familyId ?? null, entry: null }
  }
  return { rows, next: families.length < FAMILIES_MAX ? null : next, ...gaps }
}

/** The end of a page that had room for only these entries of a family. */
function lastOf(
  familyId: string,
  taken: readonly ListedEntry[],
  before: PlacedOutboxPosition | null,
): PlacedOutboxPosition {
  const entry = taken.at(-1)
  return entry === undefined ? (before ?? { familyId: null, entry: null }) : afterEntry(familyId, entry)
}

/** The families that a page asks: the one in which the previous page ended, and those after it. */
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
