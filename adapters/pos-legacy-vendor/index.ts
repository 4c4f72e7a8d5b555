import { TimedOut, within } from '../../domain/bounds/within.ts'
import { cutPage } from '../../domain/read/cut-page.ts'
import { rowsOf as rowsOfLines } from '../../domain/read/query-result.ts'
import { posCapabilities } from '../../domain/pos/index.ts'
import type { Deadline } from '../../ports/deadline.ts'
import type { PosSource } from '../../ports/pos-source.ts'
import type { PageQuery, StoredRow } from '../../ports/query.ts'
import type { SourceFailure } from '../../ports/record-source.ts'
import type { Executor } from '../sqlite/index.ts'
import type { PageResult } from '../sqlite/read/read-page.ts'
import { readPage } from '../sqlite/read/read-page.ts'
import { pageStatements, rowsStatements } from '../sqlite/read/rows-statements.ts'
import { rowsOf } from '../sqlite/statement/executor.ts'
import { decodeRows } from '../sqlite/table/decode.ts'
import { tableOf, vendorTables } from './tables.ts'

export type { Executor } from '../sqlite/index.ts'
export { openLegacyVendorWriter } from './write.ts'

/** How long a caller waits for the vendor's database: longer than any page takes, and shorter than a caller waits. */
const ANSWER_TIMEOUT_MS = 10_000

export interface LegacyVendorOptions {
  /** Runs statements on the vendor's database, which has every migration of `adapters/pos-legacy-vendor/migrations`. */
  readonly database: Executor
  readonly deadline: Deadline
}

const statementOf = rowsStatements(vendorTables)
const pageStatementsOf = pageStatements(vendorTables)

/**
 * Opens one tenant of the legacy vendor, whose database all its tenants share. No I/O. Every statement asks for rows
 * of this tenant alone, and a row is one statement in one round trip, events included. So is a page, unless it is so large
 * that it ends early.
 */
export function openLegacyVendor({ database, deadline }: LegacyVendorOptions, tenant: string): PosSource {
  const inTime = async <Value extends object>(work: Promise<Value>): Promise<Value | SourceFailure> => {
    try {
      return await within(deadline, ANSWER_TIMEOUT_MS, work)
    } catch (cause) {
      const reason = cause instanceof TimedOut ? 'did not answer in time' : 'failed'
      return { kind: 'unavailable', reason: `the legacy vendor database ${reason}`, cause }
    }
  }
  // Statements are made and rows decoded outside of what is watched: what fails there is a fault of this service.
  return {
    capabilities: posCapabilities.legacy_vendor,
    async page(query) {
      const statements = pageStatementsOf(tenant, { ...query, limit: query.limit + 1 })
      const found = await inTime(readPage(database, statements))
      if (found.kind === 'unavailable') return found
      const isCutShort = found.kind === 'columns' && found.isCutShort
      return { kind: 'page', ...cutPage(decodedPage(query, found), query, isCutShort) }
    },
    async one(query) {
      const statement = statementOf(tenant, query)
      const found = await inTime(rowsOf(database, statement))
      if ('kind' in found) return found
      const [row = null] = decodeRows(tableOf(query.collection), query.select, found)
      return { kind: 'row', row }
    },
  }
}

function decodedPage({ collection, select }: PageQuery, found: PageResult): readonly StoredRow[] {
  return found.kind === 'lines' ? rowsOfLines(found) : decodeRows(tableOf(collection), select, found.rows)
}
