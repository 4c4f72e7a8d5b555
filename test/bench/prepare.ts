import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { placeDatabase, readPlaced } from '../support/d1-files.ts'
import { DATABASE_ID, openMiniflare } from './runtime.ts'
import { seedBench } from './seed.ts'

export const WRANGLER = 'node_modules/wrangler/bin/wrangler.js'

/** Builds the Worker as `wrangler deploy` uploads it; returns the path of its entry. */
export function buildWorker(folder: string): string {
  const out = join(folder, 'bundle')
  execFileSync(process.execPath, [WRANGLER, 'deploy', '--dry-run', '--outdir', out], { stdio: 'pipe' })
  return join(out, 'worker.js')
}

/** Takes what objects hand over and leaves it undone, as nobody takes anything from the queue of the bench. */
const NO_FOLLOW_UP = `import { WorkerEntrypoint } from 'cloudflare:workers'
export { default, FamilyDatabase } from './worker.js'
export class FollowUp extends WorkerEntrypoint { handOver() {} }
`

/** The built Worker without the work after a submission that objects hand over: its entry, beside the Worker's own. */
export function withoutFollowUp(script: string): string {
  const entry = join(dirname(script), 'no-follow-up.mjs')
  writeFileSync(entry, NO_FOLLOW_UP)
  return entry
}

/** The database that everybody is measured on, and what requests need to know of it. */
export interface Seeded {
  readonly image: Uint8Array
  readonly key: string
  readonly contactId: string
}

/** Fills a database once, in a runtime of its own; those that are measured begin with copies of it. */
export async function seedImage(script: string, folder: string): Promise<Seeded> {
  const files = join(folder, 'seed')
  const runtime = openMiniflare(script, files)
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- a proxy stands for the class
  const { key, contactId } = await seedBench(await runtime.getD1Database('DB'))
  await runtime.dispose()
  return { image: readPlaced(files, DATABASE_ID), key, contactId }
}

/** The files of a runtime that holds a database. */
export function filesWith(image: Uint8Array, folder: string, name: string): string {
  const files = join(folder, name)
  placeDatabase(files, DATABASE_ID, image)
  return files
}

/** A bare worker and what it imports, in a folder where nothing else is. */
export function bareWorker(folder: string, name: string): string {
  const own = join(folder, basename(name, '.mjs'))
  mkdirSync(own)
  for (const file of [name, 'bare-statements.mjs']) copyFileSync(join('test/bench', file), join(own, file))
  return join(own, name)
}
