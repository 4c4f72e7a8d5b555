import { randomUUID } from 'node:crypto'
import { openStandIn, type StandIn, type StandInAnswer, type StandInRequest } from '../providers/stand-in.ts'
import {
  addDatabase,
  upload,
  type CloudflareAccount,
  type Database,
  type Script,
  type Version,
} from './account.ts'

/** The token that the stand-in accepts. */
export const TOKEN = 'a-token-of-the-stand-in-for-cloudflare'

/** What the API answers: a result, or an error with its code. */
type Answer =
  | { readonly result: unknown }
  | { readonly status: number; readonly code: number; readonly message: string }

interface Asked {
  readonly account: CloudflareAccount
  /** The parts of the path that the route leaves open. */
  readonly parts: readonly string[]
  readonly query: URLSearchParams
  readonly json: () => Readonly<Record<string, unknown>>
  readonly request: StandInRequest
}

/** A stand-in for Cloudflare's API on this machine, for the real wrangler (`CLOUDFLARE_API_BASE_URL`). */
export function openCloudflare(account: CloudflareAccount): Promise<StandIn> {
  return openStandIn((request) => answerFor(account, request))
}

/**
 * What Cloudflare's API answers, as it is documented. What it is given is kept in the account. Requests that it does not
 * know are answered 404, as the API does.
 */
export function answerFor(account: CloudflareAccount, request: StandInRequest): StandInAnswer {
  if (request.headers.authorization !== `Bearer ${TOKEN}`)
    return reply(refused(401, 10000, 'Authentication error'))
  const { pathname, searchParams: query } = new URL(request.path, 'http://cloudflare')
  for (const [route, handler] of Object.entries(routes)) {
    const [method = '', path = ''] = route.split(' ')
    const parts = method === request.method ? match(path, pathname, account.id) : null
    if (parts === null) continue
    const json = () => JSON.parse(request.body) as Readonly<Record<string, unknown>>
    return reply(handler({ account, parts, query, json, request }))
  }
  return reply(refused(404, 7003, `No route for ${request.method} ${pathname}`))
}

function reply(answer: Answer): StandInAnswer {
  if ('code' in answer) {
    const { status, code, message } = answer
    return { status, body: { success: false, errors: [{ code, message }], messages: [], result: null } }
  }
  const { result } = answer
  const count = Array.isArray(result) ? result.length : 0
  const info = { page: 1, per_page: 100, count, total_count: count, total_pages: 1 }
  return { status: 200, body: { success: true, errors: [], messages: [], result, result_info: info } }
}

/** The parts of a path that a route leaves open; null: the route is another one. */
function match(route: string, pathname: string, accountId: string): readonly string[] | null {
  const wanted = (route.startsWith('/') ? route : `/accounts/${accountId}/${route}`).split('/')
  const given = pathname.split('/')
  if (wanted.length !== given.length) return null
  if (!wanted.every((part, index) => part === '*' || part === given[index])) return null
  return given.filter((_, index) => wanted[index] === '*').map(decodeURIComponent)
}

const refused = (status: number, code: number, message: string): Answer => ({ status, code, message })
const DENIED = refused(403, 10000, 'Authentication error')
const NO_R2 = refused(403, 10042, 'Please enable R2 through the Cloudflare Dashboard.')
const accepted = (): Answer => ({ result: {} })

/**
 * The routes of Cloudflare's API that a deployment needs, with their documented answers. `*` stands for one part of a
 * path; a path without a leading slash is below the account.
 */
const routes: Readonly<Record<string, (asked: Asked) => Answer>> = {
  'GET /user/tokens/verify': () => ({ result: { id: 'token', status: 'active' } }),
  'GET /user': () => ({ result: { id: 'user', email: 'ada@example.com' } }),
  'GET /memberships': ({ account: { id, name } }) => ({ result: [{ id: 'member', account: { id, name } }] }),
  'GET /accounts': ({ account: { id, name } }) => ({ result: [{ id, name }] }),
  'GET /zones': ({ account: { zones }, query }) => ({
    result: [...zones]
      .filter((name) => name === query.get('name'))
      .map((name) => ({ id: `zone-${name}`, name })),
  }),
  'GET /zones/*/dns_records': ({ account: { hosts }, query }) =>
    hosts === null ? DENIED : { result: [...hosts].filter((name) => name === query.get('name')) },
  'GET subscriptions': ({ account: { plans } }) =>
    plans === null ? DENIED : { result: plans.map((id) => ({ state: 'Paid', rate_plan: { id } })) },

  'POST d1/database': ({ account, json }) => ({
    result: described(addDatabase(account, String(json().name))),
  }),
  'GET d1/database/*': (asked) => ofDatabase(asked, (database) => ({ result: described(database) })),
  'POST d1/database/*/query': (asked) => ofDatabase(asked, (database) => runSql(database, asked)),

  'GET queues': ({ account: { queues }, query }) => {
    const names = query.getAll('name')
    const all = [...queues.values()]
    return { result: all.filter(({ queue_name: name }) => names.length === 0 || names.includes(name)) }
  },
  'POST queues': ({ account: { queues }, json }) => {
    const queue = {
      queue_id: randomUUID().replaceAll('-', ''),
      queue_name: String(json().queue_name),
      consumers: [],
    }
    queues.set(queue.queue_name, queue)
    return { result: queue }
  },
  'POST queues/*/consumers': addConsumer,
  'PUT queues/*/consumers/*': accepted,

  'GET r2/buckets': ({ account: { buckets } }) =>
    buckets === null ? NO_R2 : { result: { buckets: [...buckets].map((name) => ({ name })) } },
  'GET r2/buckets/*': ({ account: { buckets }, parts: [name = ''] }) => {
    if (buckets === null) return NO_R2
    return buckets.has(name)
      ? { result: { name } }
      : refused(404, 10006, 'The specified bucket does not exist.')
  },
  'POST r2/buckets': ({ account: { buckets }, json }) => {
    if (buckets === null) return NO_R2
    buckets.add(String(json().name))
    return accepted()
  },

  'GET workers/subdomain': ({ account: { subdomain } }) =>
    subdomain === null
      ? refused(404, 10007, 'This account does not have a workers.dev subdomain')
      : { result: { subdomain } },
  'GET workers/domains': ({ account: { scripts } }) => ({
    result: [...scripts.values()].flatMap(({ name, domains }) =>
      domains.map((hostname) => ({ hostname, service: name })),
    ),
  }),
  'GET workers/services/*': (asked) =>
    ofScript(asked, ({ name }) => {
      const environment = { environment: 'production', script: { last_deployed_from: 'wrangler' } }
      return { id: name, default_environment: environment }
    }),
  'GET workers/workers/*': (asked) => ofScript(asked, ({ name }) => ({ id: name, name, subdomain: EXPOSED })),
  'PUT workers/scripts/*': takeUpload,
  'GET workers/scripts/*/settings': (asked) => ofScript(asked, settings),
  'GET workers/scripts/*/secrets': (asked) => ofScript(asked, ({ secrets }) => hidden(secrets)),
  'POST workers/scripts/*/subdomain': () => ({ result: EXPOSED }),
  'PUT workers/scripts/*/schedules': (asked) =>
    ofScript(asked, (script) => {
      script.schedules = asked.json() as unknown as typeof script.schedules
      return { schedules: script.schedules }
    }),
  'PATCH workers/scripts/*/script-settings': accepted,
  'POST workers/scripts/*/assets-upload-session': () => ({ result: { jwt: 'jwt', buckets: [] } }),
  'GET workers/scripts/*/versions': (asked) =>
    ofScript(asked, ({ versions }) => ({ items: versions.map(summary) })),
  'GET workers/scripts/*/versions/*': (asked) =>
    ofScript(asked, ({ versions }) => {
      const found = versions.find(({ id }) => id === asked.parts[1])
      const { bindings = [], compatibility_date: date } = found?.metadata ?? {}
      const script = { etag: 'etag', handlers: ['fetch'] }
      const resources = { bindings, script, script_runtime: { compatibility_date: date } }
      return found === undefined ? null : { ...summary(found), resources }
    }),
  'GET workers/scripts/*/deployments': (asked) =>
    ofScript(asked, ({ history }) => ({
      deployments: history.map(({ id }, index) => ({
        id: `deployment-${index}`,
        source: 'wrangler',
        strategy: 'percentage',
        author_email: 'ada@example.com',
        created_on: CREATED,
        annotations: {},
        versions: [{ version_id: id, percentage: 100 }],
      })),
    })),
  'POST workers/scripts/*/deployments': (asked) =>
    ofScript(asked, ({ versions, history }) => {
      const { versions: wanted } = asked.json() as {
        readonly versions: readonly { readonly version_id: string }[]
      }
      history.unshift(...versions.filter(({ id }) => id === wanted[0]?.version_id))
      return { id: 'deployment' }
    }),
}

const CREATED = '2026-01-01T00:00:00.000000Z'
const EXPOSED = { enabled: true, previews_enabled: false }

const described = ({ uuid, name }: Database) => ({ uuid, name, version: 'production' })
const hidden = (secrets: Script['secrets']) =>
  [...secrets.keys()].map((name) => ({ type: 'secret_text', name }))

function summary({ id }: Version, index = 0) {
  const metadata = { created_on: CREATED, source: 'wrangler', author_email: 'ada@example.com' }
  return { id, number: index + 1, metadata, annotations: {} }
}

function ofDatabase({ account, parts: [given = ''] }: Asked, work: (database: Database) => Answer): Answer {
  const found = [...account.databases.values()].find(({ uuid, name }) => uuid === given || name === given)
  return found === undefined ? refused(404, 7404, `The database ${given} could not be found`) : work(found)
}

function ofScript({ account, parts: [name = ''] }: Asked, work: (script: Script) => unknown): Answer {
  const script = account.scripts.get(name)
  if (script !== undefined) return { result: work(script) }
  return refused(404, 10007, 'This Worker does not exist on your account.')
}

/** Runs SQL as D1 does: several statements are one transaction, and a single one answers its rows. */
function runSql({ sqlite }: Database, { json }: Asked): Answer {
  const { sql, params = [] } = json() as { readonly sql: string; readonly params?: string[] }
  const result = (results: unknown) => ({ result: [{ success: true, results, meta: { duration: 1 } }] })
  try {
    if (/^\s*SELECT/i.test(sql)) return result(sqlite.prepare(sql).all(...params))
    sqlite.exec(`BEGIN; ${sql}\n; COMMIT`)
    return result([])
  } catch (error) {
    if (sqlite.isTransaction) sqlite.exec('ROLLBACK')
    return refused(400, 7500, (error as Error).message)
  }
}

function addConsumer({ account, parts: [id], json }: Asked): Answer {
  const queue = [...account.queues.values()].find(({ queue_id }) => queue_id === id)
  const script = String(json().script_name)
  if (queue === undefined) return refused(404, 11000, 'Queue not found')
  if (queue.consumers.length > 0) return refused(409, 11004, 'The queue has a consumer already')
  queue.consumers.push({ consumer_id: `consumer-of-${script}`, type: 'worker', script })
  return accepted()
}

function settings({ history, secrets }: Script) {
  const { bindings = [], compatibility_date: date } = history[0]?.metadata ?? {}
  return { bindings: [...bindings, ...hidden(secrets)], compatibility_date: date, migration_tag: 'v1' }
}

/** Takes the upload of a script: a multipart form with the metadata and the modules. */
function takeUpload({ account, parts: [name = ''], request: { headers, body } }: Asked): Answer {
  const boundary = /boundary="?([^";]+)/.exec(headers['content-type'] ?? '')?.[1] ?? ''
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => {
      const end = part.indexOf('\r\n\r\n')
      return [/name="([^"]*)"/.exec(part.slice(0, end))?.[1] ?? '', part.slice(end + 4, -2)] as const
    })
  const [, metadata = '{}'] = parts.find(([part]) => part === 'metadata') ?? []
  const modules = new Map(parts.filter(([path]) => path.endsWith('.js')))
  const { id } = upload(account, name, JSON.parse(metadata) as Version['metadata'], modules)
  return { result: { id, etag: 'etag', deployment_id: id, startup_time_ms: 10, metadata: {} } }
}
