import * as v from 'valibot'
import type { WranglerFile } from '../local/project.ts'
import { deployedAddress } from '../operator/client/choose-service.ts'
import type { Account, Deployment, World } from './deployment.ts'

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
