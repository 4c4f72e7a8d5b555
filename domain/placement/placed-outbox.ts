import type { OutboxStore, TenantOutbox } from '../../ports/outbox-store.ts'
import type { Storage } from '../../ports/storage.ts'
import type { AllPlaces } from './at-place.ts'
import { atPlace } from './at-place.ts'

/** Between an organization's id and that of an entry. Neither contains it. */
const SEPARATOR = ':'

/**
 * The outbox of all places. What is due, now or next, is that of the shared place alone, and so is a list of all organizations: each
 * family's database sees to its own work. Entries of such a database are listed under ids that name the organization too,
 * so that an operator's command finds them by their id alone.
 */
export function placedOutbox(places: AllPlaces, { outbox: shared }: Storage): OutboxStore {
  return {
    open: (organizationId) => placedTenantOutbox(places, organizationId),
    due: (now, limit) => shared.due(now, limit),
    nextDue: () => shared.nextDue(),
    list(organizationId, after, limit) {
      if (organizationId === null) return shared.list(null, after, limit)
      const position = after === null ? null : { ...after, outboxId: inPlace(after.outboxId) }
      return atPlace(organizationId, places, async ({ outbox }, place) => {
        const entries = await outbox.list(organizationId, position, limit)
        return place.kind === 'shared' ? entries : entries.map(named)
      })
    },
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

/** An entry under an id that names its organization too. */
export function named<Entry extends { readonly organizationId: string; readonly outboxId: string }>(
  entry: Entry,
): Entry {
  return { ...entry, outboxId: `${entry.organizationId}${SEPARATOR}${entry.outboxId}` }
}

/** The organization and the entry that an id names; null: it names an entry alone. */
export function placedEntry(
  outboxId: string,
): { readonly organizationId: string; readonly outboxId: string } | null {
  const at = outboxId.indexOf(SEPARATOR)
  return at < 0 ? null : { organizationId: outboxId.slice(0, at), outboxId: outboxId.slice(at + 1) }
}

/** The id of an entry in its own database. */
export function inPlace(outboxId: string): string {
  return placedEntry(outboxId)?.outboxId ?? outboxId
}

function placedTenantOutbox(places: AllPlaces, organizationId: string): TenantOutbox {
  const at = <Result>(work: (outbox: TenantOutbox) => Promise<Result>) =>
    atPlace(organizationId, places, ({ outbox }) => work(outbox.open(organizationId)))
  return {
    claim: (outboxId, lease, now) => at((outbox) => outbox.claim(outboxId, lease, now)),
    settle: (outboxId, token, settlement, now) =>
      at((outbox) => outbox.settle(outboxId, token, settlement, now)),
    startRun: (outboxId, token, automationId, contactId, now) =>
      at((outbox) => outbox.startRun(outboxId, token, automationId, contactId, now)),
    finishStep: (token, step, now) => at((outbox) => outbox.finishStep(token, step, now)),
  }
}
