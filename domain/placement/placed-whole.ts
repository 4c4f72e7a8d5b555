import type { WholeStore } from '../../ports/whole/whole-store.ts'
import type { AllPlaces } from './at-place.ts'
import { atPlace } from './at-place.ts'

/** Everything that is stored of one organization, wherever it lives. */
export function placedWhole(places: AllPlaces, organizationId: string): WholeStore {
  const at = <Result>(work: (whole: WholeStore) => Promise<Result>) =>
    atPlace(organizationId, places, (storage) => work(storage.whole(organizationId)))
  return {
    removeRows: (collection, keys) =>
      atPlace(organizationId, places, async (storage, place) => {
        const outcome = await storage.whole(organizationId).removeRows(collection, keys)
        const isHeld = collection === 'forms' && place.kind === 'own' && outcome.kind === 'removed'
        // The ids of forms are unique in the whole service, so the directory holds them.
        if (isHeld) await places.directory.releaseForms(organizationId, keys.flat())
        return outcome
      }),
    findPerson: (named) => at((whole) => whole.findPerson(named)),
    openImport: () => at((whole) => whole.openImport()),
    eraseSome: (person, position) => at((whole) => whole.eraseSome(person, position)),
    beginDeletion: (now) => at((whole) => whole.beginDeletion(now)),
    deleteSome: () => at((whole) => whole.deleteSome()),
    retention: () => at((whole) => whole.retention()),
    setRetention: (settings, now) =>
      atPlace(organizationId, places, async (storage, place) => {
        const isSet = await storage.whole(organizationId).setRetention(settings, now)
        if (isSet && place.kind === 'own') await places.directory.noteWork(place.familyId, now)
        return isSet
      }),
    tables: () => at((whole) => whole.tables()),
    table: (name) => at((whole) => whole.table(name)),
    read: (table, after) => at((whole) => whole.read(table, after)),
    restoration: () => at((whole) => whole.restoration()),
    begin: (restoration, slug) => at((whole) => whole.begin(restoration, slug)),
    write: (part) => at((whole) => whole.write(part)),
    open: (opening) => at((whole) => whole.open(opening)),
  }
}
