import { TimedOut, within } from '../../domain/bounds/within.ts'
import { cutPage } from '../../domain/paging/cut-page.ts'
import { posCapabilities } from '../../domain/pos/index.ts'
import type { Deadline } from '../../ports/deadline.ts'
import type { PosSource } from '../../ports/pos-source.ts'
import type { SourceFailure } from '../../ports/record-source.ts'
import type { Batch, Statement, StatementResult } from './batch.ts'
import { decodeRows, oneStatement, pageStatement } from './read.ts'

export type { Batch, Statement, StatementResult } from './batch.ts'
export { openLegacyVendorWriter } from './write.ts'

/** How long a caller waits for the vendor's database: longer than any page takes, shorter than callers are patient. */
const ANSWER_TIMEOUT_MS = 10_000

export interface LegacyVendorOptions {
  /** The vendor's database, with every migration of `adapters/pos-legacy-vendor/migrations` applied. */
  readonly database: Batch
  readonly deadline: Deadline
}

/**
 * Opens one tenant of the legacy vendor, whose database all its tenants share. No I/O. Every statement asks for rows
 * of this tenant alone, and a page or a row is one statement in one round trip, events included.
 */
export function openLegacyVendor({ database, deadline }: LegacyVendorOptions, tenant: string): PosSource {
  const run = async (statement: Statement): Promise<StatementResult | SourceFailure> => {
    try {
      const [answer] = await within(deadline, ANSWER_TIMEOUT_MS, database.batch([statement]))
      return answer ?? unavailable('the legacy vendor database answered nothing')
    } catch (error) {
      const reason = error instanceof TimedOut ? 'did not answer in time' : 'failed'
      return unavailable(`the legacy vendor database ${reason}`)
    }
  }
  return {
    capabilities: posCapabilities.legacy_vendor,
    async page(query) {
      const answer = await run(pageStatement(tenant, { ...query, limit: query.limit + 1 }))
      if ('kind' in answer) return answer
      return { kind: 'page', ...cutPage(decodeRows(query.collection, query.select, answer), query) }
    },
    async one(query) {
      const answer = await run(oneStatement(tenant, query))
      if ('kind' in answer) return answer
      return { kind: 'row', row: decodeRows(query.collection, query.select, answer)[0] ?? null }
    },
  }
}

function unavailable(reason: string): SourceFailure {
  return { kind: 'unavailable', reason }
}
