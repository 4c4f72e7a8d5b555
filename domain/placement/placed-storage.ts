import type { ExitSurveySource } from '../../ports/sources.ts'
import type { Log } from '../../ports/platform.ts'
import type { Storage } from '../../ports/storage.ts'
import { relayed } from '../../ports/relayed.ts'
import { atPlace, SHARED, toPlace, atKey, type AllPlaces, type LoggedPlaces } from './find/at-place.ts'
import { ElsewhereError, PausedError } from './find/errors.ts'
import {
  createDeletionPlaces,
  createRestorePlaces,
  type DeletionPlaces,
  type RestorePlaces,
  createOverview,
  type Overview,
} from './operators/overview.ts'
import {
  placedImports,
  formsOfOthers,
  reserveForms,
  findOrganization,
  placedWrites,
  type PlacedWrites,
} from './storage/placed-writes.ts'
import { placedOutbox, idInPlace, placedEntry } from './storage/placed-outbox.ts'
import {
  placedForms,
  placedKeyed,
  placedKeyUpkeep,
  placedSends,
  placedSubmissions,
  noteWorkOf,
} from './storage/placed-requests.ts'
import type { StoredRow, TenantWriter } from '../../ports/records.ts'
import { forms } from '../resources/forms.ts'
import type { OrganizationStore } from '../../ports/organization-store.ts'
import type { TenantWebhooks } from '../../ports/outbox.ts'
import type { Administration, OperatorKeys, RevokedKey, StoredKey } from '../../ports/organizations.ts'
import type {
  AuditEntry,
  AuditSubject,
  OpenOperatorChanges,
  OperatorKeyRevocation,
  Revoked,
} from '../../ports/operators.ts'
import { REVOKED_NAMED_MAX, REVOKED_PLACES_MAX } from '../access/operator-credentials.ts'
import { eachOf, within, ANSWER_MS, CONNECTIONS_WIDTH } from '../limits/waiting.ts'

/** Every storage port over all places, and the overview for operators. */
export interface PlacedStorage extends Storage {
  readonly overview: Overview
  readonly restorePlaces: RestorePlaces
  readonly deletionPlaces: DeletionPlaces
}

/**
 * The storage of all places together: each port finds the right database by the organization. Data that belongs to no
 * organization (operator keys, people, the audit, who was erased, platform keys and their sends) is in the shared database. No I/O.
 */
export function createPlacedStorage(places: AllPlaces, log: Log): PlacedStorage {
  const shared = places.storageAt(SHARED, true)
  const logged = { ...places, log }
  return {
    overview: createOverview(logged),
    restorePlaces: createRestorePlaces(logged),
    deletionPlaces: createDeletionPlaces(logged),
    keyed: placedKeyed(places),
    keyUpkeep: placedKeyUpkeep(places),
    forms: placedForms(places),
    sends: placedSends(places),
    administration: placedAdministration(places, shared),
    operatorKeys: shared.operatorKeys,
    audit: shared.audit,
    people: shared.people,
    operatorChanges: placedChanges(logged, shared),
    outbox: placedOutbox(places, shared),
    analytics: {
      open: (organizationId) =>
        relayed(toPlace(organizationId, places, ({ analytics }) => analytics.open(organizationId))),
    },
    exitSurvey: placedExitSurvey(places),
    tenant: (organizationId) => placedTenant(logged, organizationId),
    webhooks: (organizationId) => placedWebhooks(places, organizationId),
    imports: (organizationId) => placedImports(logged, organizationId),
    importDirectory: shared.importDirectory,
    retentionDirectory: shared.retentionDirectory,
    erasures: shared.erasures,
    organizationStore: (organizationId) => placedOrganizationStore(places, organizationId),
  }
}

/** A source never rejects, so the refusal by a place is found in the cause of a failure. */
function placedExitSurvey(places: AllPlaces): ExitSurveySource {
  return {
    open: (organizationId) => ({
      async countReasons(range, signal) {
        try {
          return await atPlace(organizationId, places, async ({ exitSurvey }) => {
            const answer = await exitSurvey.open(organizationId).countReasons(range, signal)
            if (answer.kind === 'unavailable' && isRefusal(answer.cause)) throw answer.cause
            return answer
          })
        } catch (cause) {
          return { kind: 'unavailable', reason: 'The database did not answer.', cause }
        }
      },
    }),
  }
}

function isRefusal(cause: unknown): cause is Error {
  return cause instanceof ElsewhereError || cause instanceof PausedError
}

/** Opens one organization for writing, wherever it lives. */
function placedTenant(places: LoggedPlaces, organizationId: string): TenantWriter {
  const relay = toPlace(organizationId, places, (storage) => storage.tenant(organizationId))
  const submissions = placedSubmissions(places, organizationId)
  /** Writes rows. In a family's own database, ids of forms are reserved before, and settled when they are stored. */
  const written = <Answer>(
    collection: string,
    rows: readonly StoredRow[],
    write: (tenant: TenantWriter) => Promise<Answer>,
  ): Promise<Answer> =>
    atPlace(organizationId, places, async (storage, place) => {
      const tenant = storage.tenant(organizationId)
      if (collection !== forms.collection || place.kind === 'shared') return write(tenant)
      const formIds = rows.map(({ formId }) => String(formId))
      if (!(await reserveForms(formIds, organizationId, places)))
        throw new Error('A form id belongs to another organization')
      const answer = await write(tenant)
      if (answer !== null) await places.directory.settleForms(organizationId, formIds)
      return answer
    })
  return relayed(relay, {
    saveSubmission: (submission) => submissions.saveSubmission(submission),
    upsert: (collection, rows) => written(collection, rows, (tenant) => tenant.upsert(collection, rows)),
    change: (collection, changes, savedBy) =>
      written(
        collection,
        changes.map(({ row }) => row),
        (tenant) => tenant.change(collection, changes, savedBy),
      ),
    // No database has the forms of all places, but the directory has their ids.
    foreignIds: (collection, ids) =>
      collection === forms.collection
        ? formsOfOthers(ids, organizationId, places)
        : relay((tenant) => tenant.foreignIds(collection, ids)),
  })
}

/** The webhooks of one organization, wherever it lives. */
function placedWebhooks(places: AllPlaces, organizationId: string): TenantWebhooks {
  const relay = toPlace(organizationId, places, ({ webhooks }) => webhooks(organizationId))
  return relayed(relay, {
    announce: (event, now) =>
      atPlace(organizationId, places, ({ webhooks }, place) => {
        if (place.kind === 'own') noteWorkOf(place.familyId, places)
        return webhooks(organizationId).announce(event, now)
      }),
    resend: (deliveryIds, now) =>
      atPlace(organizationId, places, ({ webhooks }, place) => {
        if (place.kind === 'own') noteWorkOf(place.familyId, places)
        return webhooks(organizationId).resend(deliveryIds, now)
      }),
  })
}

/** Everything that is stored of one organization, wherever it lives. */
function placedOrganizationStore(places: AllPlaces, organizationId: string): OrganizationStore {
  const relay = toPlace(organizationId, places, (storage) => storage.organizationStore(organizationId))
  return relayed(relay, {
    removeRows: (collection, keys) =>
      atPlace(organizationId, places, async (storage, place) => {
        const outcome = await storage.organizationStore(organizationId).removeRows(collection, keys)
        const isHeld = collection === forms.collection && place.kind === 'own' && outcome.kind === 'removed'
        if (isHeld) await places.directory.releaseForms(organizationId, keys.flat())
        return outcome
      }),
    setRetention: (settings, now, replaced) =>
      atPlace(organizationId, places, async (storage, place) => {
        const outcome = await storage.organizationStore(organizationId).setRetention(settings, now, replaced)
        if (outcome.kind === 'set' && place.kind === 'own')
          await places.directory.noteWork(place.familyId, now)
        return outcome
      }),
  })
}

/**
 * Administers organizations and keys of all places. Lists over all organizations, and counts, cover the shared database
 * only.
 */
function placedAdministration(places: AllPlaces, { administration: shared }: Storage): Administration {
  return {
    ...placedWrites(places, ({ administration }) => administration),
    findOrganization: (organizationId) => findOrganization(organizationId, places),
    listOrganizations: (afterId, limit) => shared.listOrganizations(afterId, limit),
    findKey: (keyId) => atKey(keyId, places, ({ administration }) => administration.findKey(keyId)),
    listKeys: (organizationId, after, limit) =>
      organizationId === null
        ? shared.listKeys(null, after, limit)
        : atPlace(organizationId, places, ({ administration }) =>
            administration.listKeys(organizationId, after, limit),
          ),
    revokeIssued: (organizationId, issuers, revokedAt) =>
      atPlace(organizationId, places, ({ administration }) =>
        administration.revokeIssued(organizationId, issuers, revokedAt),
      ),
    ...placedKeyUpkeep(places),
    countHashes: (secretVersion) => shared.countHashes(secretVersion),
    findHashes: (secretVersion, limit) => shared.findHashes(secretVersion, limit),
  }
}

/**
 * The changes of operators in all places. In the shared database, a change and its record are one step. A family's
 * database has no records: there, the change is recorded as failed before it is made, and the record is corrected
 * afterwards.
 */
function placedChanges(places: LoggedPlaces, shared: Storage): OpenOperatorChanges {
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
