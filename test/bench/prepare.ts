import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { placeDatabase, readPlaced } from '../support/databases/d1-files.ts'
import { DATABASE_ID, openMiniflare } from './runtime.ts'
import { seedBench } from './seed.ts'

export const WRANGLER = 'node_modules/wrangler/bin/wrangler.js'

/** Builds the Worker as `wrangler deploy` uploads it; returns the path of its entry. */
export function buildWorker(folder: string): string {
  const out = join(folder, 'bundle')
  execFileSync(process.execPath, [WRANGLER, 'deploy', '--dry-run', '--outdir', out], { stdio: 'pipe' })
  return join(out, 'worker.js')
}

/**
 * A Worker that accepts the work after submissions and never does it. Otherwise the queue of the local runtime would do
 * that work in the measured process, which takes longer than storing a submission.
 */
const NOTHING_AFTERWARDS = `import { WorkerEntrypoint } from 'cloudflare:workers'
import service from './worker.js'
export { FamilyDatabase } from './worker.js'
export class FollowUp extends WorkerEntrypoint { handOver() {} }
const JOBS = { send: async () => {}, sendBatch: async () => {} }
let withQueue
export default {
  fetch: (request, env, context) => service.fetch(request, (withQueue ??= { ...env, JOBS }), context),
}
`

/** The built Worker without the work after submissions. Returns its entry, which is beside the Worker's own. */
export function withNothingAfterwards(script: string): string {
  const entry = join(dirname(script), 'nothing-afterwards.mjs')
  writeFileSync(entry, NOTHING_AFTERWARDS)
  return entry
}

/** The database that every contender starts with, and what the requests need to know about it. */
export interface Seeded {
  readonly image: Uint8Array
  readonly key: string
  readonly contactId: string
}

/** Fills a database once, in a runtime of its own; the measured runtimes start with copies of it. */
export async function seedImage(script: string, folder: string): Promise<Seeded> {
  const files = join(folder, 'seed')
  const runtime = openMiniflare(script, files)
  const { key, contactId } = await seedBench(await runtime.getD1Database('DB'))
  await runtime.dispose()
  return { image: readPlaced(files, DATABASE_ID), key, contactId }
}

/** Places a database where a runtime with these files finds it. Returns the folder of the files. */
export function filesWith(image: Uint8Array, folder: string, name: string): string {
  const files = join(folder, name)
  placeDatabase(files, DATABASE_ID, image)
  return files
}

/** A copy of a database, after a change. */
export function changed(image: Uint8Array, change: (sqlite: DatabaseSync) => void): Uint8Array {
  const sqlite = new DatabaseSync(':memory:')
  sqlite.deserialize(image)
  change(sqlite)
  const copy = sqlite.serialize()
  sqlite.close()
  return copy
}

/** Copies a bare worker and its imports into a folder that contains nothing else. */
export function bareWorker(folder: string, name: string): string {
  const own = join(folder, basename(name, '.mjs'))
  mkdirSync(own)
  for (const file of [name, 'bare-statements.mjs'])
    copyFileSync(join('test/bench/bare', file), join(own, file))
  return join(own, name)
}
