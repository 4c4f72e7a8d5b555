import type { Clock } from '../../../ports/platform.ts'
import {
  announcedService,
  holdState,
  type HeldState,
  openPrivateState,
  readLocalOperatorKey,
  readStateRecord,
  writeLocalOperatorKey,
  type StateRecord,
  readTextFile,
  writePrivateFile,
} from '../../local/state.ts'
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
  UsageError,
} from './call-service.ts'
import { getHealth } from '../../../domain/operators/service.ts'
import { issueOperatorKeyEndpoint } from '../../../domain/operators/operator-keys.ts'
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { membersOf, parsedOr } from '../../../domain/text/encoding.ts'
import { readOperatorKey } from '../../../domain/access/keys.ts'
import { CHALLENGE_MAX_LENGTH, PROOF_PATH, proofOfState } from '../../local/local-endpoints.ts'
import { systemClock } from '../../system.ts'
import { isPrivate } from '../../../domain/text/http.ts'
import { rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { WranglerFile } from '../../local/project.ts'
import * as v from 'valibot'

/** The places that may specify the service for a command. */
export interface Sources {
  /** The flags `--url`, `--key` and `--remote`. */
  readonly flags: {
    readonly url?: string | undefined
    readonly key?: string | undefined
    readonly remote?: boolean | undefined
  }
  /** The environment variables `OPERATOR_URL`, `OPERATOR_KEY` and `ROOT_SECRET`. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The service that "login" stored; null: none. */
  readonly login: () => Login | null
  /** The address of the deployed service, or a sentence that says why it is unknown. Only called for `--remote`. */
  readonly deployed: () => { readonly url: string } | { readonly problem: string }
}

/** The service for a command. A null key: there is none, and something else replaces it. */
export type Choice =
  | { readonly kind: 'given'; readonly url: string; readonly key: string | null }
  /** The service of the local state. A null key: the local state's own key is used. */
  | { readonly kind: 'local'; readonly key: string | null }

/**
 * Chooses the service: flags take precedence over the environment, the environment over what "login" stored, and that
 * over the local state. A key is never sent to a service for which it was not meant: a stored key is only used with the
 * address that was stored with it, and a given address needs a given key.
 * @param without what may replace a key that was not given; null: nothing
 */
export function chooseService(
  { flags, environment, login, deployed }: Sources,
  without: 'root secret' | 'question' | null,
): Choice {
  if (flags.remote === true && flags.url !== undefined)
    throw new UsageError('--url and --remote exclude each other')
  const key = given(flags.key) ?? given(environment.OPERATOR_KEY)
  const url =
    flags.remote === true ? addressOf(deployed()) : (given(flags.url) ?? given(environment.OPERATOR_URL))
  if (url === undefined) {
    const stored = login()
    if (stored === null) return { kind: 'local', key: key ?? null }
    return { kind: 'given', url: readAddress(stored.url), key: key ?? stored.key }
  }
  const address = readAddress(url)
  const chosen = key ?? (flags.remote === true ? keyFor(address, login()) : undefined)
  const isReplaced =
    without === 'root secret' ? given(environment.ROOT_SECRET) !== undefined : without !== null
  if (chosen === undefined && !isReplaced)
    throw new CommandError(
      `There is no operator key for ${address}. Set OPERATOR_KEY, give --key, or store one with "login --url ${address}".`,
    )
  return { kind: 'given', url: address, key: chosen ?? null }
}

/**
 * Checks the address of a service, and normalises it. Throws a `CommandError`, also for an address to which a key would
 * go unencrypted.
 */
function readAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new CommandError(`${JSON.stringify(text)} is not an address such as https://api.example.com.`)
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new CommandError(
      `The address of a service is its scheme, host and port alone, such as ${url.origin}.`,
    )
  const { host } = url
  if (!isPrivate(url))
    throw new CommandError(
      `A key is not sent to ${host} unencrypted: use https://${host}. http:// is for this machine alone.`,
    )
  return url.origin + url.pathname.replace(/\/+$/, '')
}

function keyFor(address: string, login: Login | null): string | undefined {
  return login?.url === address ? login.key : undefined
}

function addressOf(found: ReturnType<Sources['deployed']>): string {
  if ('problem' in found) throw new CommandError(found.problem)
  return found.url
}

/** The text, or undefined when it is empty, which counts as not given. */
function given(text: string | undefined): string | undefined {
  return text === '' ? undefined : text
}

/** The default service for commands of this user, and the key for it. */
interface Login {
  readonly url: string
  readonly key: string
}

const Stored = v.object({ url: v.string(), key: v.string() })

/** The path of the user's login: below `XDG_CONFIG_HOME`, else `~/.config` (on Windows, `APPDATA`). */
export function loginPath(environment: Readonly<Record<string, string | undefined>>): string {
  const configured = [environment.XDG_CONFIG_HOME, environment.APPDATA].find(
    (path) => path !== undefined && path !== '',
  )
  return join(configured ?? join(homedir(), '.config'), 'tenant-data-api', 'operator.json')
}

/** The stored login; null: there is none. */
export function readLogin(path: string): Login | null {
  const text = readTextFile(path)
  if (text === null) return null
  try {
    return v.parse(Stored, JSON.parse(text))
  } catch (error) {
    throw new CommandError(`${path} cannot be read as a login. Log in again, or remove it.`, { cause: error })
  }
}

/** Stores a login in a file that only its user can read. */
export function writeLogin(path: string, login: Login): void {
  writePrivateFile(path, `${JSON.stringify(login, null, 2)}\n`)
}

/** Removes the login. False: there was none. */
export function removeLogin(path: string): boolean {
  if (readLogin(path) === null) return false
  rmSync(path, { force: true })
  return true
}

/**
 * The address at which the service is deployed, according to `wrangler.toml`: the first route with a host of its own.
 * The address under workers.dev is not in that file, because it contains the name of the account.
 */
export function deployedAddress({
  route,
  routes,
}: Pick<WranglerFile, 'route' | 'routes'>): { url: string } | { problem: string } {
  const patterns = route === undefined ? routes : [route, ...routes]
  const host = patterns.map((pattern) => pattern.replace(/^https?:\/\//, '').split('/')[0] ?? '').find(isHost)
  if (host !== undefined) return { url: `https://${host}` }
  return {
    problem:
      'wrangler.toml names no address of the deployed service. Set its routes, or give --url, such as ' +
      '--url https://tenant-data-api.ACCOUNT.workers.dev.',
  }
}

/** Whether a text is a host without a wildcard. */
function isHost(text: string): boolean {
  return /^[\w-]+(?:\.[\w-]+)+$/.test(text)
}

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
  const { key } = await service.call(issueOperatorKeyEndpoint, {
    body: { operator: LOCAL_OPERATOR, role: 'admin' },
  })
  writeLocalOperatorKey(directory, key)
  return key
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
