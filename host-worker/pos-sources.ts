import type { Meter } from '../adapters/d1/index.ts'
import { createExecutor } from '../adapters/d1/index.ts'
import { openLegacyVendor } from '../adapters/pos-legacy-vendor/index.ts'
import type { OdbcTie } from '../adapters/pos-odbc/index.ts'
import { createOdbcPosSources } from '../adapters/pos-odbc/index.ts'
import { posCapabilities } from '../domain/pos/index.ts'
import type { PosSourceTie } from '../ports/organization.ts'
import type { PosSource, PosSources } from '../ports/pos-source.ts'
import type { SourceFailure } from '../ports/record-source.ts'
import type { PosGatewaySettings, PosSettings } from './env-pos.ts'
import { systemClock, systemDeadline, systemFetch, systemRandom } from './system.ts'

/** Picks the adapter of each kind of point of sale. One that is not configured says so when it is read. */
export function openPosSources({ posGateway, posLegacy }: PosSettings, meter: Meter): PosSources {
  const system = { clock: systemClock, deadline: systemDeadline }
  const open: { readonly [Kind in PosSourceTie['kind']]: (tie: PosSourceTie) => PosSource } = {
    legacy_vendor: ({ kind, tenant }) =>
      posLegacy === null
        ? unconfigured(kind, 'the binding POS_LEGACY')
        : openLegacyVendor(
            { ...system, database: createExecutor({ ...system, database: posLegacy, meter }) },
            tenant,
          ),
    odbc_shared: (tie) => openOdbc(posGateway, tie as OdbcTie),
    odbc_second: (tie) => openOdbc(posGateway, tie as OdbcTie),
  }
  return { open: (tie) => open[tie.kind](tie) }
}

function openOdbc(gateway: PosGatewaySettings | null, tie: OdbcTie): PosSource {
  if (gateway === null) return unconfigured(tie.kind, 'POS_GATEWAY_URL and POS_GATEWAY_SECRET')
  const { url, secret, service } = gateway
  const system = { clock: systemClock, deadline: systemDeadline, random: systemRandom }
  const fetch = service === null ? systemFetch : service.fetch.bind(service)
  return createOdbcPosSources({ url, secret, fetch, ...system }).open(tie)
}

function unconfigured(kind: PosSourceTie['kind'], missing: string): PosSource {
  const failure: SourceFailure = {
    kind: 'unavailable',
    reason: `the organization is tied to ${kind}, for which ${missing} must be configured`,
  }
  return { capabilities: posCapabilities[kind], page: async () => failure, one: async () => failure }
}
