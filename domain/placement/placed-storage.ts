import type { Analytics, TenantAnalytics } from '../../ports/analytics.ts'
import type { ExitSurveySource } from '../../ports/exit-survey-source.ts'
import type { FormDirectory } from '../../ports/form-directory.ts'
import type { KeyedStorage } from '../../ports/keyed-storage.ts'
import type { Log } from '../../ports/log.ts'
import type { SendLog } from '../../ports/send-log.ts'
import type { Storage } from '../../ports/storage.ts'
import type { Places } from './at-place.ts'
import { atPlace, SHARED } from './at-place.ts'
import { ElsewhereError, PausedError } from './errors.ts'
import type { Overview } from './overview.ts'
import { createOverview } from './overview.ts'
import { placedAdministration } from './placed-administration.ts'
import { placedChanges } from './placed-changes.ts'
import { placedImports } from './placed-imports.ts'
import { placedOutbox } from './placed-outbox.ts'
import { placedTenant } from './placed-tenant.ts'

/** Every port to what is stored in all places, and what operators see of them together. */
export interface PlacedStorage extends Storage {
  readonly overview: Overview
}

/**
 * The storage of all places together: each port finds the database of whom it is asked about. What belongs to nobody in
 * particular (operator keys, the audit, platform keys and their sends) is in the shared database. No I/O. A port is made when
 * it is asked for, since most requests need but one or two of them.
 */
export function createPlacedStorage(options: Places, log: Log): PlacedStorage {
  const shared = () => options.storageAt(SHARED)
  return {
    get overview() {
      return createOverview(options, log)
    },
    keyed: placedKeyed(options, shared),
    get administration() {
      return placedAdministration(options, shared())
    },
    get operatorKeys() {
      return shared().operatorKeys
    },
    get audit() {
      return shared().audit
    },
    get operatorChanges() {
      return placedChanges(options, shared())
    },
    get forms() {
      return placedForms(options, shared())
    },
    get outbox() {
      return placedOutbox(options, shared())
    },
    get sends() {
      return placedSends(options, shared())
    },
    get analytics() {
      return placedAnalytics(options)
    },
    get exitSurvey() {
      return placedExitSurvey(options)
    },
    tenant: (organizationId) => placedTenant(options, organizationId),
    imports: (organizationId) => placedImports(options, organizationId),
    get importDirectory() {
      return shared().importDirectory
    },
  }
}

function placedKeyed(places: Places, shared: () => Storage): KeyedStorage {
  return {
    open: (claim) => ({
      read: (queries, terms) =>
        atPlace(claim.organizationId, places, ({ keyed }) => keyed.open(claim).read(queries, terms)),
    }),
    findPlatformKey: (keyId) => shared().keyed.findPlatformKey(keyId),
  }
}

/** The shared database knows whose form it is, wherever that organization lives. */
function placedForms(places: Places, shared: Storage): FormDirectory {
  return {
    async find(formId) {
      try {
        return await shared.forms.find(formId)
      } catch (error) {
        if (!(error instanceof ElsewhereError) || error.found === null) throw error
        const { organizationId, place } = error.found
        places.memory.remember(organizationId, place)
        return atPlace(organizationId, places, ({ forms }) => forms.find(formId))
      }
    },
    tenantOf: ({ organizationId }) => placedTenant(places, organizationId),
  }
}

function placedAnalytics(places: Places): Analytics {
  return {
    open(organizationId) {
      const at = <Result>(work: (analytics: TenantAnalytics) => Promise<Result>) =>
        atPlace(organizationId, places, ({ analytics }) => work(analytics.open(organizationId)))
      return {
        members: (query) => at((analytics) => analytics.members(query)),
        cohorts: (query) => at((analytics) => analytics.cohorts(query)),
        retentionOffers: (range) => at((analytics) => analytics.retentionOffers(range)),
        revenueByDecision: (range) => at((analytics) => analytics.revenueByDecision(range)),
        cancellations: (range) => at((analytics) => analytics.cancellations(range)),
      }
    },
  }
}

function placedSends(places: Places, shared: Storage): SendLog {
  return {
    open(organizationId) {
      if (organizationId === null) return shared.sends.open(null)
      return {
        record: (sends) =>
          atPlace(organizationId, places, (storage) => storage.sends.open(organizationId).record(sends)),
        list: (after, limit) =>
          atPlace(organizationId, places, (storage) => storage.sends.open(organizationId).list(after, limit)),
      }
    },
  }
}

/** A source never rejects, so the refusal of a place comes as the cause of a failure. */
function placedExitSurvey(places: Places): ExitSurveySource {
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
