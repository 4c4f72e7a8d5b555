import { execFile } from 'node:child_process'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { withFileLock } from '../../../host-worker/launch/file-lock.mjs'
import { projectRoot, wranglerEnvironment } from '../../../host-worker/local/project.ts'
import { COMPILE_CACHE } from './compile-cache.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Directory in which the tests of a run share what built-worker.ts builds. */
    readonly builtWorker: string
  }
}

/**
 * The Worker as `wrangler deploy` would upload it, built by the first test that asks for it and shared by all tests of
 * a run. Returns the directory of the result.
 */
export function builtWorker(scratch?: string): Promise<string> {
  const build = async (unfinished: string, folder: string) => {
    const wrangler = join(projectRoot, 'node_modules', 'wrangler', 'bin', 'wrangler.js')
    // Elsewhere than a `wrangler dev` that runs meanwhile.
    const WORKER_FOLDER = join(folder, 'modules')
    const args = [
      wrangler,
      'deploy',
      join(WORKER_FOLDER, 'worker.js'),
      '--dry-run',
      '--config',
      'wrangler.toml',
    ]
    const env = { ...process.env, ...COMPILE_CACHE, ...wranglerEnvironment(folder), WORKER_FOLDER }
    await promisify(execFile)(process.execPath, [...args, '--outdir', unfinished], { cwd: projectRoot, env })
  }
  return builtOnce('worker', build, scratch)
}

/**
 * The path of a file or folder that is built once in a run, by the first process that needs it. It is built elsewhere
 * and moved there, so that an interrupted build is never mistaken for a complete one.
 * @param build creates the file or directory at the given path; `scratch` is a directory for temporary files
 * @param scratch the directory that those share who use the same result: by default, the tests of a run
 */
export async function builtOnce(
  name: string,
  build: (unfinished: string, scratch: string) => Promise<void>,
  scratch: string = inject('builtWorker'),
): Promise<string> {
  const result = join(scratch, name)
  if (existsSync(result)) return result
  return withFileLock(join(scratch, `${name}.lock`), async () => {
    if (existsSync(result)) return result
    const unfinished = join(scratch, `unfinished-${name}`)
    rmSync(unfinished, { recursive: true, force: true })
    await build(unfinished, scratch)
    renameSync(unfinished, result)
    return result
  })
}
