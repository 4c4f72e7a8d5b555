import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseEnv } from 'node:util'
import { hasOwnDatabases } from '../../adapters/pos-odbc/gateway/mappings.ts'
import { openEmbeddedSource } from '../../adapters/pos-odbc/gateway/write.ts'
import { isSourceKind, SOURCE_KINDS, type SourceKind } from '../../adapters/pos-odbc/index.ts'
import type { PosSourceTie } from '../../ports/organizations.ts'
import { createPrivateFile } from './state.ts'

/** The folder of the local point-of-sale systems below a state directory. */
export interface LocalPosPaths {
  /** The configuration of the local gateway, which every start writes again. */
  readonly config: string
  /** The secret that the service and the gateway share, in `.env` form. */
  readonly secret: string
  /** The database file of a kind with one database for all its organizations. */
  readonly fileOf: (kind: SourceKind) => string
  /** The folder of a kind with a database for each organization: each `NAME.sqlite` in it is the data source NAME. */
  readonly folderOf: (kind: SourceKind) => string
}

export function localPosPaths(directory: string): LocalPosPaths {
  const folder = join(directory, 'pos')
  return {
    config: join(folder, 'gateway.json'),
    secret: join(folder, 'gateway.env'),
    fileOf: (kind) => join(folder, `${kind.replaceAll('_', '-')}.sqlite`),
    folderOf: (kind) => join(folder, kind.replaceAll('_', '-')),
  }
}

/** The embedded database of an organization's source, which the local gateway serves; null for a kind without one. */
export function localSourceFile(directory: string, { kind, tenant }: PosSourceTie): string | null {
  if (!isSourceKind(kind)) return null
  const { fileOf, folderOf } = localPosPaths(directory)
  return hasOwnDatabases(kind) ? join(folderOf(kind), `${tenant}.sqlite`) : fileOf(kind)
}

/**
 * Creates the embedded database of an organization's source if it is missing. The local gateway serves it from then on.
 */
export function makeLocalSource(directory: string, tie: PosSourceTie): void {
  const file = localSourceFile(directory, tie)
  if (!isSourceKind(tie.kind) || file === null) return
  mkdirSync(dirname(file), { recursive: true })
  openEmbeddedSource(tie.kind, file).close()
}

/** Prepares the local gateway: its databases, its secret and its configuration for this port. */
export function prepareLocalGateway(directory: string, port: number): void {
  const paths = localPosPaths(directory)
  const sources = SOURCE_KINDS.map((kind) => localSource(paths, kind))
  createPrivateFile(paths.secret, () => `POS_GATEWAY_SECRET=${randomBytes(32).toString('base64url')}\n`)
  const config = { listen: { host: '127.0.0.1', port, localOnly: true }, sources }
  writeFileSync(paths.config, `${JSON.stringify(config, null, 2)}\n`)
}

/** Creates the file or folder for a kind's databases, and returns its part of the gateway's configuration. */
function localSource({ fileOf, folderOf }: LocalPosPaths, kind: SourceKind): object {
  const common = { kind, driver: 'sqlite', currency: 'USD' }
  if (hasOwnDatabases(kind)) {
    mkdirSync(folderOf(kind), { recursive: true })
    return { ...common, directory: folderOf(kind), timeZone: 'America/New_York' }
  }
  const file = fileOf(kind)
  mkdirSync(dirname(file), { recursive: true })
  openEmbeddedSource(kind, file).close()
  return { ...common, file }
}

/** The environment that passes the secret to the local gateway. */
export function gatewayEnvironment(directory: string): Readonly<Record<string, string | undefined>> {
  return parseEnv(readFileSync(localPosPaths(directory).secret, 'utf8'))
}
