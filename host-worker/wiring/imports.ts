import type { ImportTools } from '../../domain/imports/kinds.ts'
import type { ImportWorld, PosDestination } from '../../domain/imports/world.ts'
import type { Organization } from '../../ports/organization.ts'
import { systemClock, systemRandom } from '../system.ts'
import type { SqliteStorage } from './storage.ts'

/** What an import may need of a storage. */
export type ImportStorage = Pick<SqliteStorage, 'imports' | 'tenant'>

/** The ports for the imports of one organization. No I/O. */
export function openImportWorld(
  storage: ImportStorage,
  organization: Organization,
  tools: ImportTools,
  pos: () => PosDestination,
): ImportWorld {
  const { organizationId } = organization
  return {
    organization,
    sessions: storage.imports(organizationId),
    lookup: storage.tenant(organizationId),
    tools,
    clock: systemClock,
    random: systemRandom,
    pos,
  }
}
