import type { Secrets } from '../../domain/access/secrets.ts'
import { hashFormPassword, verifyFormPassword } from '../../domain/forms/password.ts'
import type { ImportTools } from '../../domain/imports/kinds.ts'
import type { ImportWorld } from '../../domain/imports/world.ts'
import type { OperatorWorld } from '../../domain/operators/world.ts'
import type { Organization } from '../../ports/organizations.ts'
import type { Clock, RandomSource } from '../../ports/platform.ts'
import type { Storage } from '../../ports/storage.ts'
import { systemClock, systemRandom } from '../system.ts'

/** The ports for the imports of one organization. No I/O. */
export function openImportWorld(
  storage: Pick<Storage, 'imports' | 'tenant'>,
  organization: Organization,
  tools: ImportTools,
  pos: ImportWorld['pos'],
  random: RandomSource = systemRandom,
): ImportWorld {
  const { organizationId } = organization
  return {
    organization,
    sessions: storage.imports(organizationId),
    lookup: storage.tenant(organizationId),
    tools,
    clock: tools.clock,
    random,
    pos,
  }
}

/** What import kinds need where no secret is at hand: to read the columns of a file, and for points of sale. */
export function toolsWithoutSecrets(): ImportTools {
  return importTools(async () => {
    throw new Error('There is no root secret here')
  })
}

/**
 * What import kinds need besides the lines: the root secret, which is only opened when a password or an id needs it.
 */
export function importTools(
  secrets: () => Promise<Secrets>,
  clock: Clock = systemClock,
  random: RandomSource = systemRandom,
): ImportTools {
  return {
    passwords: {
      hash: async (password) => hashFormPassword(password, await secrets(), random),
      verify: async (password, stored) => (await verifyFormPassword(password, stored, await secrets())).ok,
    },
    clock,
    secrets,
  }
}

/** Opens the imports of organizations by their ids; null for one that no longer exists. */
export function importsOf({
  administration,
  imports,
}: Pick<OperatorWorld, 'administration' | 'imports'>): (
  organizationId: string,
) => Promise<ImportWorld | null> {
  return async (organizationId) => {
    const organization = await administration.findOrganization(organizationId)
    return organization === null ? null : imports(organization)
  }
}
