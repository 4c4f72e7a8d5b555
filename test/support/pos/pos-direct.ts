import { DIALECTS } from '../../../adapters/pos-odbc/gateway/statements.ts'
import { openSqlite } from '../../../adapters/pos-odbc/gateway/drivers.ts'
import { MAPPINGS } from '../../../adapters/pos-odbc/gateway/mappings.ts'
import { readOne, readPage, type ReadContext } from '../../../adapters/pos-odbc/gateway/sources.ts'
import { parseReadRequest } from '../../../adapters/pos-odbc/gateway/request.ts'
import { createOdbcPosSources, type OdbcTie } from '../../../adapters/pos-odbc/index.ts'
import type { PosSource } from '../../../ports/sources.ts'
import { gatewayOptions } from './pos-gateway.ts'

/**
 * A source on an embedded database, with all code of the Worker and of the gateway for queries and rows, but without
 * HTTP, signatures and processes in between. For large numbers of queries.
 */
export function openDirectly(tie: OdbcTie, file: string, settings: ReadContext['settings']): PosSource {
  const dialect = DIALECTS.sqlite
  const connection = openSqlite({ driver: 'sqlite', file, session: dialect.session(0) })
  const context: ReadContext = {
    scope: { source: MAPPINGS[tie.kind], dialect, tenant: tie.tenant },
    settings,
    listRowsMax: 50_000,
    run: (statement) => connection.query(statement),
  }
  const fetch = async (_url: string, { body }: RequestInit) => {
    const request = parseReadRequest(body as string)
    return Response.json(
      request.kind === 'page'
        ? await readPage(context, request.collection, request.parameters)
        : await readOne(context, request.collection, request.parameters.id),
    )
  }
  const sources = createOdbcPosSources(gatewayOptions('http://gateway.example', { fetch }))
  return sources.open(tie)
}
