import { TimedOut, within } from '../../domain/limits/waiting.ts'
import { posSourceKinds, writtenPosResources } from '../../domain/pos/index.ts'
import { cutPage, storedRowsOf } from '../../domain/read/page.ts'
import type { Deadline } from '../../ports/platform.ts'
import type { PageQuery, StoredRow, SourceFailure } from '../../ports/records.ts'
import type { PosSource, PosWriter } from '../../ports/sources.ts'
import type { Executor } from '../sqlite/index.ts'
import { readBoundedPage, pageStatements, rowsStatements, type PageResult } from '../sqlite/read/pages.ts'
import { rowsOf } from '../sqlite/statement/executor.ts'
import { decodeRows } from '../sqlite/tables.ts'
import { upsertRows } from '../sqlite/write/tenant-writer.ts'
import { vendorTableOf, vendorTables } from './tables.ts'

export type { Executor } from '../sqlite/index.ts'

/**
 * How long to wait for the vendor's database: longer than any page takes, and shorter than a caller of the API waits.
 */
const ANSWER_TIMEOUT_MS = 10_000

interface LegacyVendorOptions {
  /** Runs statements on the vendor's database, which has every migration of `adapters/pos-legacy-vendor/migrations`. */
  readonly database: Executor
  readonly deadline: Deadline
}

const statementOf = rowsStatements(vendorTables)
const pageStatementsOf = pageStatements(vendorTables)

/**
 * Opens one tenant of the legacy vendor, whose tenants share one database. No I/O. Every statement selects rows of this
 * tenant only. A row, its events included, is one statement in one round trip. So is a page, unless it is so large that
 * it ends early.
 */
export function openLegacyVendor({ database, deadline }: LegacyVendorOptions, tenant: string): PosSource {
  /** A mistake of this program is answered as a failure of the database too; the log tells them apart by the cause. */
  const watched = async <Answer>(work: () => Promise<Answer>): Promise<Answer | SourceFailure> => {
    try {
      return await within(deadline, ANSWER_TIMEOUT_MS, work())
    } catch (cause) {
      const reason = cause instanceof TimedOut ? 'did not answer in time' : 'failed'
      return { kind: 'unavailable', reason: `the legacy vendor database ${reason}`, cause }
    }
  }
  return {
    capabilities: posSourceKinds.legacy_vendor.capabilities,
    page: (query) =>
      watched(async () => {
        const { looksAtMax: _, ...asked } = query
        const statements = pageStatementsOf(tenant, { ...asked, limit: query.limit + 1 })
        const found = await readBoundedPage(database, statements)
        return { kind: 'page', ...cutPage(decodedPage(query, found), query, found.stoppedAt) }
      }),
    one: (query) =>
      watched(async () => {
        const rows = await rowsOf(database, statementOf(tenant, query))
        const [row = null] = decodeRows(vendorTableOf(query.collection), query.select, rows)
        return { kind: 'row', row }
      }),
  }
}

function decodedPage({ collection, select }: PageQuery, found: PageResult): readonly StoredRow[] {
  return found.kind === 'lines'
    ? storedRowsOf(found)
    : decodeRows(vendorTableOf(collection), select, found.rows)
}

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
