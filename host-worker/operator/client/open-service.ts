import type { Clock } from '../../../ports/platform.ts'
import { announcedService, holdState, type HeldState } from '../../local/service-file.ts'
import {
  ON_NEW_CONNECTION,
  byKey,
  byRootSecret,
  callService,
  unreachable,
  CommandError,
  Refusal,
  Unavailable,
  type Reach,
  type OperatorService,
  type Connection,
} from './call-service.ts'
import type { Choice } from './choose-service.ts'
import { getHealth } from '../../../domain/operators/service.ts'
import { issueOperatorKeyEndpoint } from '../../../domain/operators/operator-keys.ts'
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { membersOf, parsedOr } from '../../../domain/text/encoding.ts'
import {
  openPrivateState,
  readLocalOperatorKey,
  readStateRecord,
  writeLocalOperatorKey,
  type StateRecord,
} from '../../local/state.ts'
import { readOperatorKey } from '../../../domain/access/operator-credentials.ts'
import { CHALLENGE_MAX_LENGTH, PROOF_PATH, proofOfState } from '../../local/local-endpoints.ts'
import { systemClock } from '../../system.ts'

/** The dependencies of `openService`. */
export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The directory of the local state. */
  readonly directory: string
  readonly clock: Clock
  /** How requests are sent; left out: over the network. */
  readonly reach?: Reach
  readonly note: (line: string) => void
}

/** A service, and how to close it. */
export interface OpenedService {
  readonly service: OperatorService
  readonly close: () => Promise<void>
}

/** Opens the chosen service. A given service is not called before the first operation. */
export async function openService(choice: Choice, surroundings: Surroundings): Promise<OpenedService> {
  const { connection, close } = await open(choice, surroundings)
  const { reach } = surroundings
  return { service: callService({ ...connection, ...(reach === undefined ? {} : { reach }) }), close }
}

async function open(
  choice: Choice,
  { environment, directory, clock, note }: Surroundings,
): Promise<OpenConnection> {
  if (choice.kind === 'local') return openLocalService(directory, { key: choice.key, note })
  const { url, key } = choice
  const authorization = key === null ? byRootSecret(environment.ROOT_SECRET ?? '', clock) : byKey(key)
  // The local service is announced at this host only. A service elsewhere needs no local state that can be read.
  const isLocal = new URL(url).hostname === '127.0.0.1' && announcedService(directory) === url
  return {
    connection: { url, stateDirectory: isLocal ? directory : null, authorization },
    close: async () => undefined,
  }
}

/** A connection, and how to close it. */
export interface OpenConnection {
  readonly connection: Connection
  readonly close: () => Promise<void>
}

interface LocalOptions {
  /** The operator key to use; null: the one of the local state, which is made when there is none. */
  readonly key: string | null
  /** Shows a line to the person who is waiting. */
  readonly note: (line: string) => void
}

/** How long an announced service may take to respond, in ms, because its supervisor may be restarting it. */
const ANSWER_MS = 30_000
const POLL_MS = 250

/** The operator's name in the operator key of the local state. */
const LOCAL_OPERATOR = 'local'

/**
 * Opens the service of a state directory: the one that is running there, or else a new one that runs until it is
 * closed. Only one program at a time runs a service there; others wait until it serves or ends.
 */
export async function openLocalService(directory: string, options: LocalOptions): Promise<OpenConnection> {
  openPrivateState(directory)
  for (let tries = 0; ; tries += 1) {
    const running = await openRunning(directory, options)
    if (running !== null) return running
    const unannounced = tries === 0 ? await findUnannounced(directory) : null
    if (unannounced !== null) return reaching(unannounced, directory, options)
    const held = holdState(directory, null)
    if (held !== null) return openHeld(directory, options, held)
    if (tries === 0) options.note(`Waiting for another program that uses ${directory}…`)
    await pause(POLL_MS)
  }
}

/** Connects to the announced service; null: none is announced, or it has ended. */
async function openRunning(directory: string, options: LocalOptions): Promise<OpenConnection | null> {
  const giveUpAtMs = performance.now() + ANSWER_MS
  let last: unknown = null
  for (let url = announcedService(directory); url !== null; url = announcedService(directory)) {
    try {
      return await reaching(url, directory, options)
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
      last = error
    }
    if (performance.now() > giveUpAtMs) throw last
    await pause(POLL_MS)
  }
  return null
}

/** Opens a service of the caller's own on a state directory that it holds. Closing it releases the directory. */
async function openHeld(directory: string, options: LocalOptions, held: HeldState): Promise<OpenConnection> {
  try {
    await held.predecessorEnded()
    const { connection, close } = await openOwn(directory, options)
    return {
      connection,
      close: () =>
        close().finally(() => {
          held.release()
        }),
    }
  } catch (error) {
    held.release()
    throw error
  }
}

async function reaching(url: string, directory: string, { key }: LocalOptions): Promise<OpenConnection> {
  return { connection: await connect(url, directory, key), close: async () => undefined }
}

/** How long a service may take to prove itself, in ms: its first request prepares the state, with a demo. */
const PROOF_MS = 30_000

/**
 * The address of a service that serves a state directory without holding it, as `wrangler dev` does; null: none is
 * known. It is looked for where the state was served last, and at the usual port, and must prove that it has this state,
 * because any program may listen there.
 */
export async function findUnannounced(directory: string): Promise<string | null> {
  const usual = `http://127.0.0.1:${process.env.PORT ?? '8787'}`
  const challenge = randomBytes(CHALLENGE_MAX_LENGTH / 4).toString('hex')
  for (const url of new Set([readStateRecord(directory)?.address ?? usual, usual])) {
    const answer = await fetch(`${url}${PROOF_PATH}?challenge=${challenge}`, {
      headers: ON_NEW_CONNECTION,
      redirect: 'manual',
      signal: AbortSignal.timeout(PROOF_MS),
    }).catch(() => null)
    const proof = answer?.ok === true ? await answer.text().catch(() => '') : ''
    // Read only now, because that request may have prepared the state.
    const record = readStateRecord(directory)
    if (record !== null && proof === (await proofOfState(record.rootSecret, challenge))) return url
  }
  return null
}

/** Opens a service that runs until it is closed, on a state directory that the caller holds and keeps. */
export async function openOwn(directory: string, { key, note }: LocalOptions): Promise<OpenConnection> {
  // Loaded on demand, because a command for a running service does not need it.
  const { startHost } = await import('../../local/host.ts')
  const log = (line: string, isProblem: boolean) => {
    if (isProblem) note(line)
  }
  const own = await startHost(directory, { port: 0, isWhole: false, log })
  try {
    return { connection: await connect(own.url, directory, key), close: () => own.close() }
  } catch (error) {
    await own.close()
    throw error
  }
}

async function connect(url: string, directory: string, given: string | null): Promise<Connection> {
  const key = given ?? (await localKey(url, directory))
  // This checks that the service responds, even when it refuses the given key.
  if (given !== null) await works(given, url, directory)
  return { url, stateDirectory: directory, authorization: byKey(key) }
}

/**
 * An operator key of a state directory, or a new one when none works. Anyone who can read the directory may get a key,
 * because the root secret is in it too.
 */
async function localKey(url: string, directory: string): Promise<string> {
  // The first request of a service prepares its state.
  const { operatorKey, rootSecret } = await prepared(url, directory)
  for (const kept of [operatorKey, readLocalOperatorKey(directory)])
    if (kept !== null && readOperatorKey(kept) !== null && (await works(kept, url, directory))) return kept
  const authorization = byRootSecret(rootSecret, systemClock)
  const service = callService({ url, stateDirectory: directory, authorization })
  const { body } = await service.call(issueOperatorKeyEndpoint, {
    body: { operator: LOCAL_OPERATOR, role: 'admin' },
  })
  writeLocalOperatorKey(directory, body.key)
  return body.key
}

/** What the state of a service keeps of itself. Throws the sentence by which the service refuses to serve it. */
async function prepared(url: string, directory: string): Promise<StateRecord> {
  const answer = await fetch(`${url}/health`, { headers: ON_NEW_CONNECTION }).catch((error: unknown) => {
    throw unreachable(url, error)
  })
  const said = parsedOr(await answer.text(), null)
  const record = readStateRecord(directory)
  if (answer.ok && record !== null) return record
  const { error } = membersOf(said)
  throw new CommandError(
    typeof error === 'string' ? error : `The service at ${url} has another state than ${directory}.`,
  )
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
