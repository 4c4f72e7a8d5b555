import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { portNear } from '../../../host-worker/local/free-port.ts'
import type { StoredRow } from '../../../ports/records.ts'
import type { Target } from '../runtime.ts'
import { directusAnswers, directusApi } from './api.ts'
import { fillDirectus } from './collections.ts'

const TIMEOUT_MS = 120_000
const OUTPUT_MAX_LENGTH = 2_000

/** A running Directus that answers on the loopback interface. */
export interface StartedDirectus extends Target {
  /** The administrator's token. It passes every check of permissions, which is in Directus's favour. */
  readonly token: string
  close(): Promise<void>
}

/**
 * Starts the Directus that is installed in a folder, on a new SQLite database with these contacts. Installs nothing.
 * Throws when the folder has no Directus, and says what is missing.
 * @param scratch a folder for the database, which the caller removes
 */
export async function startDirectus(
  folder: string,
  scratch: string,
  contacts: readonly StoredRow[],
): Promise<StartedDirectus> {
  const { command, cli } = installationIn(resolve(folder))
  mkdirSync(scratch, { recursive: true })
  const port = await portNear(8055)
  const token = 'bench-token-of-the-administrator'
  const environment = environmentOf(scratch, port, token)
  const options = { cwd: scratch, env: environment }
  const boot = spawnSync(command, [cli, 'bootstrap'], { ...options, encoding: 'utf8', timeout: TIMEOUT_MS })
  if (boot.status !== 0) throw new Error(`directus bootstrap failed:\n${tail(boot.stdout + boot.stderr)}`)
  const child = spawn(command, [cli, 'start'], { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output = tail(output + text)))
  const ended = once(child, 'exit')
  const close = async () => {
    child.kill()
    await ended
  }
  const { pid } = child
  const origin = `http://127.0.0.1:${port}`
  try {
    const served = await Promise.race([directusAnswers(origin, TIMEOUT_MS), ended.then(() => false)])
    if (pid === undefined || !served) throw new Error(`Directus does not answer:\n${output}`)
    await fillDirectus(directusApi(origin, token), contacts)
    return { origin, pid, token, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The program of an installation, and the Node that runs it: the one beside it if there is one, otherwise this one. */
function installationIn(folder: string) {
  const cli = join(folder, 'node_modules', 'directus', 'cli.js')
  const missing = [cli, join(folder, 'node_modules', 'sqlite3')].filter((path) => !existsSync(path))
  if (missing.length > 0) {
    throw new Error(
      `${folder} must be a folder in which \`npm install directus sqlite3\` was run; ${missing.join(' and ')} is missing.`,
    )
  }
  const own = join(folder, 'node_modules', 'node', 'bin', 'node')
  return { cli, command: existsSync(own) ? own : process.execPath }
}

/** Turns off everything but the database and the loopback interface: mail, telemetry, cache, limits, request log. */
function environmentOf(scratch: string, port: number, token: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    DB_CLIENT: 'sqlite3',
    DB_FILENAME: join(scratch, 'directus.db'),
    SECRET: 'a secret for this run alone, of no further use',
    ADMIN_EMAIL: 'bench@example.com',
    ADMIN_PASSWORD: 'a password for this run',
    ADMIN_TOKEN: token,
    STORAGE_LOCAL_ROOT: join(scratch, 'uploads'),
    EXTENSIONS_PATH: join(scratch, 'extensions'),
    LOG_LEVEL: 'error',
    TELEMETRY: 'false',
    CACHE_ENABLED: 'false',
    RATE_LIMITER_ENABLED: 'false',
    WEBSOCKETS_ENABLED: 'false',
    SERVE_APP: 'false',
    MAX_PAYLOAD_SIZE: '4mb',
  }
}

function tail(text: string): string {
  return text.slice(-OUTPUT_MAX_LENGTH)
}
