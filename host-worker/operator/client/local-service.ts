import { getHealth } from '../../../domain/operators/endpoints/health.ts'
import { issueOperatorKeyEndpoint } from '../../../domain/operators/endpoints/operator-keys.ts'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { readOperatorKey } from '../../../domain/access/operator-key.ts'
import { takeFileLock } from '../../launch/file-lock.mjs'
import { announcedService } from '../../local/service-file.ts'
import {
  localSecrets,
  openPrivateState,
  readLocalOperatorKey,
  writeLocalOperatorKey,
} from '../../local/state.ts'
import { systemClock } from '../../system.ts'
import { byKey, byRootSecret } from './authorization.ts'
import type { Connection } from './call-service.ts'
import { callService } from './call-service.ts'
import { Refusal, Unavailable } from './errors.ts'

/** A connection, and what ends with it. */
export interface OpenConnection {
  readonly connection: Connection
  readonly close: () => Promise<void>
}

export interface LocalOptions {
  /** The operator key to use; null: the one of the local state, which is made when there is none. */
  readonly key: string | null
  /** A line for the person who waits. */
  readonly note: (line: string) => void
}

/** How long a service that is announced may take to answer: its supervisor may be starting it again. */
const ANSWER_MS = 30_000
const POLL_MS = 250

/** The name for which the operator key of the local state is issued. */
const LOCAL_OPERATOR = 'local'

/**
 * Opens the service of a state directory: the one that runs there, else one that runs until this is closed. Only one
 * program at a time starts a service there; others wait for it.
 */
export async function openLocalService(directory: string, options: LocalOptions): Promise<OpenConnection> {
  openPrivateState(directory)
  const running = await openRunning(directory, options)
  if (running !== null) return running
  const release = await takeFileLock(serviceLockPath(directory), () => {
    options.note(`Waiting for another program that uses ${directory}…`)
  })
  try {
    const started = await openRunning(directory, options)
    if (started === null) return await openOwn(directory, options, release)
    release()
    return started
  } catch (error) {
    release()
    throw error
  }
}

/** The lock of whoever starts a service on a state directory. */
export function serviceLockPath(directory: string): string {
  return join(directory, 'service.lock')
}

/** The service that is announced; null: there is none, or it is gone. */
async function openRunning(directory: string, { key }: LocalOptions): Promise<OpenConnection | null> {
  const giveUpAtMs = performance.now() + ANSWER_MS
  let last: unknown = null
  for (let found = announcedService(directory); found !== null; found = announcedService(directory)) {
    try {
      const connection = await connect(found.url, directory, key)
      return { connection, close: async () => undefined }
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
      last = error
    }
    if (performance.now() > giveUpAtMs) throw last
    await pause(POLL_MS)
  }
  return null
}

async function openOwn(
  directory: string,
  { key, note }: LocalOptions,
  release: () => void,
): Promise<OpenConnection> {
  // Loaded on demand: a command that talks to a service that runs has no use for it.
  const { startOwnService } = await import('../../local/own-service.ts')
  const own = await startOwnService(directory, note)
  const close = async () => {
    await own.close()
    release()
  }
  try {
    return { connection: await connect(own.url, directory, key), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function connect(url: string, directory: string, given: string | null): Promise<Connection> {
  const key = given ?? (await localKey(url, directory))
  // Shows that the service answers, whatever it says to a key that was given.
  if (given !== null) await works(given, url, directory)
  return { url, stateDirectory: directory, authorization: byKey(key) }
}

/**
 * The operator key that is kept in a state directory; another one when it does not work, or there is none. Whoever may
 * read the directory may have one, because the root secret is in it too.
 */
async function localKey(url: string, directory: string): Promise<string> {
  const kept = readLocalOperatorKey(directory)
  if (kept !== null && readOperatorKey(kept) !== null && (await works(kept, url, directory))) return kept
  const { ROOT_SECRET } = localSecrets(directory)
  const authorization = byRootSecret(ROOT_SECRET ?? '', systemClock)
  const service = callService({ url, stateDirectory: directory, authorization })
  const { body } = await service.call(issueOperatorKeyEndpoint, {
    body: { operator: LOCAL_OPERATOR, role: 'admin' },
  })
  writeLocalOperatorKey(directory, body.key)
  return body.key
}

async function works(key: string, url: string, directory: string): Promise<boolean> {
  try {
    await callService({ url, stateDirectory: directory, authorization: byKey(key) }).call(getHealth)
    return true
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) return false
    throw error
  }
}
