import type {
  AuditEntry,
  AuditSubject,
  OpenOperatorChanges,
  OperatorKeyRevocation,
  Revoked,
} from '../../../ports/operators.ts'
import type { OperatorKeys, RevokedKey, StoredKey } from '../../../ports/organizations.ts'
import type { Storage } from '../../../ports/storage.ts'
import { REVOKED_NAMED_MAX, REVOKED_PLACES_MAX } from '../../access/operator-credentials.ts'
import { eachOf, within, ANSWER_MS, CONNECTIONS_WIDTH } from '../../limits/waiting.ts'
import { atPlace, type LoggedPlaces } from '../find/at-place.ts'
import { noteWorkOf } from './placed-requests.ts'
import { idInPlace, placedEntry } from './placed-outbox.ts'
import { placedWrites, type PlacedWrites } from './placed-writes.ts'

/**
 * The changes of operators in all places. In the shared database, a change and its record are one step. A family's
 * database has no records: there, the change is recorded as failed before it is made, and the record is corrected
 * afterwards.
 */
export function placedChanges(places: LoggedPlaces, shared: Storage): OpenOperatorChanges {
  return (entry) => {
    const changes = shared.operatorChanges(entry)
    const recorded = recording(entry, shared)
    return {
      ...placedWrites(places, ({ administration }, place) =>
        place.kind === 'shared' ? changes : recordedWrites(administration, recorded, shared.operatorKeys),
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
      savePerson: (...given) => changes.savePerson(...given),
      addPerson: (...given) => changes.addPerson(...given),
      removePerson: (...given) => changes.removePerson(...given),
      endSessions: (person) => changes.endSessions(person),
      async revokeOperatorKey(revocation) {
        const revoked = await changes.revokeOperatorKey(revocation)
        if (revoked === null || revoked.unreached.length === 0) return revoked
        const ended = await revokeElsewhere(revoked, revocation, places)
        await shared.audit.settle(
          entry.auditId,
          ended.unreached.length === 0 ? 'done' : 'failed',
          revocationSubject(revocation.keyId, ended),
        )
        return ended
      },
    }
  }
}

/**
 * Revokes what operator keys have issued in organizations that the shared database could not write, each in its place.
 * Organizations that are reached are not asked again by a repeated revocation.
 */
async function revokeElsewhere(
  { keys, unreached, ...revoked }: Revoked,
  { revokedAt }: OperatorKeyRevocation,
  places: LoggedPlaces,
): Promise<Revoked> {
  const found = new Map<string, readonly RevokedKey[]>()
  await eachOf(unreached.slice(0, REVOKED_PLACES_MAX), CONNECTIONS_WIDTH, async (organizationId) => {
    const asked = atPlace(organizationId, places, ({ administration }) =>
      administration.revokeIssued(organizationId, revoked.issuers, revokedAt),
    )
    try {
      found.set(organizationId, await within(places.deadline, ANSWER_MS, asked))
    } catch (cause) {
      places.log.error('keys_not_revoked', { organizationId }, cause)
    }
  })
  const reached = unreached.filter((organizationId) => found.has(organizationId))
  await places.directory.forgetIssuers(reached, revoked.issuers)
  return {
    ...revoked,
    keys: [...keys, ...reached.flatMap((organizationId) => found.get(organizationId) ?? [])],
    unreached: unreached.filter((organizationId) => !found.has(organizationId)),
  }
}

function revocationSubject(keyId: string, { operatorKeys, keys, unreached }: Revoked): AuditSubject {
  const named = (ids: readonly string[]) => ids.slice(0, REVOKED_NAMED_MAX)
  const descendants = operatorKeys.map((key) => key.keyId).filter((id) => id !== keyId)
  const subject = {
    type: 'key',
    id: keyId,
    descendants: named(descendants),
    keys: named(keys.map((key) => key.keyId)),
  } as const
  return unreached.length === 0 ? subject : { ...subject, unreached: named(unreached) }
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

/**
 * The writes of a family's database. It does not know which operator keys work, so that is asked after a key was stored:
 * whoever revokes the issuer before that finds the key, or is found out here, and nobody was shown the key yet.
 */
function recordedWrites(of: PlacedWrites, recorded: Recorded, operatorKeys: OperatorKeys): PlacedWrites {
  const unlessEnded = async ({ keyId, issuedBy, createdAt }: StoredKey): Promise<boolean> => {
    if (issuedBy === null || (await operatorKeys.works(issuedBy))) return true
    await of.revokeKey(keyId, createdAt)
    return false
  }
  return {
    saveOrganization: (...given) =>
      recorded(
        () => of.saveOrganization(...given),
        (outcome) => outcome === 'saved',
      ),
    addKey: (key) =>
      recorded(
        async () => (await of.addKey(key)) && unlessEnded(key),
        (isAdded) => isAdded,
      ),
    revokeKey: (keyId, revokedAt) =>
      recorded(
        () => of.revokeKey(keyId, revokedAt),
        (isFound) => isFound,
      ),
    rotateKey: (rotation) =>
      recorded(
        async () => (await of.rotateKey(rotation)) && unlessEnded(rotation.successor),
        (isRotated) => isRotated,
      ),
  }
}
