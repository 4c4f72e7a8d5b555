import { join } from 'node:path'

/**
 * Environment variables that keep wrangler quiet, offline and isolated: no telemetry, no banner, no look-up of the
 * machine's location, no traces of requests on disk, and a separate registry of running Workers, so that two copies of
 * this service are not confused.
 */
export function wranglerEnvironment(stateDirectory: string): Readonly<Record<string, string>> {
  return {
    CLOUDFLARE_CF_FETCH_ENABLED: 'false',
    CLOUDFLARE_LOAD_DEV_VARS_FROM_DOT_ENV: 'true',
    WRANGLER_HIDE_BANNER: 'true',
    WRANGLER_NO_SKILLS_UPDATE_PROMPTS: 'true',
    WRANGLER_REGISTRY_PATH: join(stateDirectory, 'registry'),
    WRANGLER_SEND_ERROR_REPORTS: 'false',
    WRANGLER_SEND_METRICS: 'false',
    WRANGLER_WRITE_LOGS: 'false',
    X_LOCAL_EXPLORER: 'false',
    X_LOCAL_OBSERVABILITY: 'false',
  }
}
