import type { StoredRow, TenantWriter } from '../../../ports/records.ts'
import { relayed } from '../../../ports/relayed.ts'
import { forms } from '../../resources/forms.ts'
import { atPlace, toPlace, type LoggedPlaces } from '../find/at-place.ts'
import { placedSubmissions } from './placed-requests.ts'
import { formsOfOthers, reserveForms } from './reserve-forms.ts'

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
    change: (collection, changes) =>
      written(
        collection,
        changes.map(({ row }) => row),
        (tenant) => tenant.change(collection, changes),
      ),
    // No database has the forms of all places, but the directory has their ids.
    foreignIds: (collection, ids) =>
      collection === forms.collection
        ? formsOfOthers(ids, organizationId, places)
        : relay((tenant) => tenant.foreignIds(collection, ids)),
  })
}
