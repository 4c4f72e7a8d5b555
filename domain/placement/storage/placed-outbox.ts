import type { OutboxStore } from '../../../ports/messaging.ts'
import type { Storage } from '../../../ports/storage.ts'
import { relayed } from '../../../ports/relayed.ts'
import { atPlace, toPlace, type AllPlaces } from '../find/at-place.ts'

/** Separates an organization's id from that of an entry. Neither contains this character. */
const SEPARATOR = ':'

/**
 * The outbox of all places. The lists of due entries, and the list over all organizations, cover the shared database
 * only, because each family's database handles its own work. Entries of such a database are listed under ids that also
 * name the organization, so that an operator's command can find them by their id alone.
 */
export function placedOutbox(places: AllPlaces, { outbox: shared }: Storage): OutboxStore {
  return {
    open: (organizationId) =>
      relayed(toPlace(organizationId, places, ({ outbox }) => outbox.open(organizationId))),
    due: (now, limit) => shared.due(now, limit),
    nextDue: () => shared.nextDue(),
    list(organizationId, after, limit) {
      if (organizationId === null) return shared.list(null, after, limit)
      const position = after === null ? null : { ...after, outboxId: idInPlace(after.outboxId) }
      return atPlace(organizationId, places, async ({ outbox }, place) => {
        const entries = await outbox.list(organizationId, position, limit)
        return place.kind === 'shared' ? entries : entries.map(named)
      })
    },
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
export function named<Entry extends { readonly organizationId: string; readonly outboxId: string }>(
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
