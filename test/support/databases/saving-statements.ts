import { createStorage, type Executor, type Statement } from '../../../adapters/sqlite/index.ts'
import type { Clock } from '../../../ports/platform.ts'
import type { SavedTenant } from '../../../adapters/conformance/index.ts'
import { createScratchStorage } from '../scratch/scratch-storage.ts'

/**
 * The statements that the ports run to save tenants. They can then be run in one call, because a call of the real
 * runtime costs as much as forty statements.
 */
export async function savingStatements(
  clock: Clock,
  tenants: readonly SavedTenant[],
): Promise<readonly Statement[]> {
  const { database: scratch } = createScratchStorage({ clock })
  const statements: Statement[] = []
  const executor: Executor = {
    batch: (given) => {
      statements.push(...given)
      return scratch.batch(given)
    },
  }
  const { administration } = createStorage({ executor, clock })
  for (const { organization, key } of tenants) {
    await administration.saveOrganization(organization)
    await administration.addKey(key)
  }
  return statements
}
