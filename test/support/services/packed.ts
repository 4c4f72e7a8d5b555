import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { withFileLock } from '../../../host-worker/launch/file-lock.mjs'
import { projectRoot } from '../../../host-worker/local/root.ts'

const run = promisify(execFile)

/**
 * Packs the project as for a publication, with the build that checks every type. Tests that run at the same time pack
 * one after another, because each build begins by removing what the last one made.
 * @returns the path of the archive in the folder
 */
export async function packProject(folder: string): Promise<string> {
  const { stdout } = await withFileLock(join(projectRoot, '.wrangler', 'pack.lock'), () =>
    run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: projectRoot }),
  )
  const tarball = /"filename": "([^"]+\.tgz)"/.exec(stdout)?.[1]
  if (tarball === undefined) throw new Error(`npm pack named no tarball: ${stdout}`)
  return join(folder, tarball)
}

/** Installs packages into a project's folder: what is named, or what its lock file says. */
export async function install(folder: string, ...wanted: readonly string[]): Promise<void> {
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts']
  await run('npm', wanted.length === 0 ? ['ci', ...flags] : ['install', ...flags, ...wanted], { cwd: folder })
}
