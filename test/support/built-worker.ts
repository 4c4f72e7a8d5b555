import { execFile } from 'node:child_process'
import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { withFileLock } from '../../host-worker/launch/file-lock.mjs'
import { projectRoot } from '../../host-worker/local/root.ts'
import { wranglerEnvironment } from '../../host-worker/local/wrangler-environment.ts'

/**
 * The Worker as `wrangler deploy` would upload it, built by the first test that asks for it and shared by all tests of
 * a run. Returns the directory of the result.
 */
export async function builtWorker(): Promise<string> {
  const scratch = inject('builtWorker')
  const result = join(scratch, 'worker')
  if (existsSync(result)) return result
  return withFileLock(join(scratch, 'lock'), async () => {
    if (!existsSync(result)) await build(scratch, result)
    return result
  })
}

/** Builds beside the result and moves it there, so that an interrupted build is never taken for a finished one. */
async function build(scratch: string, result: string): Promise<void> {
  const unfinished = join(scratch, 'unfinished')
  const wrangler = join(projectRoot, 'node_modules', 'wrangler', 'bin', 'wrangler.js')
  const args = [wrangler, 'deploy', '--dry-run', '--config', 'wrangler.toml', '--outdir', unfinished]
  const env = { ...process.env, ...wranglerEnvironment(scratch) }
  await promisify(execFile)(process.execPath, args, { cwd: projectRoot, env })
  renameSync(unfinished, result)
}
