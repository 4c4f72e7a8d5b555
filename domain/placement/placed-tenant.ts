import type { TenantWriter } from '../../ports/records/tenant-writer.ts'
import type { LoggedPlaces } from './at-place.ts'
import { atPlace } from './at-place.ts'
import { placedSubmissions } from './placed-requests.ts'
import { formsOfOthers, reserveForms } from './reserve-forms.ts'

/** The collection whose ids are unique in the whole service. */
const FORMS = 'forms'

/** Opens one organization for writing, wherever it lives. */
export function placedTenant(places: LoggedPlaces, organizationId: string): TenantWriter {
  const at = <Result>(work: (tenant: TenantWriter) => Promise<Result>) =>
    atPlace(organizationId, places, (storage) => work(storage.tenant(organizationId)))
  return {
    ...placedSubmissions(places, organizationId),
    upsert: (collection, rows) =>
      atPlace(organizationId, places, async (storage, place) => {
        const tenant = storage.tenant(organizationId)
        if (collection !== FORMS || place.kind === 'shared') return tenant.upsert(collection, rows)
        const formIds = rows.map(({ formId }) => String(formId))
        if (!(await reserveForms(formIds, organizationId, places)))
          throw new Error('A form id belongs to another organization')
        const upserted = await tenant.upsert(collection, rows)
        await places.directory.settleForms(organizationId, formIds)
        return upserted
      }),
    // No database has the forms of all places, but the directory has their ids.
    foreignIds: (collection, ids) =>
      collection === FORMS
        ? formsOfOthers(ids, organizationId, places)
        : at((tenant) => tenant.foreignIds(collection, ids)),
    findMany: (collection, select, keys, by) => at((tenant) => tenant.findMany(collection, select, keys, by)),
    findPage: (query) => at((tenant) => tenant.findPage(query)),
  }
}
