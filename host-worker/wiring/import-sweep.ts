import { sweepImports } from '../../domain/imports/sweep-imports.ts'
import type { PlacedStorage } from '../../domain/placement/placed-storage.ts'
import type { ImportDirectory } from '../../ports/records/import-sessions.ts'
import type { Env } from '../env/index.ts'
import { importTools, openImportWorld } from '../http/imports.ts'
import { consoleLog, systemClock } from '../system.ts'
import { posDestination } from './pos/pos-destination.ts'
import { secretsOf } from './world.ts'

/**
 * Continues imports that were interrupted, and removes what others have left behind.
 * @param imports the imports of one database
 */
export async function sweepImportsOf(
  env: Env,
  storage: PlacedStorage,
  imports: ImportDirectory,
): Promise<void> {
  const tools = importTools(() => secretsOf(env))
  await sweepImports({
    imports,
    openImports: async (organizationId) => {
      const organization = await storage.administration.findOrganization(organizationId)
      if (organization === null) return null
      return openImportWorld(storage, organization, tools, () => posDestination(organization, env))
    },
    clock: systemClock,
    log: consoleLog,
  })
}
