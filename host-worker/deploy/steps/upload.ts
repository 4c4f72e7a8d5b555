import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writePrivateFile } from '../../local/private-files.ts'
import type { Deployment, Step } from '../deployment.ts'
import { wranglerFor } from '../wrangler.ts'
import { servedSecrets } from './secrets.ts'

/**
 * Builds the Worker and uploads it with its secrets, in one version. It is done each time: the version is what is in
 * this folder now.
 */
export const upload: Step = {
  name: 'Worker',
  isDone: async () => null,
  plan: async (deployment) => {
    const folder = mkdtempSync(join(tmpdir(), 'deploy-'))
    try {
      const stdout = await wranglerFor(deployment, ['deploy', '--dry-run', '--outdir', folder])
      const names = Object.keys(await secretsFor(deployment))
      return `upload it with ${names.length === 0 ? 'no new secret' : names.join(', ')} (${sizeIn(stdout)})`
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
  run: async (deployment) => {
    const secrets = await secretsFor(deployment)
    const names = Object.keys(secrets)
    const path = `${deployment.kept.path}.upload.json`
    try {
      // A file, because other users of the machine can read what stands on a command line. As JSON, because wrangler
      // would replace a $NAME in a line of the other form.
      if (names.length > 0) writePrivateFile(path, JSON.stringify(secrets))
      const given = names.length > 0 ? ['--secrets-file', path] : []
      const stdout = await wranglerFor(deployment, ['deploy', ...given])
      const version = /Current Version ID: (\S+)/.exec(stdout)?.[1] ?? 'unknown'
      return `version ${version} is uploaded (${sizeIn(stdout)})`
    } finally {
      rmSync(path, { force: true })
    }
  },
}

/** The secrets to send: the root secret only where the service has none, because it may have been rotated since. */
async function secretsFor(deployment: Deployment): Promise<Readonly<Record<string, string>>> {
  const { kept, options } = deployment
  const root = kept.get('ROOT_SECRET')
  const isServed = (await servedSecrets(deployment)).includes('ROOT_SECRET')
  if (isServed) return kept.provided()
  return { ROOT_SECRET: root ?? (options.isDryRun ? 'to be made' : ''), ...kept.provided() }
}

function sizeIn(stdout: string): string {
  const [, size] = /gzip: ([\d.]+ KiB)/.exec(stdout) ?? []
  return size === undefined ? 'size unknown' : `${size} compressed`
}
