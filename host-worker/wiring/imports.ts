import { openLegacyVendorWriter } from '../../adapters/pos-legacy-vendor/index.ts'
import type { Secrets } from '../../domain/access/secrets.ts'
import { hashFormPassword, verifyFormPassword } from '../../domain/forms/submit/password.ts'
import type { ImportTools } from '../../domain/imports/kinds.ts'
import type { ImportWorld, PosDestination } from '../../domain/imports/world.ts'
import type { Organization } from '../../ports/organizations/organization.ts'
import type { Storage } from '../../ports/storage.ts'
import type { Env } from '../env/index.ts'
import { systemClock, systemRandom } from '../system.ts'
import { openPosLegacy } from './storage.ts'

/** The parts of a storage that an import may need. */
export type ImportStorage = Pick<Storage, 'imports' | 'tenant'>

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

/**
 * What import kinds need besides the lines: the root secret, which is only opened when a password or an id needs it.
 */
export function importTools(secrets: () => Promise<Secrets>): ImportTools {
  return {
    passwords: {
      hash: async (password) => hashFormPassword(password, await secrets(), systemRandom),
      verify: async (password, stored) => (await verifyFormPassword(password, stored, await secrets())).ok,
    },
    clock: systemClock,
    secrets,
  }
}

/** The destination of rows for an organization's point of sale, as far as the service itself can reach it. */
export function posDestination(
  { organizationId, posSource }: Organization,
  { posLegacy }: Pick<Env, 'posLegacy'>,
): PosDestination {
  if (posSource === null) {
    return {
      refusal: `The organization ${organizationId} has no point of sale. Tie it to one with "org create --id ${organizationId} --pos-source KIND:TENANT".`,
    }
  }
  if (posSource.kind !== 'legacy_vendor') {
    return {
      refusal: `The point of sale of ${organizationId}, ${posSource.kind} ${posSource.tenant}, is behind an ODBC gateway, through which nothing is written: the system that owns it fills it.`,
    }
  }
  return posLegacy === null
    ? { refusal: 'The service has no binding POS_LEGACY, which the point of sale of this kind needs.' }
    : { writer: openLegacyVendorWriter(openPosLegacy(posLegacy), posSource.tenant) }
}
