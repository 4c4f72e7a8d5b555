import { isSafeUrl } from '../../env/variables.ts'
import { CommandError, UsageError } from './call-service.ts'
import { rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import * as v from 'valibot'
import { readTextFile, writePrivateFile } from '../../local/state.ts'
import type { WranglerFile } from '../../local/project.ts'

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
  if (!isSafeUrl(url))
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
