import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'smol-toml'
import * as v from 'valibot'

/** The project's root directory. */
export const projectRoot = join(import.meta.dirname, '..', '..')

/** Reads the project's `wrangler.toml`. wrangler could read it too, but takes a second to load. */
export function projectWranglerFile(): WranglerFile {
  return readWranglerFile(readFileSync(join(projectRoot, 'wrangler.toml'), 'utf8'))
}

/**
 * Reads the text of a `wrangler.toml`. Throws when it is no TOML, when a needed part has another form, or when there is
 * no such environment.
 * @param environment one that the file names; null: the top level
 */
export function readWranglerFile(text: string, environment: string | null = null): WranglerFile {
  const top = parse(text)
  if (environment === null) return v.parse(WranglerFileSchema, top)
  const named = v.parse(v.optional(v.record(v.string(), v.looseObject({})), {}), top.env)
  const own = named[environment]
  if (own === undefined)
    throw new Error(
      `wrangler.toml has no environment ${JSON.stringify(environment)}. It has: ${Object.keys(named).join(', ') || 'none'}.`,
    )
  const inherited = Object.fromEntries(INHERITED.map((key) => [key, top[key]]))
  return v.parse(WranglerFileSchema, { ...inherited, name: `${String(top.name)}-${environment}`, ...own })
}

/** What a named environment of wrangler takes from the top level when it does not say it itself. */
const INHERITED = ['compatibility_date', 'account_id', 'workers_dev', 'route', 'routes'] as const

const Route = v.union([
  v.string(),
  v.pipe(
    v.object({ pattern: v.string() }),
    v.transform(({ pattern }) => pattern),
  ),
])

const WranglerFileSchema = v.object({
  name: v.string(),
  compatibility_date: v.string(),
  account_id: v.optional(v.string()),
  workers_dev: v.optional(v.boolean()),
  route: v.optional(Route),
  routes: v.optional(v.array(Route), []),
  vars: v.optional(v.record(v.string(), v.unknown()), {}),
  d1_databases: v.optional(
    v.array(
      v.object({
        binding: v.string(),
        database_name: v.optional(v.string()),
        migrations_dir: v.optional(v.string()),
        database_id: v.optional(v.string()),
        preview_database_id: v.optional(v.string()),
      }),
    ),
    [],
  ),
  r2_buckets: v.optional(v.array(v.object({ binding: v.string(), bucket_name: v.string() })), []),
  queues: v.optional(
    v.object({
      producers: v.optional(v.array(v.object({ binding: v.string(), queue: v.string() })), []),
      consumers: v.optional(
        v.array(
          v.object({
            queue: v.string(),
            max_batch_size: v.optional(v.number()),
            max_batch_timeout: v.optional(v.number()),
            max_retries: v.optional(v.number()),
          }),
        ),
        [],
      ),
    }),
    {},
  ),
  durable_objects: v.optional(
    v.object({ bindings: v.array(v.object({ name: v.string(), class_name: v.string() })) }),
    { bindings: [] },
  ),
})

/** The parts of `wrangler.toml` that are needed here. Routes are their patterns. */
export type WranglerFile = v.InferOutput<typeof WranglerFileSchema>

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
