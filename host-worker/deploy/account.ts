import * as v from 'valibot'
import type { Ports } from './ports.ts'
import { DeployError } from './deploy-error.ts'

/** The Cloudflare account that a deployment is for. Reads go to Cloudflare's API; wrangler makes every change. */
export interface Account {
  readonly id: string
  readonly name: string
  /**
   * What the API answers to this path: below the account, or, with a leading slash, below the API. Null: there is no
   * such thing. Throws a `Denied` when this login may not ask.
   */
  get(path: string): Promise<unknown>
}

/** The login may not read this. */
export class Denied extends DeployError {
  constructor(message: string) {
    super(`Cloudflare answered: ${message}.`, adviceFor('authentication'))
  }
}

const API = 'https://api.cloudflare.com/client/v4'

/** Codes of the API with which it says that there is no such thing: Worker, database, bucket. */
const NOT_FOUND_CODES = new Set([10006, 10007, 10090, 7404])

const Envelope = v.object({
  errors: v.optional(v.array(v.object({ code: v.number(), message: v.string() })), []),
  result: v.unknown(),
})

const Credentials = v.union([
  v.pipe(
    v.object({ token: v.string() }),
    v.transform(({ token }): Readonly<Record<string, string>> => ({ authorization: `Bearer ${token}` })),
  ),
  v.pipe(
    v.object({ key: v.string(), email: v.string() }),
    v.transform(({ key, email }): Readonly<Record<string, string>> => ({
      'x-auth-key': key,
      'x-auth-email': email,
    })),
  ),
])

/** Opens an account with the login of wrangler, which is asked for it and never written anywhere. */
export async function openAccount(
  { id, name }: { readonly id: string; readonly name: string },
  { wrangler, reach, environment }: Ports,
): Promise<Account> {
  const { stdout } = await wrangler(['auth', 'token', '--json'])
  const headers = v.parse(Credentials, jsonIn(stdout))
  const root = environment.CLOUDFLARE_API_BASE_URL ?? API
  const get = async (path: string) => {
    const url = `${root}${path.startsWith('/') ? path : `/accounts/${id}/${path}`}`
    const response = await reach(new Request(url, { headers }))
    const { errors, result } = v.parse(Envelope, await response.json())
    if (response.ok) return result
    const [{ code, message } = { code: 0, message: `status ${response.status}` }] = errors
    if (NOT_FOUND_CODES.has(code)) return null
    if (response.status === 401 || (response.status === 403 && code === 10000)) throw new Denied(message)
    throw new DeployError(`Cloudflare answered: ${message} (code ${code}).`, adviceFor(`${code} ${message}`))
  }
  return { id, name, get }
}

/** The JSON in what wrangler printed, which may write a note before it. */
export function jsonIn(stdout: string): unknown {
  return JSON.parse(stdout.slice(Math.max(0, stdout.search(/^[[{]/m))))
}

/** What to do about an error of Cloudflare or of wrangler. */
export function adviceFor(reason: string): string {
  const [, advice] = advices.find(([pattern]) => pattern.test(reason)) ?? []
  return advice ?? 'Read what wrangler said; it names what it needs.'
}

const advices: readonly (readonly [RegExp, string])[] = [
  [
    /\b10042\b|enable R2/i,
    'Switch R2 on in the dashboard (R2, Overview), or remove [[r2_buckets]] from wrangler.toml to go without daily backups.',
  ],
  [
    /\b(?:7406|100\d\d\d)\b.*(?:plan|limit)|maximum number of D1/i,
    'The plan of the account does not allow it: see https://dash.cloudflare.com/?to=/:account/workers/plans.',
  ],
  [
    /\b11004\b|consumer already/i,
    'Another Worker consumes this queue. Give the queue another name in wrangler.toml.',
  ],
  [
    /\b1000[01]\b|\b9109\b|authentication|not logged in|permission/i,
    'The login may not do this. Log in with "npx wrangler login", or give CLOUDFLARE_API_TOKEN the permissions that the manual lists.',
  ],
  [/ENOTFOUND|ECONNREFUSED|ETIMEDOUT|fetch failed/i, 'Cloudflare was not reached. Look at the network.'],
]
