import { createExecutor } from '../../adapters/d1/executor.ts'
import { createKeyUpkeep, createKeyedStorage } from '../../adapters/sqlite/access/keyed-storage.ts'
import { guardOf, type StorageOptions } from '../../adapters/sqlite/placement/guard.ts'
import { createRateLimiter } from '../../domain/access/rate-limiter.ts'
import { placedKeyed, placedKeyUpkeep } from '../../domain/placement/storage/placed-requests.ts'
import { posSourceKinds } from '../../domain/pos/index.ts'
import { relayed } from '../../ports/relayed.ts'
import { tenantApi, type TenantWorld, type World } from '../../domain/tenant-api.ts'
import type { PosKind } from '../../ports/organizations.ts'
import type { Background, Meter } from '../../ports/platform.ts'
import type { SourceFailure } from '../../ports/records.ts'
import type { ExitSurveySource, PosSource, PosSources } from '../../ports/sources.ts'
import type { Env, PosSettings } from '../env/index.ts'
import { isSignedInRead, createFetchHandler } from '../http/fetch-handler.ts'
import { systemClock, systemFetch, systemPorts } from '../system.ts'
import { backgroundOf, secretsOf, type Opening, type Serve } from './opening.ts'
import { openPlaces } from './places.ts'
import { emailOf, smsOf } from './providers.ts'

const handle = createFetchHandler(tenantApi)

/** Serves what organizations call, and what people who signed in read of them. */
export const serve: Serve = async (request, host, opening) => {
  const world = await openTenantWorld(opening)
  if (host.url === undefined || !isSignedInRead(host.url.pathname)) return handle(request, { ...host, world })
  const { serveSignedIn } = await import('./signed-in-reads.ts')
  return serveSignedIn(request, host, opening, world, handle)
}

/** Kept for the lifetime of the isolate. */
const rateLimiter = createRateLimiter(systemClock)

const keyPorts = (options: StorageOptions) => ({
  keyed: createKeyedStorage(options),
  keyUpkeep: createKeyUpkeep(guardOf(options)),
})

/** Assembles the ports for one request with a key. */
async function openTenantWorld(opening: Opening): Promise<TenantWorld> {
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
    return openStorage(env, meter, background).storage
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

/** The link service; null when none is configured, and links are in the service's own storage. */
function linksOf({ links }: Env): World['sources']['links'] {
  if (links === null) return null
  return ({ organizationId }) => {
    const open = async () => {
      const { openDubLinks } = await import('./outside-sources.ts')
      return openDubLinks({ ...links, ...systemPorts, fetch: systemFetch }, organizationId)
    }
    return {
      page: (query) => askLoaded(open, (source) => source.page(query)),
      one: (query) => askLoaded(open, (source) => source.one(query)),
      groups: (query) => askLoaded(open, (source) => source.groups(query)),
    }
  }
}

/** The analytics database with the exit survey; null when none is configured. */
function exitSurveyOf({ clickHouse }: Env): ExitSurveySource | null {
  if (clickHouse === null) return null
  const load = async () => {
    const { createClickHouseExitSurvey } = await import('./outside-sources.ts')
    return createClickHouseExitSurvey({ ...clickHouse, fetch: systemFetch })
  }
  return {
    open: (organizationId) => ({
      countReasons: (range, signal) =>
        askLoaded(load, (source) => source.open(organizationId).countReasons(range, signal)),
    }),
  }
}

/**
 * Chooses the adapter for each kind of point of sale, and loads it when the source is read, because most organizations
 * have none. A source that is not configured is reported as `unavailable` then.
 */
export function openPosSources({ posGateway, posLegacy }: PosSettings, meter: Meter): PosSources {
  return {
    open({ kind, tenant }) {
      if (kind !== 'legacy_vendor') {
        if (posGateway === null) return unconfigured(kind, 'POS_GATEWAY_URL and POS_GATEWAY_SECRET')
        const { url, secret, service } = posGateway
        const fetch = service === null ? systemFetch : service.fetch.bind(service)
        return loadedSource(kind, async () => {
          const { createOdbcPosSources } = await import('./outside-sources.ts')
          return createOdbcPosSources({ url, secret, fetch, ...systemPorts }).open({ kind, tenant })
        })
      }
      if (posLegacy === null) return unconfigured(kind, 'the binding POS_LEGACY')
      return loadedSource(kind, async () => {
        const { openLegacyVendor } = await import('./outside-sources.ts')
        const database = createExecutor({ database: posLegacy, clock: systemClock, meter })
        return openLegacyVendor({ database, deadline: systemPorts.deadline }, tenant)
      })
    },
  }
}

function loadedSource(kind: PosKind, open: () => Promise<PosSource>): PosSource {
  return {
    capabilities: posSourceKinds[kind].capabilities,
    page: (query) => askLoaded(open, (source) => source.page(query)),
    one: (query) => askLoaded(open, (source) => source.one(query)),
  }
}

function unconfigured(kind: PosKind, missing: string): PosSource {
  const reason = `the organization is tied to ${kind}, for which ${missing} must be configured`
  const failed = async () => ({ kind: 'unavailable', reason }) as const
  return { capabilities: posSourceKinds[kind].capabilities, page: failed, one: failed }
}

/**
 * Asks an outside source whose adapter is loaded on demand. A source never rejects, so when the adapter cannot be
 * loaded, the source is unavailable to this request only; the next request tries again.
 */
export async function askLoaded<Source, Answer>(
  load: () => Promise<Source>,
  ask: (source: Source) => Promise<Answer>,
): Promise<Answer | SourceFailure> {
  let source: Source
  try {
    source = await load()
  } catch (cause) {
    return { kind: 'unavailable', reason: 'the adapter of the source could not be loaded', cause }
  }
  return ask(source)
}
