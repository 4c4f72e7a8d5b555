import type { WholeStore } from '../../ports/whole/whole-store.ts'
import type { AllPlaces } from './at-place.ts'
import { atPlace } from './at-place.ts'

/** Everything that is stored of one organization, wherever it lives. */
export function placedWhole(places: AllPlaces, organizationId: string): WholeStore {
  const at = <Result>(work: (whole: WholeStore) => Promise<Result>) =>
    atPlace(organizationId, places, (storage) => work(storage.whole(organizationId)))
  return {
    tables: () => at((whole) => whole.tables()),
    read: (table, after) => at((whole) => whole.read(table, after)),
    restoration: () => at((whole) => whole.restoration()),
    begin: (restoration, slug) => at((whole) => whole.begin(restoration, slug)),
    write: (part) => at((whole) => whole.write(part)),
    open: (opening) => at((whole) => whole.open(opening)),
  }
}
