import * as v from 'valibot'
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseEnv } from 'node:util'
import {
  createFile,
  readText as readTextFile,
  replaceFile,
  fileLockHolder,
  tryFileLock,
} from '../launch/file-lock.mjs'
import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { parsedOr } from '../../domain/text/encoding.ts'

export { readTextFile }

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

/** The folder of the databases of the state. For wrangler, `--persist-to` names the directory above it. */
export function persistPath(directory: string): string {
  return join(directory, 'v3')
}

/** Takes over the databases that version 1.0.0 kept in a folder of their own. */
export function adoptEarlierState(directory: string): void {
  const earlier = join(directory, 'databases', 'v3')
  if (existsSync(earlier) && !existsSync(persistPath(directory))) renameSync(earlier, persistPath(directory))
}

/**
 * The local secrets, in `.env` form in `secrets.env`. The first call for a state directory makes the file, with the root
 * secret that the state keeps already, or else a new one; later calls, also of other processes, read it.
 */
export function localSecrets(directory: string): Readonly<Record<string, string | undefined>> {
  const path = join(directory, 'secrets.env')
  createPrivateFile(path, () => {
    const secret = readStateRecord(directory)?.rootSecret ?? randomBytes(32).toString('base64url')
    return `ROOT_SECRET=${secret}\n`
  })
  return parseEnv(readFileSync(path, 'utf8'))
}

/** What a local state keeps of itself: see host-worker/dev/kept.ts. */
export interface StateRecord {
  readonly rootSecret: string
  /** The operator key of the start page; null: there is none yet. */
  readonly operatorKey: string | null
  /** Where the state was last served; null: nowhere yet. */
  readonly address: string | null
  /** The tenant keys of the demo, by organization. */
  readonly demoKeys: ReadonlyMap<string, string>
}

/**
 * Reads what a state keeps of itself, from the file of its database, also while a service runs on it. Whoever can read
 * the directory may have its secrets. Null: no service has prepared the state yet.
 */
export function readStateRecord(directory: string): StateRecord | null {
  const folder = join(persistPath(directory), 'd1', 'miniflare-D1DatabaseObject')
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const rows = name.endsWith('.sqlite') ? keptRows(join(folder, name)) : null
    if (rows?.has('root-secret') !== true) continue
    const ofTenants = [...rows].filter(([key]) => key.startsWith(TENANT_KEY))
    return {
      rootSecret: rows.get('root-secret') ?? '',
      operatorKey: rows.get('operator-key') ?? null,
      address: rows.get('address') ?? null,
      demoKeys: new Map(ofTenants.map(([key, value]) => [key.slice(TENANT_KEY.length), value])),
    }
  }
  return null
}

const TENANT_KEY = 'tenant-key '

/** The rows by which a state keeps something of itself; null: the file is another database. */
function keptRows(path: string): ReadonlyMap<string, string> | null {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
  try {
    const hasTable = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'local_state'").get()
    if (hasTable === undefined) return null
    const rows = database.prepare('SELECT name, value FROM local_state').all()
    return new Map(rows.map(({ name, value }) => [String(name), String(value)]))
  } finally {
    database.close()
  }
}

/** The operator key that a command has made for this state; null: there is none. */
export function readLocalOperatorKey(directory: string): string | null {
  return readTextFile(operatorKeyPath(directory))?.trim() ?? null
}

/** Stores an operator key of the local service, for the commands of every user who can read the state. */
export function writeLocalOperatorKey(directory: string, key: string): void {
  writePrivateFile(operatorKeyPath(directory), `${key}\n`)
}

function operatorKeyPath(directory: string): string {
  return join(directory, 'operator-key')
}

/** Only the owner may read a state, because it contains secrets and tenants' data. */
const PRIVATE_DIRECTORY_MODE = 0o700

/** Creates a private file with its content in one step, unless it exists. */
export function createPrivateFile(path: string, content: () => string): void {
  if (readTextFile(path) !== null) return
  makePrivateFolder(path)
  createFile(path, content())
}

/** Writes a private file in one step: readers find either the old content or the complete new one. */
export function writePrivateFile(path: string, content: string): void {
  makePrivateFolder(path)
  replaceFile(path, content)
}

function makePrivateFolder(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_DIRECTORY_MODE })
}

/** The program that runs a service on a state directory. */
interface StateHolder {
  /** Where the service serves, or will serve; null: it is the service of a command, for that command alone. */
  readonly url: string | null
  /** Whether commands may use the service. */
  readonly isServing: boolean
}

const Said = v.object({ url: v.nullable(v.string()), isServing: v.boolean() })

/** A state directory on which no other program starts a service until it is released. */
export interface HeldState {
  /** Lets commands find the service at its URL. */
  announce(): void
  /**
   * Resolves when a service whose program was killed on this directory is gone: its processes notice that a moment
   * later, and until then they use the same databases.
   */
  predecessorEnded(): Promise<void>
  release(): void
}

/** A killed program's service ends within this time: its supervisor kills what has not ended by itself after 5 s. */
const PREDECESSOR_MAX_MS = 7_000
const POLL_MS = 50

/**
 * Holds a state directory for the one service that may run on it at a time. Null: another program, or this one, holds it
 * already.
 * @param url where the service will serve; null: it is for the caller alone
 */
export function holdState(directory: string, url: string | null): HeldState | null {
  const said = (isServing: boolean) => JSON.stringify({ url, isServing } satisfies StateHolder)
  const lock = tryFileLock(lockPath(directory), said(false))
  if (lock === null) return null
  return {
    announce: () => {
      lock.say(said(true))
    },
    predecessorEnded: async () => {
      const port = Number(URL.parse(heard(lock.left)?.url ?? '')?.port ?? 0)
      const giveUpAtMs = performance.now() + PREDECESSOR_MAX_MS
      while (port > 0 && performance.now() < giveUpAtMs && !(await isPortFree(port))) await pause(POLL_MS)
    },
    release: () => {
      lock.release()
    },
  }
}

/** Who holds a state directory; null: nobody, whatever a killed program left behind. Throws when that cannot be read. */
export function stateHolder(directory: string): StateHolder | null {
  return heard(fileLockHolder(lockPath(directory))?.text ?? null)
}

/** The URL of the service that commands can use on a state directory; null: there is none. Throws as `stateHolder`. */
export function announcedService(directory: string): string | null {
  const holder = stateHolder(directory)
  return holder?.isServing === true ? holder.url : null
}

function lockPath(directory: string): string {
  return join(directory, 'service')
}

function heard(text: string | null): StateHolder | null {
  const said = v.safeParse(Said, parsedOr(text ?? '', null))
  return said.success ? said.output : null
}

/** Whether no program listens on this port of the loopback interface. */
export async function isPortFree(port: number): Promise<boolean> {
  return (await tryPort(port)) !== null
}

/** The preferred port when it is free, else any free one of the loopback interface. */
export async function portNear(preferred: number): Promise<number> {
  const found = preferred <= 65_535 ? await tryPort(preferred) : null
  return found ?? (await tryPort(0)) ?? preferred
}

/** Takes a port of the loopback interface for a moment; 0: any that is free. Null: it is in use. */
async function tryPort(port: number): Promise<number | null> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => {
      resolve(null)
    })
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address()
      server.close(() => {
        resolve(typeof address === 'object' && address !== null ? address.port : null)
      })
    })
  })
}
