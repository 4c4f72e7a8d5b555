import { createExecutor } from '../../../adapters/d1/executor.ts'
import { openLegacyVendorWriter } from '../../../adapters/pos-legacy-vendor/index.ts'
import type { PosDestination } from '../../../domain/imports/world.ts'
import type { Organization } from '../../../ports/organizations.ts'
import type { Env } from '../../env/index.ts'
import { systemClock } from '../../system.ts'

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
    : {
        writer: openLegacyVendorWriter(
          createExecutor({ database: posLegacy, clock: systemClock }),
          posSource.tenant,
        ),
      }
}
