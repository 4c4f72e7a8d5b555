import { createExecutor } from '../../../adapters/d1/executor.ts'
import type { SourceKind } from '../../../adapters/pos-odbc/index.ts'
import { posSourceKinds } from '../../../domain/pos/index.ts'
import type { Meter } from '../../../ports/platform.ts'
import type { PosKind } from '../../../ports/organizations.ts'
import type { PosSource, PosSources } from '../../../ports/sources.ts'
import type { SourceFailure } from '../../../ports/records.ts'
import type { PosGatewaySettings, PosSettings } from '../../env/pos.ts'
import { systemClock, systemDeadline, systemFetch, systemRandom } from '../../system.ts'
import { askLoaded } from '../ask-loaded.ts'

/**
 * Chooses the adapter for each kind of point of sale. A source that is not configured is reported as `unavailable` when
 * it is read.
 */
export function openPosSources({ posGateway, posLegacy }: PosSettings, meter: Meter): PosSources {
  const open: Readonly<Record<PosKind, (tenant: string) => PosSource>> = {
    legacy_vendor: (tenant) =>
      posLegacy === null
        ? unconfigured('legacy_vendor', 'the binding POS_LEGACY')
        : loadedSource('legacy_vendor', async () => {
            const { openLegacyVendor } = await import('./outside-sources.ts')
            return openLegacyVendor(
              {
                database: createExecutor({ database: posLegacy, clock: systemClock, meter }),
                deadline: systemDeadline,
              },
              tenant,
            )
          }),
    odbc_shared: (tenant) => openOdbc(posGateway, 'odbc_shared', tenant),
    odbc_second: (tenant) => openOdbc(posGateway, 'odbc_second', tenant),
  }
  return { open: ({ kind, tenant }) => open[kind](tenant) }
}

function openOdbc(gateway: PosGatewaySettings | null, kind: SourceKind, tenant: string): PosSource {
  if (gateway === null) return unconfigured(kind, 'POS_GATEWAY_URL and POS_GATEWAY_SECRET')
  const { url, secret, service } = gateway
  const system = { clock: systemClock, deadline: systemDeadline, random: systemRandom }
  const fetch = service === null ? systemFetch : service.fetch.bind(service)
  return loadedSource(kind, async () => {
    const { createOdbcPosSources } = await import('./outside-sources.ts')
    return createOdbcPosSources({ url, secret, fetch, ...system }).open({ kind, tenant })
  })
}

/** A source whose adapter is loaded when it is read: most organizations have none. */
function loadedSource(kind: PosKind, open: () => Promise<PosSource>): PosSource {
  return {
    capabilities: posSourceKinds[kind].capabilities,
    page: (query) => askLoaded(open, (source) => source.page(query)),
    one: (query) => askLoaded(open, (source) => source.one(query)),
  }
}

function unconfigured(kind: PosKind, missing: string): PosSource {
  const failure: SourceFailure = {
    kind: 'unavailable',
    reason: `the organization is tied to ${kind}, for which ${missing} must be configured`,
  }
  return {
    capabilities: posSourceKinds[kind].capabilities,
    page: async () => failure,
    one: async () => failure,
  }
}
