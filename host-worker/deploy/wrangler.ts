import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { projectRoot } from '../local/root.ts'
import { stateDirectory } from '../local/state.ts'
import { wranglerEnvironment } from '../local/wrangler-environment.ts'
import { adviceFor } from './account.ts'
import type { Deployment } from './deployment.ts'
import type { Wrangler, WranglerRun } from './ports.ts'
import { DeployError } from './deploy-error.ts'

const OUTPUT_BYTES_MAX = 16 * 1024 * 1024

/** Runs the project's own wrangler in the project, without a terminal, so that it asks nothing. */
export function projectWrangler(
  environment: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Wrangler {
  const script = join(projectRoot, 'node_modules', 'wrangler', 'bin', 'wrangler.js')
  const env = {
    ...environment,
    ...wranglerEnvironment(stateDirectory(projectRoot)),
    NO_COLOR: '1',
    FORCE_COLOR: '0',
  }
  return (args) =>
    new Promise((resolve) => {
      const options = { cwd: projectRoot, env, signal, maxBuffer: OUTPUT_BYTES_MAX }
      const child = execFile(process.execPath, [script, ...args], options, (error, stdout, stderr) => {
        const exitCode = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
        resolve({ exitCode, stdout, stderr })
      })
      child.stdin?.end()
    })
}

/** Runs wrangler for the environment of a deployment. Throws a `DeployError` when it fails, with its reason. */
export async function wranglerFor(deployment: Deployment, args: readonly string[]): Promise<string> {
  const { ports, options, kept } = deployment
  const run = await ports.wrangler([...args, `--env=${options.environment ?? ''}`])
  if (run.exitCode === 0) return run.stdout
  const reason = kept.hidden(reasonOf(run))
  throw new DeployError(`wrangler ${args[0]} ${args[1] ?? ''} failed: ${reason}`, adviceFor(reason))
}

/** Lines of wrangler that do not say why it failed. */
const NOISE = /^(?:If you think this is a bug|Note that there is a newer version|.*⛅)/

/** The error in what wrangler printed, without colours and frames. */
function reasonOf({ stdout, stderr }: WranglerRun): string {
  const text = `${stdout}\n${stderr}`.replaceAll(/\u001B\[[\d;]*m/g, '')
  const start = text.indexOf('[ERROR]')
  const lines = (start < 0 ? text : text.slice(start + '[ERROR]'.length))
    .split('\n')
    .map((line) => line.replaceAll(/[│├└─┌┐┘┤🪵]/gu, '').trim())
    .filter((line) => line !== '' && !NOISE.test(line))
  return lines.slice(0, 12).join(' ').slice(0, 1000)
}
