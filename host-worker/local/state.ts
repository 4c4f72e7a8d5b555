import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { createPrivateFile, PRIVATE_DIRECTORY_MODE, readTextFile, writePrivateFile } from './private-files.ts'

/** Removes all permissions of everybody but the owner. */
const PRIVATE_UMASK = 0o077

/**
 * Creates the directory of local state, if it is missing, and keeps other users of the machine from reading it: the
 * directory itself, and each file that this process and its child processes will create in it. It must be called before
 * anything else touches the state, because the programs that create databases have no option for a file mode.
 */
export function openPrivateState(directory: string): void {
  process.umask(PRIVATE_UMASK)
  mkdirSync(directory, { recursive: true })
  chmodSync(directory, PRIVATE_DIRECTORY_MODE)
}

/**
 * The directory of local state, with the databases, the root secret and the demo keys: `STATE_DIR`, else
 * `.wrangler/state`.
 */
export function stateDirectory(root: string): string {
  const given = process.env.STATE_DIR
  return given === undefined || given === '' ? join(root, '.wrangler', 'state') : resolve(given)
}

/** The directory of the databases of the state, which wrangler calls `--persist-to`. */
export function databasesPath(directory: string): string {
  return join(directory, 'databases')
}

/** The folder that wrangler creates in that directory. */
export function persistPath(directory: string): string {
  return join(databasesPath(directory), WRANGLER_FOLDER)
}

const WRANGLER_FOLDER = 'v3'

/**
 * What to tell whoever opens a state directory of before version 1.0.0 for the first time; null: it is none. Those
 * databases lay in the directory itself, and had other migrations.
 */
export function earlierStateNotice(directory: string): string | null {
  const earlier = join(directory, WRANGLER_FOLDER)
  if (!existsSync(earlier) || existsSync(databasesPath(directory))) return null
  return `${earlier} holds databases of an earlier version, which this one cannot read: they stay as they are, and new ones begin in ${databasesPath(directory)}.`
}

/** The file of secrets that the local service reads, in `.env` form. */
export function secretsPath(directory: string): string {
  return join(directory, 'secrets.env')
}

/**
 * The local secrets. The first call for a state directory makes a root secret; later calls, also of other processes,
 * read it.
 */
export function localSecrets(directory: string): Readonly<Record<string, string | undefined>> {
  const path = secretsPath(directory)
  createPrivateFile(path, () => `ROOT_SECRET=${randomBytes(32).toString('base64url')}\n`)
  return parseEnv(readFileSync(path, 'utf8'))
}

/** A demo organization's tenant key, as it was issued; null when there is none yet. */
export function readDemoKey(directory: string, organizationId: string): string | null {
  return readTextFile(demoKeyPath(directory, organizationId))?.trim() ?? null
}

/** Stores a demo key in a file, because the database has only its hash and every start shows the key. */
export function writeDemoKey(directory: string, organizationId: string, key: string): void {
  writePrivateFile(demoKeyPath(directory, organizationId), `${key}\n`)
}

/** The path of a demo key: `demo-key` for the organization `demo`, `demo-x-key` for `demo-x`. */
function demoKeyPath(directory: string, organizationId: string): string {
  return join(directory, `${organizationId}-key`)
}

/** The operator key of the local service; null: there is none yet. */
export function readLocalOperatorKey(directory: string): string | null {
  return readTextFile(operatorKeyPath(directory))?.trim() ?? null
}

/** Stores the operator key of the local service, for the commands of every user who can read the state. */
export function writeLocalOperatorKey(directory: string, key: string): void {
  writePrivateFile(operatorKeyPath(directory), `${key}\n`)
}

function operatorKeyPath(directory: string): string {
  return join(directory, 'operator-key')
}
