import type { WholeStore } from '../../../ports/archives.ts'
import { relayed } from '../../../ports/relayed.ts'
import { forms } from '../../resources/forms.ts'
import { atPlace, toPlace, type AllPlaces } from '../find/at-place.ts'

/** Everything that is stored of one organization, wherever it lives. */
export function placedWhole(places: AllPlaces, organizationId: string): WholeStore {
  const relay = toPlace(organizationId, places, (storage) => storage.whole(organizationId))
  return relayed(relay, {
    removeRows: (collection, keys) =>
      atPlace(organizationId, places, async (storage, place) => {
        const outcome = await storage.whole(organizationId).removeRows(collection, keys)
        const isHeld = collection === forms.collection && place.kind === 'own' && outcome.kind === 'removed'
        if (isHeld) await places.directory.releaseForms(organizationId, keys.flat())
        return outcome
      }),
    setRetention: (settings, now, replaced) =>
      atPlace(organizationId, places, async (storage, place) => {
        const outcome = await storage.whole(organizationId).setRetention(settings, now, replaced)
        if (outcome.kind === 'set' && place.kind === 'own')
          await places.directory.noteWork(place.familyId, now)
        return outcome
      }),
  })
}
