import { join } from 'node:path'
import { projectRoot } from '../local/root.ts'
import type { Supervised } from './supervised-process.ts'
import { startSupervised } from './supervised-process.ts'
import { gatewayEnvironment, localPosPaths } from '../local/pos-sources.ts'

/** Starts the local ODBC gateway, with the configuration that `prepareLocalGateway` made. Only its errors are shown. */
export function startLocalGateway(stateDirectory: string): Supervised {
  const main = join(projectRoot, 'adapters', 'pos-odbc', 'gateway', 'main.ts')
  return startSupervised(
    [main, '--config', localPosPaths(stateDirectory).config],
    gatewayEnvironment(stateDirectory),
    (line) => !line.includes('"level":"info"'),
  )
}
