import type { Secrets } from '../../domain/access/secrets.ts'
import { openSecrets } from '../../domain/access/secrets.ts'
import { createRateLimiter } from '../../domain/access/rate-limit/rate-limiter.ts'
import { createFormCache } from '../../domain/forms/submit/cache.ts'
import type { World } from '../../domain/world.ts'
import type { Meter } from '../../ports/platform/meter.ts'
import type { Background } from '../../ports/platform/background.ts'
import type { Env } from '../env/index.ts'
import { backgroundOn, consoleLog, systemClock, systemDeadline, systemRandom } from '../system.ts'
import { openPosSources } from './pos/pos-sources.ts'
import { emailOf, exitSurveyOf, linksOf, queueOf, smsOf } from './providers.ts'
import { openLateStorage } from './late-storage.ts'
import { openRequestStorage } from './storage.ts'

/** Lets the platform keep the isolate alive for work after the response. */
export interface Lifetime {
  waitUntil(work: Promise<unknown>): void
}

/** Kept for the lifetime of the isolate. */
const formCache = createFormCache()
const rateLimiter = createRateLimiter(systemClock)
const openedSecrets = new Map<string, Promise<Secrets>>()

/** Assembles the ports for one request. */
export async function openWorld(env: Env, lifetime: Lifetime, meter: Meter): Promise<World> {
  const background = backgroundOf(lifetime)
  const storage = openRequestStorage(env, meter, background)
  const late = openLateStorage(env, meter, background)
  const pos = openPosSources(env, meter)
  return {
    storage: storage.keyed,
    keys: storage.keyUpkeep,
    forms: storage.forms,
    sources: {
      links: linksOf(env),
      pos: ({ posSource }) => (posSource === null ? null : pos.open(posSource)),
    },
    analytics: late.analytics,
    exitSurvey: exitSurveyOf(env) ?? late.exitSurvey,
    formCache,
    rateLimiter,
    secrets: await secretsOf(env),
    clock: systemClock,
    deadline: systemDeadline,
    random: systemRandom,
    log: consoleLog,
    background,
    queue: queueOf(env),
    email: emailOf(env),
    sms: smsOf(env),
    mail: env.mail,
    sends: storage.sends,
  }
}

/** The root secrets. They are opened once in the lifetime of the isolate. */
export function secretsOf({ rootSecret, previousRootSecret }: Env): Promise<Secrets> {
  const name = `${rootSecret}.${previousRootSecret ?? ''}`
  const known = openedSecrets.get(name)
  if (known !== undefined) return known
  const opened = openSecrets(rootSecret, previousRootSecret)
  openedSecrets.set(name, opened)
  return opened
}

/** Runs work after the response, and logs its failures. */
export function backgroundOf(lifetime: Lifetime): Background {
  return backgroundOn(consoleLog, (work) => {
    lifetime.waitUntil(work)
  })
}
