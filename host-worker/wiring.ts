import type { Meter } from '../adapters/d1/index.ts'
import { createD1Storage } from '../adapters/d1/index.ts'
import { createClickHouseExitSurvey } from '../adapters/exit-survey-clickhouse/index.ts'
import { openDubLinks } from '../adapters/links-dub/index.ts'
import { createFormCache } from '../domain/forms/cache.ts'
import type { World } from '../domain/service.ts'
import type { Secrets } from '../domain/tenancy/secrets.ts'
import { openSecrets } from '../domain/tenancy/secrets.ts'
import type { Background } from '../ports/background.ts'
import type { Env } from './env.ts'
import { emailOf, queueOf, smsOf } from './job-world.ts'
import { openPosSources } from './pos-sources.ts'
import { consoleLog, systemClock, systemDeadline, systemFetch, systemRandom } from './system.ts'

/** Lets the platform keep the isolate alive for work after the response. */
export interface Lifetime {
  waitUntil(work: Promise<unknown>): void
}

/** Kept for the life of the isolate. */
const formCache = createFormCache()
const openedSecrets = new Map<string, Promise<Secrets>>()

/** Picks the adapters and assembles the world of one request. Adapters are picked here, in `job-world.ts` and `pos-sources.ts` only. */
export async function openWorld(env: Env, lifetime: Lifetime, meter: Meter): Promise<World> {
  const storage = createD1Storage({ database: env.database, clock: systemClock, meter })
  const pos = openPosSources(env, meter)
  return {
    storage: storage.keyed,
    keys: storage.administration,
    forms: storage.forms,
    sources: {
      links: linksOf(env),
      pos: ({ posSource }) => (posSource === null ? null : pos.open(posSource)),
    },
    analytics: storage.analytics,
    exitSurvey:
      env.clickHouse === null
        ? storage.exitSurvey
        : createClickHouseExitSurvey({ ...env.clickHouse, fetch: systemFetch }),
    formCache,
    secrets: await secretsOf(env),
    clock: systemClock,
    deadline: systemDeadline,
    random: systemRandom,
    log: consoleLog,
    background: backgroundOf(lifetime),
    queue: queueOf(env),
    email: emailOf(env),
    sms: smsOf(env),
    mail: env.mail,
    sends: storage.sends,
  }
}

/** The link service; null when none is configured. */
function linksOf({ links }: Env): World['sources']['links'] {
  if (links === null) return null
  const options = { ...links, fetch: systemFetch, deadline: systemDeadline, clock: systemClock }
  return ({ organizationId }) => openDubLinks(options, organizationId)
}

function secretsOf(env: Env): Promise<Secrets> {
  const name = `${env.rootSecret}.${env.previousRootSecret ?? ''}`
  const known = openedSecrets.get(name)
  if (known !== undefined) return known
  const opened = openSecrets(env.rootSecret, env.previousRootSecret)
  openedSecrets.set(name, opened)
  return opened
}

function backgroundOf(lifetime: Lifetime): Background {
  return {
    run: (work) => {
      lifetime.waitUntil(
        work.catch((cause: unknown) => {
          consoleLog.error('background_failed', {}, cause)
        }),
      )
    },
  }
}
