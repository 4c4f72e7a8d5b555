import type { ExitSurveySource } from '../../ports/sources.ts'
import type { Log } from '../../ports/platform.ts'
import type { Storage } from '../../ports/storage.ts'
import { relayed } from '../../ports/relayed.ts'
import { atPlace, SHARED, toPlace, type AllPlaces } from './find/at-place.ts'
import { ElsewhereError, PausedError } from './find/errors.ts'
import { createDeletionPlaces, type DeletionPlaces } from './operators/deletion-places.ts'
import { createOverview, type Overview } from './operators/overview.ts'
import { placedAdministration } from './storage/placed-administration.ts'
import { placedChanges } from './storage/placed-changes.ts'
import { placedImports } from './storage/placed-imports.ts'
import { placedOutbox } from './storage/placed-outbox.ts'
import { placedForms, placedKeyed, placedKeyUpkeep, placedSends } from './storage/placed-requests.ts'
import { createRestorePlaces, type RestorePlaces } from './operators/restore-places.ts'
import { placedTenant } from './storage/placed-tenant.ts'
import { placedWhole } from './storage/placed-whole.ts'

/** Every storage port over all places, and the overview for operators. */
export interface PlacedStorage extends Storage {
  readonly overview: Overview
  readonly restorePlaces: RestorePlaces
  readonly deletionPlaces: DeletionPlaces
}

/**
 * The storage of all places together: each port finds the right database by the organization. Data that belongs to no
 * organization (operator keys, the audit, who was erased, platform keys and their sends) is in the shared database. No I/O.
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
    operatorChanges: placedChanges(logged, shared),
    outbox: placedOutbox(places, shared),
    analytics: {
      open: (organizationId) =>
        relayed(toPlace(organizationId, places, ({ analytics }) => analytics.open(organizationId))),
    },
    exitSurvey: placedExitSurvey(places),
    tenant: (organizationId) => placedTenant(logged, organizationId),
    imports: (organizationId) => placedImports(logged, organizationId),
    importDirectory: shared.importDirectory,
    retentionDirectory: shared.retentionDirectory,
    erasures: shared.erasures,
    whole: (organizationId) => placedWhole(places, organizationId),
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
