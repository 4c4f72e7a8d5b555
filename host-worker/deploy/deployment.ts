import * as v from 'valibot'
import type { WranglerFile } from '../local/project.ts'
import { deployedAddress, loginPath } from '../operator/client/open-service.ts'
import { dirname, join } from 'node:path'
import { parseArgs, parseEnv } from 'node:util'
import type { GenericSchema, InferOutput } from 'valibot'
import { suggestion } from '../../domain/text/schema-errors.ts'
import type { Clock } from '../../ports/platform.ts'
import { readTextFile, writePrivateFile } from '../local/state.ts'
import type { Reach } from '../operator/client/call-service.ts'

/** What a deployment needs of the machine and of Cloudflare. */
export interface World {
  /** The text of `wrangler.toml`. */
  readonly configuration: () => string
  /** The name of the user of this machine. */
  readonly userName: () => string
  /**
   * Runs wrangler without a terminal, so that it asks nothing, and shows what it prints, or else reads that. Nothing
   * secret is among the arguments.
   */
  readonly wrangler: (
    args: readonly string[],
    use: 'show' | 'read',
  ) => Promise<{ readonly exitCode: number; readonly stdout: string }>
  /** Sends a request to Cloudflare's API, or to the deployed service. */
  readonly reach: Reach
  /** Whether the public name service knows this host. */
  readonly resolves: (host: string) => Promise<boolean>
  readonly newRootSecret: () => string
  /** Writes one line for the person at the terminal. */
  readonly note: (line: string) => void
  readonly pause: (durationMs: number) => Promise<void>
  readonly clock: Clock
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Aborted when the person interrupts the command. */
  readonly interrupted: AbortSignal
}

/** A deployment under way: what was asked for, and what its steps found out. */
export interface Deployment {
  readonly world: World
  readonly options: ReturnType<typeof readOptions>
  /** What `wrangler.toml` says of the environment. */
  readonly file: WranglerFile
  readonly kept: KeptSecrets
  /** Null: nobody is logged in. Only a dry run goes on without, as in an empty account. */
  account: Account | null
  /** The address of the service, once its step has found it. */
  url: string
  /** The names of the secrets that the service has. Nobody can read their values again. */
  served: readonly string[]
  /** What a person should know or do afterwards, besides what every deployment needs. */
  readonly remarks: string[]
}

/**
 * The Cloudflare account that a deployment is for: what the API answers to a path, null when there is no such thing.
 * wrangler makes every change. Throws a `Denied` when this login may not ask.
 */
interface Account {
  readonly id: string
  /** @param path below the account, or, with a leading slash, below the API */
  get<Schema extends GenericSchema>(path: string, schema: Schema): Promise<InferOutput<Schema> | null>
}

/** The flags of the command. */
export const flags = {
  'dry-run': { type: 'boolean', default: false },
  env: { type: 'string' },
  operator: { type: 'string' },
  'free-plan': { type: 'boolean', default: false },
  'new-root-secret': { type: 'boolean', default: false },
  'take-host': { type: 'boolean', default: false },
  retire: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

/** What the person asked for. Throws for arguments that are not among the flags. */
export function readOptions(args: readonly string[]) {
  return parseArgs({ args: [...args], options: flags, strict: true }).values
}

/** What the service takes from a secret. The manual "Operate" says what each is for. */
const providerSecrets = [
  'RESEND_API_KEY',
  'RESEND_WEBHOOK_SECRET',
  'TWILIO_ACCOUNT_SID',
  'TWILIO_AUTH_TOKEN',
  'TWILIO_MESSAGING_SERVICE_SID',
  'TWILIO_SHORTCODE',
  'QSTASH_TOKEN',
  'QSTASH_CURRENT_SIGNING_KEY',
  'QSTASH_NEXT_SIGNING_KEY',
  'QSTASH_CALLBACK_URL',
  'POS_GATEWAY_URL',
  'POS_GATEWAY_SECRET',
  'DUB_API_KEY',
  'CLICKHOUSE_URL',
  'CLICKHOUSE_USER',
  'CLICKHOUSE_PASSWORD',
]

/** The names that only the deployment itself writes. */
const OWN = ['ROOT_SECRET', 'OPERATOR_KEY']

/** What wrangler logs in with, when it is in the environment. */
const LOGINS = ['CLOUDFLARE_API_TOKEN', 'CLOUDFLARE_API_KEY', 'CLOUDFLARE_EMAIL']

type Texts = Readonly<Record<string, string | undefined>>

/**
 * The secrets of one deployment, in a file that only its user can read, outside the project: `NAME=value`, a line each.
 * It is the copy of the root secret, and the place from which providers' secrets are sent to the service. It need not
 * exist.
 */
export class KeptSecrets {
  readonly path: string
  readonly #environment: Texts

  constructor(name: string, environment: Texts) {
    this.path = join(dirname(loginPath(environment)), 'deployments', `${name}.env`)
    this.#environment = environment
  }

  /** The value of a name; null: the file has none. */
  get(name: string): string | null {
    return this.#values().find(([known]) => known === name)?.[1] ?? null
  }

  /** The providers' secrets in the file. */
  provided(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#values().filter(([name]) => providerSecrets.includes(name)))
  }

  /** A sentence for each line that is no secret of the service. */
  problems(): readonly string[] {
    const unknown = this.#values().filter(([name]) => ![...providerSecrets, ...OWN].includes(name))
    return unknown.map(
      ([name]) =>
        `${this.path} has a line ${name}, which is no secret of the service.${suggestion(name, providerSecrets)}`,
    )
  }

  /** Puts a line into the file, in place of an earlier one with this name. */
  keep(name: string, value: string): void {
    const lines = (readTextFile(this.path) ?? '').split('\n')
    const others = lines.filter((line) => line !== '' && !line.startsWith(`${name}=`))
    writePrivateFile(this.path, [...others, `${name}=${value}`, ''].join('\n'))
  }

  /** A text without the values of the file, and without the login of wrangler. */
  hidden(text: string): string {
    const secrets = [
      ...this.#values().map(([, value]) => value),
      ...LOGINS.map((name) => this.#environment[name]),
    ]
    return secrets.reduce<string>(
      (rest, secret = '') => (secret.length < 6 ? rest : rest.replaceAll(secret, '(hidden)')),
      text,
    )
  }

  #values(): readonly (readonly [name: string, value: string])[] {
    const lines = Object.entries(parseEnv(readTextFile(this.path) ?? '')) as [string, string][]
    return lines.filter(([, value]) => value !== '')
  }
}

/** The login may not read this. */
class Denied extends Error {}

const API = 'https://api.cloudflare.com/client/v4'

/** Codes of the API with which it says that there is no such Worker, subdomain, database or bucket. */
const NOT_FOUND_CODES = [10007, 10090, 7404, 10006]

/** The code with which it says that the account has not switched R2 on. */
const NO_R2_CODE = 10042

const Envelope = v.object({
  errors: v.optional(v.array(v.object({ code: v.number(), message: v.string() })), []),
  result: v.unknown(),
})
const Credentials = v.object({
  token: v.optional(v.string()),
  key: v.optional(v.string(), ''),
  email: v.optional(v.string(), ''),
})

/** Opens an account with the login of wrangler, which is asked for it and never written anywhere. */
async function openAccount(id: string, { wrangler, reach, environment }: World): Promise<Account> {
  const { stdout } = await wrangler(['auth', 'token', '--json'], 'read')
  const { token, key, email } = v.parse(Credentials, jsonIn(stdout))
  const headers: Record<string, string> =
    token === undefined ? { 'x-auth-key': key, 'x-auth-email': email } : { authorization: `Bearer ${token}` }
  const root = environment.CLOUDFLARE_API_BASE_URL ?? API
  return {
    id,
    get: async (path, schema) => {
      const url = `${root}${path.startsWith('/') ? path : `/accounts/${id}/${path}`}`
      const response = await reach(new Request(url, { headers }))
      const { errors, result } = v.parse(Envelope, await response.json())
      if (response.ok) return v.parse(schema, result)
      const [{ code, message } = { code: 0, message: `status ${response.status}` }] = errors
      if (NOT_FOUND_CODES.includes(code)) return null
      const said = `Cloudflare answered: ${message} (code ${code}).`
      if (response.status !== 401 && code !== 10000) throw new Error(said)
      throw new Denied(`${said} Give the login the permissions that the manual lists.`)
    },
  }
}

/** The JSON in what wrangler printed, which may write a note before it. */
function jsonIn(stdout: string): unknown {
  return JSON.parse(stdout.slice(Math.max(0, stdout.search(/^[[{]/m))))
}

const Who = v.object({
  loggedIn: v.boolean(),
  email: v.optional(v.string(), 'a token'),
  accounts: v.optional(v.array(v.object({ id: v.string(), name: v.string() })), []),
})

/** Finds out who is logged in, and opens the account that is meant: the one that is named, or else the only one. */
export async function login(deployment: Deployment): Promise<string> {
  const { world, options, file } = deployment
  const { stdout, exitCode } = await world.wrangler(['whoami', '--json'], 'read')
  const who = exitCode === 0 ? v.parse(Who, jsonIn(stdout)) : null
  if (who?.loggedIn !== true) {
    if (options['dry-run']) return 'nobody is logged in, so what follows is the plan for an empty account'
    throw new Error(
      'Nobody is logged in to Cloudflare, or the token in CLOUDFLARE_API_TOKEN is not accepted. Log in with "npx wrangler login", or set CLOUDFLARE_API_TOKEN.',
    )
  }
  const wanted = (file.account_id ?? world.environment.CLOUDFLARE_ACCOUNT_ID ?? '') || null
  const [only, ...others] = who.accounts.filter(({ id }) => wanted === null || id === wanted)
  if (only === undefined || others.length > 0)
    throw new Error(
      `This login ${wanted === null ? 'reaches no account, or several' : `does not reach the account ${wanted}`}. It reaches ${who.accounts.map(({ name, id }) => `${name} (${id})`).join(', ') || 'none'}. Set CLOUDFLARE_ACCOUNT_ID, or account_id in wrangler.toml, to the id of the one that is meant.`,
    )
  deployment.account = await openAccount(only.id, world)
  return `${who.email}, for the account ${only.name} (${only.id})`
}

const Subscriptions = v.array(
  v.object({ rate_plan: v.optional(v.object({ id: v.optional(v.string(), '') })) }),
)

/** The plans of Workers that allow a request more than the 10 ms of CPU of the free one. */
const PAID = /workers.*(?:paid|bundled|standard|unbound|enterprise)|enterprise/i

const WHY = 'A form password takes 14 ms of CPU to check (PBKDF2), and the free plan allows 10 ms a request.'

/** Refuses an account without the paid plan of Workers, which not every login may read. */
export async function plan({ account, options, remarks }: Deployment): Promise<string> {
  if (account === null) return `the paid plan of Workers is needed. ${WHY}`
  const page = `https://dash.cloudflare.com/${account.id}/workers/plans`
  const plans = await account.get('subscriptions', Subscriptions).catch(nullIfDenied)
  if (plans === null) {
    remarks.push(`Look whether the account has the paid plan of Workers: ${page}. ${WHY}`)
    return 'not known: this login may not read what the account pays for'
  }
  if (plans.some(({ rate_plan: rate }) => PAID.test(rate?.id ?? ''))) return 'the paid plan of Workers'
  if (!options['free-plan'])
    throw new Error(
      `The account has no paid plan of Workers. ${WHY} Choose it at ${page}, or give --free-plan to go on without forms that have a password.`,
    )
  remarks.push(`Forms with a password do not work before the account has the paid plan: ${page}. ${WHY}`)
  return 'the free plan of Workers, as --free-plan allows'
}

function nullIfDenied(error: unknown): null {
  if (error instanceof Denied) return null
  throw error
}

/** The host of `routes`; null: the service answers under workers.dev alone. */
export function hostOf(file: WranglerFile): string | null {
  const address = deployedAddress(file)
  return 'url' in address ? new URL(address.url).host : null
}

const Settings = v.object({ bindings: v.array(v.object({ type: v.string(), name: v.string() })) })
const Subdomain = v.object({ subdomain: v.string() })
const Names = v.array(v.object({ name: v.string() }))

/**
 * Finds out at which address the service answers, which secrets it has, and that neither the name of the Worker nor the
 * host is taken: without a terminal, wrangler replaces what has them, and does not ask.
 */
export async function address(deployment: Deployment): Promise<string> {
  const { account, file } = deployment
  const host = hostOf(file)
  let workersDev = 'ACCOUNT'
  if (account !== null) {
    const worker = await account.get(`workers/scripts/${file.name}/settings`, Settings)
    if (worker !== null && !worker.bindings.some(({ type, name }) => type === 'd1' && name === 'DB'))
      throw new Error(
        `The account has a Worker ${file.name} that is not this service: it has no database DB. Give this one another name, in the first line of wrangler.toml.`,
      )
    const secrets = (await account.get(`workers/scripts/${file.name}/secrets`, Names)) ?? []
    deployment.served = secrets.map(({ name }) => name)
    if (host !== null) await refuseTaken(deployment, account, host)
    else workersDev = (await account.get('workers/subdomain', Subdomain))?.subdomain ?? ''
    if (workersDev === '')
      throw new Error(
        `The account has no address under workers.dev yet, and wrangler.toml names no host of its own. Choose one at https://dash.cloudflare.com/${account.id}/workers/onboarding, or set routes in wrangler.toml.`,
      )
  }
  deployment.url = `https://${host ?? `${file.name}.${workersDev}.workers.dev`}`
  return deployment.url
}

const Domains = v.array(v.object({ hostname: v.string(), service: v.string() }))
const Zones = v.array(v.object({ id: v.string() }))

/** Refuses a host that another Worker or other DNS records have, and one outside the domains of the account. */
async function refuseTaken(
  { world, options, file }: Deployment,
  account: Account,
  host: string,
): Promise<void> {
  const parts = host.split('.')
  const domains = parts.slice(0, -1).map((_, index) => parts.slice(index).join('.'))
  const zones = await Promise.all(
    domains.map((name) => account.get(`/zones?name=${name}&account.id=${account.id}`, Zones)),
  )
  const zone = zones.flat().find((found) => found !== null)
  if (zone === undefined)
    throw new Error(
      `The account serves no domain that ${host} belongs to. Add the domain in the dashboard (Websites, Add a domain), or correct routes in wrangler.toml.`,
    )
  const owners = (await account.get('workers/domains', Domains)) ?? []
  const owner = owners.find(({ hostname }) => hostname === host)?.service
  if (owner !== undefined && owner !== file.name)
    throw new Error(
      `${host} belongs to the Worker ${owner}, and wrangler would take it away from there. Remove it there, or choose another host in routes.`,
    )
  if (owner !== undefined || options['take-host']) return
  const records = await account
    .get(`/zones/${zone.id}/dns_records?name=${host}`, v.array(v.unknown()))
    .catch(nullIfDenied)
  if (records === null ? await world.resolves(host) : records.length > 0)
    throw new Error(
      `${host} has DNS records already, and wrangler would replace them. Remove them, choose another host in routes, or give --take-host when they may go.`,
    )
}

const Consumers = v.optional(v.array(v.object({ script: v.optional(v.string()) })), [])
const Queues = v.array(v.object({ queue_name: v.string(), consumers: Consumers }))

/**
 * Refuses a queue that another Worker reads, and buckets that the account or the login cannot have: wrangler creates what
 * is missing, but would notice these when the new version serves already.
 */
export async function storage({ account, file }: Deployment): Promise<string> {
  const queues = file.queues.producers.map(({ queue }) => queue)
  const buckets = file.r2_buckets.map(({ bucket_name: name }) => name)
  for (const name of queues) {
    const found = (await account?.get(`queues?name=${encodeURIComponent(name)}`, Queues)) ?? []
    const readers = found.flatMap((queue) => (queue.queue_name === name ? queue.consumers : []))
    const other = readers.find(({ script = file.name }) => script !== file.name)?.script
    if (other !== undefined)
      throw new Error(
        `The Worker ${other} reads the queue ${name}, and a queue has one reader. Give the queue another name in wrangler.toml, in [[queues.producers]] and [[queues.consumers]].`,
      )
  }
  for (const name of buckets)
    await account?.get(`r2/buckets/${encodeURIComponent(name)}`, v.unknown()).catch((error: unknown) => {
      const { message } = error as Error
      if (!message.includes(`code ${NO_R2_CODE}`)) throw error
      throw new Error(
        `${message} Switch it on there (R2, Overview), or remove [[r2_buckets]] from wrangler.toml to go without daily backups.`,
      )
    })
  return [...queues, ...buckets].join(', ')
}
