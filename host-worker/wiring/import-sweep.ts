import { sweepImports } from '../../domain/imports/sweep-imports.ts'
import type { Env } from '../env/index.ts'
import { consoleLog, systemClock } from '../system.ts'
import { importTools, openImportWorld, posDestination } from './imports.ts'
import { createMeter, openStorage } from './storage.ts'
import { secretsOf } from './world.ts'

/** Goes on with imports that were interrupted, and removes what is left of others. */
export async function sweepImportsOf(env: Env): Promise<void> {
  const storage = openStorage(env, createMeter())
  const tools = importTools(() => secretsOf(env))
  await sweepImports({
    imports: storage.importDirectory,
    openImports: async (organizationId) => {
      const organization = await storage.administration.findOrganization(organizationId)
      if (organization === null) return null
      return openImportWorld(storage, organization, tools, () => posDestination(organization, env))
    },
    clock: systemClock,
    log: consoleLog,
  })
}
