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
} from './operators/restore-places.ts'
import { createOverview, type Overview } from './operators/overview.ts'
import { placedChanges } from './storage/placed-changes.ts'
import {
  placedImports,
  formsOfOthers,
  reserveForms,
  findOrganization,
  placedWrites,
} from './storage/placed-writes.ts'
import { placedOutbox } from './storage/placed-outbox.ts'
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
import type { OrganizationStore } from '../../ports/archives.ts'
import type { TenantWebhooks } from '../../ports/outbox.ts'
import type { Administration } from '../../ports/organizations.ts'

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
export function placedTenant(places: LoggedPlaces, organizationId: string): TenantWriter {
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
export function placedOrganizationStore(places: AllPlaces, organizationId: string): OrganizationStore {
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
export function placedAdministration(places: AllPlaces, { administration: shared }: Storage): Administration {
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
