import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { isSourceKind } from '../../adapters/pos-odbc/index.ts'
import { gatewayEnvironment, localPosPaths, localSourceFile, makeLocalSource } from '../local/pos-sources.ts'
import { projectRoot } from '../local/project.ts'
import { createPrivateFile, readTextFile } from '../local/state.ts'
import { importIntoGateway } from '../operator/commands/import-into-gateway.ts'
import { demoOrganizations, ndjsonFile } from './demo/index.ts'

/**
 * Runs the local ODBC gateway, with the configuration that `prepareLocalGateway` made. Only its errors are shown. Resolves
 * when it has ended.
 */
export async function runLocalGateway(stateDirectory: string): Promise<void> {
  const main = join(projectRoot, 'adapters', 'pos-odbc', 'gateway', 'main.ts')
  const child = spawn(process.execPath, [main, '--config', localPosPaths(stateDirectory).config], {
    env: { ...process.env, ...gatewayEnvironment(stateDirectory) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  createInterface(child.stdout).on('line', (line) => {
    if (!line.includes('"level":"info"')) process.stdout.write(`${line}\n`)
  })
  await new Promise((resolve) => child.once('exit', resolve).once('error', resolve))
}

/**
 * Fills the embedded databases of the demo organizations whose point of sale is behind the gateway, once for a state:
 * the gateway only reads, so its rows do not come in through the service.
 */
export async function fillLocalGateway(stateDirectory: string): Promise<void> {
  for (const { organization, lines } of demoOrganizations) {
    const { kind, tenant } = organization.posSource ?? { kind: '', tenant: '' }
    if (!isSourceKind(kind)) continue
    const tie = { kind, tenant }
    makeLocalSource(stateDirectory, tie)
    const mark = `${localSourceFile(stateDirectory, tie) ?? ''}.${tenant}.demo`
    if (readTextFile(mark) !== null) continue
    for (const [importKind, rows] of lines)
      await importIntoGateway(
        { ...organization, posSource: tie },
        ndjsonFile(importKind, rows()),
        stateDirectory,
      )
    createPrivateFile(mark, () => 'The demo was imported.\n')
  }
}
