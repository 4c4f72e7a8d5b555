import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { withFileLock } from '../../../host-worker/launch/file-lock.mjs'
import { projectRoot } from '../../../host-worker/local/project.ts'
import { builtOnce } from './built-worker.ts'

const run = promisify(execFile)

/**
 * Packs the project as for a publication, with the build that checks every type: once for the files of a test run, or for
 * all runs of `.ci/run`. Runs at the same time pack one after another, because each build begins by removing what the
 * last one made.
 * @returns the path of the archive
 */
export async function packProject(): Promise<string> {
  const pack = async (unfinished: string) => {
    mkdirSync(unfinished)
    await withFileLock(join(projectRoot, '.wrangler', 'pack.lock'), () =>
      run('npm', ['pack', '--pack-destination', unfinished], { cwd: projectRoot }),
    )
  }
  const folder = await builtOnce('packed', pack, process.env.CI_FOLDER)
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))
  if (tarball === undefined) throw new Error('npm pack made no archive')
  return join(folder, tarball)
}

/** Installs packages into a project's folder: what is named, and what its package.json names. */
export async function install(folder: string, ...wanted: readonly string[]): Promise<void> {
  const flags = ['--prefer-offline', '--no-package-lock', '--no-audit', '--no-fund', '--ignore-scripts']
  await run('npm', ['install', ...flags, ...wanted], { cwd: folder })
}
