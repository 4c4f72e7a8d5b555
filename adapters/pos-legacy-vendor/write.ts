import { writtenPosResources } from '../../domain/pos/index.ts'
import type { PosWriter } from '../../ports/sources.ts'
import type { Executor } from '../sqlite/index.ts'
import { upsertRows } from '../sqlite/write/upsert.ts'
import { vendorTableOf } from './tables.ts'

/** Opens a tenant of the vendor for writing. An upsert is one batch, whatever its size: callers bound it. */
export function openLegacyVendorWriter(database: Executor, tenant: string): PosWriter {
  return {
    async upsert(collection, rows) {
      if (!writtenPosResources.some((resource) => resource.collection === collection))
        throw new Error(`${collection} cannot be written to the legacy vendor`)
      if (rows.length === 0) return { changed: 0 }
      const results = await database.batch(upsertRows(vendorTableOf(collection), tenant, rows))
      return { changed: results.reduce((sum, { rows: changed }) => sum + changed.length, 0) }
    },
  }
}
