import { posSourceKinds } from '../../domain/pos/index.ts'
import type { PosSourceTie } from '../../ports/organizations.ts'
import type { PosSource } from '../../ports/sources.ts'
import type { StoredRow, SourceFailure } from '../../ports/records.ts'
import { parseOne, parsePage } from './answers.ts'
import { askGateway, type GatewayOptions } from './client.ts'
import type { SourceKind } from './protocol.ts'
import { oneToStatement, pageToStatement } from './queries.ts'

export type { GatewayOptions } from './client.ts'
export type { SourceKind } from './protocol.ts'
export { isSourceKind, SOURCE_KINDS } from './protocol.ts'
export { SECRET_LENGTH_MIN } from './secret-length.ts'

/** The assignment of an organization to a source behind the gateway. */
export type OdbcTie = PosSourceTie & { readonly kind: SourceKind }

/** The point-of-sale sources that are reached over the ODBC gateway. */
export interface OdbcPosSources {
  /** Opens an organization's source. No I/O: one that is not configured or does not answer says so when it is read. */
  open(tie: OdbcTie): PosSource
}

/**
 * The sources behind an ODBC gateway. Each read is one signed request. Pages come in the order and by the filters that
 * the collections of `domain/pos` declare; any other query is `unavailable`. Rows have the selected fields of their
 * collection; their values are checked where they are published.
 */
export function createOdbcPosSources(options: GatewayOptions): OdbcPosSources {
  return { open: (tie) => openSource(options, tie) }
}

function openSource(options: GatewayOptions, { kind, tenant }: OdbcTie): PosSource {
  const source = { kind, tenant }
  return {
    capabilities: posSourceKinds[kind].capabilities,
    async page(query) {
      const translated = pageToStatement(query)
      if (translated.kind === 'unserved') return unavailable(translated.reason)
      const { collection, parameters } = translated
      const answer = await askGateway(options, { source, statement: `${collection}.page`, parameters })
      if (answer.kind === 'unavailable') return answer
      const page = parsePage(collection, answer.body, query.limit)
      if (page === null) return nonsense()
      return { kind: 'page', rows: page.rows.map((row) => selected(row, query.select)), next: page.next }
    },
    async one(query) {
      const translated = oneToStatement(query)
      if (translated.kind === 'unserved') return unavailable(translated.reason)
      const { collection, parameters } = translated
      const answer = await askGateway(options, { source, statement: `${collection}.one`, parameters })
      if (answer.kind === 'unavailable') return answer
      const found = parseOne(collection, answer.body)
      if (found === null) return nonsense()
      return { kind: 'row', row: found.row === null ? null : selected(found.row, query.select) }
    },
  }
}

function selected(row: StoredRow, select: readonly string[]): StoredRow {
  return Object.fromEntries(select.map((field) => [field, row[field] ?? null]))
}

function unavailable(reason: string): SourceFailure {
  return { kind: 'unavailable', reason }
}

function nonsense(): SourceFailure {
  return unavailable('The POS gateway answered something that is no row of this collection.')
}
