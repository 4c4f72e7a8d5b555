import { createNodeSqliteStorage } from '../../../adapters/node-sqlite/index.ts'
import { SECRET_LENGTH_MIN, type OdbcTie } from '../../../adapters/pos-odbc/index.ts'
import { runImport } from '../../../domain/imports/sessions.ts'
import type { ImportOutcome, Transfer } from '../../../domain/imports/file/transfer.ts'
import type { Organization } from '../../../ports/organizations.ts'
import { systemClock } from '../../system.ts'
import { toolsWithoutSecrets, openImportWorld } from '../../http/world.ts'
import { dirname, resolve } from 'node:path'
import { parseConfig, localFiles, type SourceConfig } from '../../../adapters/pos-odbc/gateway/config.ts'
import { openEmbeddedSource, type WritableRows } from '../../../adapters/pos-odbc/gateway/write.ts'
import { hasOwnDatabases } from '../../../adapters/pos-odbc/gateway/mappings.ts'
import { writtenPosRows } from '../../../domain/pos/index.ts'
import type { PosWriter } from '../../../ports/sources.ts'
import { localSourceFile, makeLocalSource } from '../../local/pos-sources.ts'
import { CommandError } from '../client/call-service.ts'
import { givenPath } from '../command.ts'

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
    const world = openImportWorld(storage, organization, toolsWithoutSecrets(), () => pos)
    return await runImport(transfer, world)
  } finally {
    storage.close()
    pos.close()
  }
}

/** A point of sale that is open for writing. */
interface OpenPosWriter {
  readonly writer: PosWriter
  close(): void
}

/**
 * Opens an embedded database of the ODBC gateway for writing. Throws a `CommandError` that says why the source takes no
 * imports.
 * @param stateDirectory the state directory of the local service; null: the service, and its gateway, are elsewhere
 */
export function openEmbeddedPos(tie: OdbcTie, stateDirectory: string | null): OpenPosWriter {
  const { kind, tenant } = tie
  const database = openEmbeddedSource(kind, embeddedFile(tie, stateDirectory))
  const writer: PosWriter = {
    upsert: async (collection, rows) => {
      if (!isWritable(collection)) throw new Error(`${collection} cannot be written to ${kind}`)
      return { changed: database.write(tenant, collection, rows) }
    },
  }
  return {
    writer,
    close: () => {
      database.close()
    },
  }
}

function isWritable(collection: string): collection is WritableRows {
  return Object.hasOwn(writtenPosRows, collection)
}

/**
 * The file of an embedded source, according to the given configuration of a gateway, or else that of the local gateway.
 */
function embeddedFile(tie: OdbcTie, stateDirectory: string | null): string {
  const configured = process.env.POS_GATEWAY_CONFIG ?? ''
  if (configured !== '') return fileIn(configured, tie)
  if (stateDirectory === null) {
    throw new CommandError(
      `The organization's point of sale ${tie.kind} is behind an ODBC gateway, of which nothing is known here. If it is ` +
        'an embedded database, run this where the gateway runs, with POS_GATEWAY_CONFIG naming its configuration.',
    )
  }
  makeLocalSource(stateDirectory, tie)
  return localSourceFile(stateDirectory, tie) ?? ''
}

function fileIn(configPath: string, tie: OdbcTie): string {
  const { place } = sourceIn(configPath, tie)
  if (place.driver === 'odbc') {
    throw new CommandError(
      `${tie.kind} ${tie.tenant} is a real data source (driver odbc): the system that owns it fills it. Imports go into ` +
        "the legacy vendor's database and into embedded databases (driver sqlite) only.",
    )
  }
  return 'file' in place ? place.file : resolve(place.directory, `${tie.tenant}.sqlite`)
}

/** Reads a source from a gateway's configuration. The gateway's secret is not needed, so a placeholder is used. */
function sourceIn(configPath: string, tie: OdbcTie): SourceConfig {
  const path = givenPath(configPath)
  const read = localFiles.readText(path)
  if (read.kind === 'unreadable') throw new CommandError(`POS_GATEWAY_CONFIG: ${path} ${read.problem}.`)
  const parsed = parseConfig({
    text: read.text,
    directory: dirname(path),
    environment: {
      ...process.env,
      POS_GATEWAY_SECRET: '-'.repeat(SECRET_LENGTH_MIN),
      POS_GATEWAY_SECRET_FILE: '',
    },
    ...localFiles,
    odbcProblem: () => null,
  })
  if (parsed.kind === 'problems') throw new CommandError(`${path}: ${parsed.problems.join('; ')}.`)
  const ofKind = parsed.config.sources.filter(({ kind }) => kind === tie.kind)
  const found =
    ofKind.find(({ name }) => !hasOwnDatabases(tie.kind) || name === tie.tenant) ??
    ofKind.find(({ place }) => 'directory' in place)
  if (found === undefined) throw new CommandError(`${path} has no source ${tie.kind} ${tie.tenant}.`)
  return found
}
