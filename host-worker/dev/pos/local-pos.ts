import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { openEmbeddedSource } from '../../../adapters/pos-odbc/gateway/embedded.ts'
import type { PosSourceTie } from '../../../ports/organization.ts'
import { createPrivateFile } from '../state.ts'

/** Where the local point-of-sale systems live below a state directory. */
export interface LocalPosPaths {
  /** The configuration of the local gateway; every start writes it anew. */
  readonly config: string
  /** The secret that the service and the gateway share, in `.env` form. */
  readonly secret: string
  readonly sharedFile: string
  /** Each `NAME.sqlite` in it is a data source of that name. */
  readonly secondFolder: string
}

export function localPosPaths(directory: string): LocalPosPaths {
  const folder = join(directory, 'pos')
  return {
    config: join(folder, 'gateway.json'),
    secret: join(folder, 'gateway.env'),
    sharedFile: join(folder, 'odbc-shared.sqlite'),
    secondFolder: join(folder, 'odbc-second'),
  }
}

/** The embedded database of a tie behind the local gateway; null for a kind that has none. */
export function localSourceFile(directory: string, { kind, tenant }: PosSourceTie): string | null {
  const { sharedFile, secondFolder } = localPosPaths(directory)
  const files = {
    legacy_vendor: null,
    odbc_shared: sharedFile,
    odbc_second: join(secondFolder, `${tenant}.sqlite`),
  }
  return files[kind]
}

/** Makes sure that the embedded database of a tie exists: the local gateway knows it from then on. */
export function makeLocalSource(directory: string, tie: PosSourceTie): void {
  const file = localSourceFile(directory, tie)
  if (tie.kind === 'legacy_vendor' || file === null) return
  mkdirSync(localPosPaths(directory).secondFolder, { recursive: true })
  openEmbeddedSource(tie.kind, file).close()
}

/** Prepares the local gateway: its databases, its secret and its configuration for this port. */
export function prepareLocalGateway(directory: string, port: number): void {
  const paths = localPosPaths(directory)
  mkdirSync(paths.secondFolder, { recursive: true })
  openEmbeddedSource('odbc_shared', paths.sharedFile).close()
  createPrivateFile(paths.secret, () => `POS_GATEWAY_SECRET=${randomBytes(32).toString('base64url')}\n`)
  const common = { driver: 'sqlite', currency: 'USD' }
  const config = {
    listen: { host: '127.0.0.1', port },
    sources: [
      { kind: 'odbc_shared', ...common, file: paths.sharedFile },
      { kind: 'odbc_second', ...common, directory: paths.secondFolder, timeZone: 'America/New_York' },
    ],
  }
  writeFileSync(paths.config, `${JSON.stringify(config, null, 2)}\n`)
}

/** The environment that tells the local gateway its secret. */
export function gatewayEnvironment(directory: string): Readonly<Record<string, string | undefined>> {
  return parseEnv(readFileSync(localPosPaths(directory).secret, 'utf8'))
}
