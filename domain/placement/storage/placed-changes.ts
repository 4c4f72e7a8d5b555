import type { AuditEntry } from '../../../ports/operators/audit.ts'
import type { OpenOperatorChanges } from '../../../ports/operators/operator-changes.ts'
import type { Storage } from '../../../ports/storage.ts'
import type { AllPlaces } from '../find/at-place.ts'
import { atPlace } from '../find/at-place.ts'
import { noteWorkOf } from './note-work.ts'
import { idInPlace, placedEntry } from './placed-outbox.ts'
import type { PlacedWrites } from './placed-writes.ts'
import { placedWrites } from './placed-writes.ts'

/**
 * The changes of operators in all places. In the shared database, a change and its record are one step. A family's
 * database has no records: there, the change is recorded as failed before it is made, and the record is corrected
 * afterwards.
 */
export function placedChanges(places: AllPlaces, shared: Storage): OpenOperatorChanges {
  return (entry) => {
    const changes = shared.operatorChanges(entry)
    const recorded = recording(entry, shared)
    return {
      ...placedWrites(places, ({ administration }, place) =>
        place.kind === 'shared' ? changes : recordedWrites(administration, recorded),
      ),
      redrive(outboxId, now) {
        const placed = placedEntry(outboxId)
        const organizationId = placed?.organizationId ?? entry.organizationId
        if (organizationId === null) return changes.redrive(outboxId, now)
        return atPlace(organizationId, places, ({ outbox }, place) => {
          if (place.kind === 'shared') return changes.redrive(idInPlace(outboxId), now)
          noteWorkOf(place.familyId, places)
          return recorded(
            () => outbox.redrive(idInPlace(outboxId), now),
            (outcome) => outcome === 'driven',
          )
        })
      },
      addOperatorKey: (added) => changes.addOperatorKey(added),
      revokeOperatorKey: (revocation) => changes.revokeOperatorKey(revocation),
    }
  }
}

/** Makes a change, with its record written before and corrected afterwards. */
type Recorded = <Outcome>(
  change: () => Promise<Outcome>,
  isDone: (outcome: Outcome) => boolean,
) => Promise<Outcome>

function recording(entry: AuditEntry, { audit }: Storage): Recorded {
  return async (change, isDone) => {
    await audit.record({ ...entry, outcome: 'failed' })
    const outcome = await change()
    await audit.settle(entry.auditId, isDone(outcome) ? 'done' : 'refused', entry.subject)
    return outcome
  }
}

function recordedWrites(of: PlacedWrites, recorded: Recorded): PlacedWrites {
  return {
    saveOrganization: (organization, replaced) =>
      recorded(
        () => of.saveOrganization(organization, replaced),
        (outcome) => outcome === 'saved',
      ),
    addKey: (key) =>
      recorded(
        () => of.addKey(key),
        () => true,
      ),
    revokeKey: (keyId, revokedAt) =>
      recorded(
        () => of.revokeKey(keyId, revokedAt),
        (isFound) => isFound,
      ),
    rotateKey: (rotation) =>
      recorded(
        () => of.rotateKey(rotation),
        (isRotated) => isRotated,
      ),
  }
}
