import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'smol-toml'
import * as v from 'valibot'
import { projectRoot } from './root.ts'

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
  route: v.optional(Route),
  routes: v.optional(v.array(Route), []),
  vars: v.optional(v.record(v.string(), v.unknown()), {}),
  d1_databases: v.optional(
    v.array(
      v.object({
        binding: v.string(),
        database_id: v.string(),
        preview_database_id: v.optional(v.string()),
      }),
    ),
    [],
  ),
  r2_buckets: v.optional(v.array(v.object({ binding: v.string(), bucket_name: v.string() })), []),
  durable_objects: v.optional(
    v.object({ bindings: v.array(v.object({ name: v.string(), class_name: v.string() })) }),
    { bindings: [] },
  ),
})

/** The parts of `wrangler.toml` that are needed here. Routes are their patterns. */
export type WranglerFile = v.InferOutput<typeof WranglerFileSchema>

/** Reads the project's `wrangler.toml`. wrangler could read it too, but takes a second to load. */
export function projectWranglerFile(): WranglerFile {
  return readWranglerFile(readFileSync(join(projectRoot, 'wrangler.toml'), 'utf8'))
}

/** Reads the text of a `wrangler.toml`. Throws when it is no TOML, or when a needed part has another form. */
export function readWranglerFile(text: string): WranglerFile {
  return v.parse(WranglerFileSchema, parse(text))
}
