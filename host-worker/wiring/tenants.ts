import { createKeyUpkeep } from '../../adapters/sqlite/access/key-upkeep.ts'
import { createKeyedStorage } from '../../adapters/sqlite/access/keyed-storage.ts'
import { guardOf, type StorageOptions } from '../../adapters/sqlite/storage-options.ts'
import { createRateLimiter } from '../../domain/access/rate-limiter.ts'
import { placedKeyed, placedKeyUpkeep } from '../../domain/placement/storage/placed-requests.ts'
import { relayed } from '../../domain/relay/relayed.ts'
import { tenantApi } from '../../domain/tenant-api.ts'
import type { TenantWorld } from '../../domain/world.ts'
import type { Background } from '../../ports/platform.ts'
import { createFetchHandler } from '../http/fetch-handler.ts'
import { systemClock, systemPorts } from '../system.ts'
import { askLoaded } from './ask-loaded.ts'
import { backgroundOf, secretsOf, type Opening, type Serve } from './opening.ts'
import { openPlaces } from './places.ts'
import { openPosSources } from './pos/pos-sources.ts'
import { emailOf, exitSurveyOf, linksOf, smsOf } from './providers.ts'

/** Kept for the lifetime of the isolate. */
const rateLimiter = createRateLimiter(systemClock)

const keyPorts = (options: StorageOptions) => ({
  keyed: createKeyedStorage(options),
  keyUpkeep: createKeyUpkeep(guardOf(options)),
})

/** Assembles the ports for one request with a key. */
export async function openTenantWorld(opening: Opening): Promise<TenantWorld> {
  const { env, lifetime, meter } = opening
  const background = backgroundOf(lifetime)
  const places = openPlaces(env, keyPorts, meter, background)
  const late = lateStorage(opening, background)
  const pos = openPosSources(env, meter)
  return {
    ...systemPorts,
    background,
    storage: placedKeyed(places),
    keys: placedKeyUpkeep(places),
    sources: {
      links: linksOf(env),
      pos: ({ posSource }) => (posSource === null ? null : pos.open(posSource)),
    },
    ...late,
    exitSurvey: exitSurveyOf(env) ?? late.exitSurvey,
    rateLimiter,
    secrets: await secretsOf(env),
    email: emailOf(env),
    sms: smsOf(env),
    mail: env.mail,
  }
}

/** Storage that few requests need, so that its statements are loaded on demand. No I/O before the first call. */
function lateStorage(
  { env, meter }: Opening,
  background: Background,
): Pick<TenantWorld, 'analytics' | 'exitSurvey' | 'sends'> {
  const load = async () => {
    const { openStorage } = await import('./all-storage.ts')
    return openStorage(env, meter, background)
  }
  return {
    analytics: {
      open: (organizationId) => relayed(async (ask) => ask((await load()).analytics.open(organizationId))),
    },
    exitSurvey: {
      open: (organizationId) => ({
        countReasons: (range, signal) =>
          askLoaded(load, ({ exitSurvey }) => exitSurvey.open(organizationId).countReasons(range, signal)),
      }),
    },
    sends: {
      open: (organizationId) => relayed(async (ask) => ask((await load()).sends.open(organizationId))),
    },
  }
}

const handle = createFetchHandler(tenantApi)

/** Serves what organizations call. */
export const serve: Serve = async (request, host, opening) =>
  handle(request, { ...host, world: await openTenantWorld(opening) })
