import { createNodeSqliteStorage } from '../../../../adapters/node-sqlite/index.ts'
import type { OdbcTie } from '../../../../adapters/pos-odbc/index.ts'
import { runImport } from '../../../../domain/imports/sessions.ts'
import type { ImportOutcome, Transfer } from '../../../../domain/imports/file/transfer.ts'
import type { Organization } from '../../../../ports/organizations.ts'
import { systemClock } from '../../../system.ts'
import { importTools, openImportWorld } from '../../../http/imports.ts'
import { openEmbeddedPos } from './embedded-pos.ts'

/**
 * Imports a file into an embedded database of the ODBC gateway. The gateway only reads its databases and has no
 * interface for writing, so this must run on the gateway's machine. The rules are those of an import into the service,
 * and the state of the import is kept in memory.
 */
export async function importIntoGateway(
  organization: Organization & { readonly posSource: OdbcTie },
  transfer: Omit<Transfer, 'target'>,
  stateDirectory: string | null,
): Promise<ImportOutcome> {
  const pos = openEmbeddedPos(organization.posSource, stateDirectory)
  const storage = createNodeSqliteStorage({ path: ':memory:', clock: systemClock })
  try {
    const world = openImportWorld(storage, organization, importTools(noSecrets), () => pos)
    return await runImport(transfer, world)
  } finally {
    storage.close()
    pos.close()
  }
}

async function noSecrets(): Promise<never> {
  throw new Error('A point of sale needs no secret')
}
