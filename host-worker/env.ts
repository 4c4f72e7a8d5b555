import type { D1Database } from '@cloudflare/workers-types'
import { rootSecretProblem } from '../domain/tenancy/secrets.ts'
import type { PosSettings } from './env-pos.ts'
import { readPos } from './env-pos.ts'
import { isD1 } from './env-d1.ts'
import type { ProviderSettings } from './env-providers.ts'
import { readProviders } from './env-providers.ts'

/** The deployment's configuration, checked. */
export interface Env extends ProviderSettings, PosSettings {
  readonly database: D1Database
  readonly rootSecret: string
  /** The root secret before the one in force, while a rotation lasts. */
  readonly previousRootSecret: string | null
  /** The demo tenant's web site, which only a local start has; null: there is none. */
  readonly demoSiteUrl: string | null
}

export type EnvReading =
  { readonly ok: true; readonly env: Env } | { readonly ok: false; readonly problems: readonly string[] }

/** Checks bindings and variables before anything is served. Each problem names the variable, never its value. */
export function readEnv(bindings: Readonly<Record<string, unknown>>): EnvReading {
  const problems: string[] = []
  const secret = (name: string, required: boolean): string | null => {
    const value = bindings[name]
    if (value === undefined || value === '') {
      if (required) problems.push(`${name} is missing: it must be 32 random bytes in base64url`)
      return null
    }
    const problem = typeof value === 'string' ? rootSecretProblem(value) : 'must be text'
    if (problem !== null) problems.push(`${name} ${problem}`)
    return typeof value === 'string' ? value : null
  }
  const rootSecret = secret('ROOT_SECRET', true)
  const previousRootSecret = secret('ROOT_SECRET_PREVIOUS', false)
  const database = bindings.DB
  if (!isD1(database)) problems.push('DB is missing: it must be a D1 database binding')
  const providers = readProviders(bindings, problems)
  const pos = readPos(bindings, problems)
  if (problems.length > 0 || rootSecret === null || !isD1(database)) return { ok: false, problems }
  const demoSiteUrl = typeof bindings.DEMO_SITE_URL === 'string' ? bindings.DEMO_SITE_URL : null
  return { ok: true, env: { database, rootSecret, previousRootSecret, demoSiteUrl, ...providers, ...pos } }
}
