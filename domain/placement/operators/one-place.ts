import type { Storage } from '../../../ports/storage.ts'
import { forms } from '../../resources/forms.ts'
import type { DeletionPlaces } from './deletion-places.ts'
import type { Moves } from './moves.ts'
import { IN_SHARED, type Overview } from './overview.ts'
import { NO_GAPS } from './places-list.ts'
import type { RestorePlaces } from './restore-places.ts'

/** What operators can do about the places of organizations. */
export interface OperatorPlaces {
  readonly overview: Overview
  readonly moves: Moves
  readonly restorePlaces: RestorePlaces
  readonly deletionPlaces: DeletionPlaces
}

/** The places when there is only one database, as in a program that embeds the library: nothing can move. */
export function onePlace(storage: Pick<Storage, 'administration' | 'outbox' | 'tenant'>): OperatorPlaces {
  return {
    overview: overviewOfOne(storage),
    moves: {
      begin: async () => ({ kind: 'no_places' }),
      watch: async () => null,
      running: async () => null,
      abort: async () => false,
    },
    restorePlaces: {
      prepare: async (_organization, choice) => (choice?.kind === 'own' ? 'no_places' : 'ready'),
      formsOfOthers: (organizationId, formIds) =>
        storage.tenant(organizationId).foreignIds(forms.collection, formIds),
      reserve: async (organizationId, formIds) =>
        (await storage.tenant(organizationId).foreignIds(forms.collection, formIds)).length === 0,
      free: async () => undefined,
      enter: async () => true,
    },
    deletionPlaces: { isPlaced: async () => false, release: async () => undefined },
  }
}

function overviewOfOne({ administration, outbox }: Pick<Storage, 'administration' | 'outbox'>): Overview {
  return {
    async describe(organizationId) {
      const organization = await administration.findOrganization(organizationId)
      return organization === null ? null : { organization, place: IN_SHARED }
    },
    async organizations(afterId, limit) {
      const found = await administration.listOrganizations(afterId, limit + 1)
      const rows = found.slice(0, limit)
      const next = found.length > limit ? (rows.at(-1)?.organizationId ?? null) : null
      return { rows, next, ...NO_GAPS }
    },
    async outbox(after, limit) {
      const found = await outbox.list(null, after?.entry ?? null, limit + 1)
      const rows = found.slice(0, limit)
      const entry = found.length > limit ? (rows.at(-1) ?? null) : null
      return { rows, next: entry === null ? null : { familyId: null, entry }, ...NO_GAPS }
    },
    administrations: async () => ({ results: [], next: null, ...NO_GAPS }),
  }
}
