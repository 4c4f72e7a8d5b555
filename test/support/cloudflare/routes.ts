import type { CloudflareAccount, Database, Script } from './account.ts'
import { newDatabase, newQueue } from './account.ts'

/** What the API answers: a result, or an error with its code. */
export type Answer =
  | { readonly result: unknown; readonly paged?: true }
  | { readonly status: number; readonly code: number; readonly message: string }

export interface Asked {
  readonly account: CloudflareAccount
  /** The parts of the path that the route leaves open. */
  readonly parts: readonly string[]
  readonly query: URLSearchParams
  readonly json: () => Readonly<Record<string, unknown>>
}

type Handler = (asked: Asked) => Answer

const refused = (status: number, code: number, message: string): Answer => ({ status, code, message })

/**
 * The routes of Cloudflare's API that a deployment needs, but for the upload of a script, with their documented answers.
 * `*` stands for one part of a path; a path without a leading slash is below the account.
 */
export const routes: readonly (readonly [method: string, path: string, handler: Handler])[] = [
  ['GET', '/user/tokens/verify', () => ({ result: { id: 'token', status: 'active' } })],
  ['GET', '/user', () => ({ result: { id: 'user', email: 'ada@example.com' } })],
  ['GET', '/memberships', ({ account }) => paged([{ id: 'member', account: named(account) }])],
  ['GET', '/accounts', ({ account }) => paged([named(account)])],
  ['GET', '/zones', ({ account, query }) => paged(zonesOf(account, query))],
  ['GET', '/zones/*/dns_records', dnsRecords],
  ['GET', 'subscriptions', ({ account: { plans } }) => subscriptions(plans)],

  ['GET', 'd1/database', ({ account }) => paged([...account.databases.values()].map(described))],
  ['POST', 'd1/database', createDatabase],
  ['GET', 'd1/database/*', (asked) => ofDatabase(asked, (database) => ({ result: described(database) }))],
  ['POST', 'd1/database/*/query', (asked) => ofDatabase(asked, (database) => query(database, asked))],

  ['GET', 'queues', listQueues],
  ['POST', 'queues', createQueue],
  ['GET', 'queues/*', ({ account, parts: [id] }) => ({ result: queueOf(account, id) })],
  ['GET', 'queues/*/consumers', ({ account, parts: [id] }) => paged(queueOf(account, id)?.consumers ?? [])],
  ['POST', 'queues/*/consumers', addConsumer],
  ['PUT', 'queues/*/consumers/*', () => ({ result: {} })],

  [
    'GET',
    'r2/buckets',
    ({ account }) => ({ result: { buckets: [...account.buckets].map((name) => ({ name })) } }),
  ],
  ['GET', 'r2/buckets/*', findBucket],
  ['POST', 'r2/buckets', createBucket],

  ['GET', 'workers/subdomain', subdomain],
  ['GET', 'workers/services/*', (asked) => ofScript(asked, (script) => ({ result: service(script) }))],
  ['GET', 'workers/workers/*', (asked) => ofScript(asked, (script) => ({ result: worker(script) }))],
  ['GET', 'workers/domains', domains],
  [
    'POST',
    'workers/scripts/*/domains/changeset',
    () => ({ result: { added: [], removed: [], updated: [], conflicting: [] } }),
  ],
  ['PUT', 'workers/scripts/*/domains/records', (asked) => ofScript(asked, (script) => attach(script, asked))],
  ['GET', 'workers/scripts/*/settings', (asked) => ofScript(asked, settings)],
  ['GET', 'workers/scripts/*/secrets', (asked) => ofScript(asked, secrets)],
  ['PUT', 'workers/scripts/*/secrets', (asked) => ofScript(asked, (script) => putSecret(script, asked))],
  ['GET', 'workers/scripts/*/subdomain', (asked) => ofScript(asked, exposed)],
  [
    'POST',
    'workers/scripts/*/subdomain',
    (asked) =>
      ofScript(asked, (script) => {
        script.hasSubdomain = asked.json().enabled === true
        return exposed(script)
      }),
  ],
  [
    'PUT',
    'workers/scripts/*/schedules',
    (asked) =>
      ofScript(asked, (script) => {
        script.schedules = asked.json() as unknown as typeof script.schedules
        return { result: { schedules: script.schedules } }
      }),
  ],
  ['PATCH', 'workers/scripts/*/script-settings', () => ({ result: {} })],
  ['GET', 'workers/scripts/*/versions', (asked) => ofScript(asked, versions)],
  ['GET', 'workers/scripts/*/versions/*', (asked) => ofScript(asked, (script) => version(script, asked))],
  ['GET', 'workers/scripts/*/deployments', (asked) => ofScript(asked, deployments)],
  ['POST', 'workers/scripts/*/deployments', (asked) => ofScript(asked, (script) => deploy(script, asked))],
  ['POST', 'workers/scripts/*/assets-upload-session', () => ({ result: { jwt: 'jwt', buckets: [] } })],
]

const DENIED = refused(403, 10000, 'Authentication error')

const paged = (result: readonly unknown[]): Answer => ({ result, paged: true })
const named = ({ id, name }: CloudflareAccount) => ({ id, name })
const described = ({ uuid, name }: Database) => ({ uuid, name, version: 'production' })

function zonesOf({ zones, id }: CloudflareAccount, asked: URLSearchParams) {
  return [...zones]
    .filter((name) => [null, name].includes(asked.get('name')))
    .map((name) => ({ id: `zone-${name}`, name, status: 'active', account: { id } }))
}

function dnsRecords({ account: { hosts }, query: asked }: Asked): Answer {
  if (hosts === null) return DENIED
  return paged([...hosts].filter((name) => name === asked.get('name')).map((name) => ({ name, type: 'A' })))
}

function subscriptions(plans: readonly string[] | null): Answer {
  if (plans === null) return DENIED
  return paged(plans.map((id) => ({ id: `subscription-${id}`, state: 'Paid', rate_plan: { id } })))
}

function createDatabase({ account, json }: Asked): Answer {
  const name = String(json().name)
  if (account.databases.has(name))
    return refused(400, 7502, `Database with name '${name}' already exists, please choose a different name`)
  const database = newDatabase(name)
  account.databases.set(name, database)
  return { result: described(database) }
}

function ofDatabase({ account, parts: [given] }: Asked, work: (database: Database) => Answer): Answer {
  const found = [...account.databases.values()].find(({ uuid, name }) => uuid === given || name === given)
  return found === undefined ? refused(404, 7404, `The database ${given} could not be found`) : work(found)
}

/** Runs SQL as D1 does: several statements are one transaction, and a single one answers its rows. */
function query({ sqlite }: Database, { json }: Asked): Answer {
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

function listQueues({ account, query: asked }: Asked): Answer {
  const names = asked.getAll('name')
  return paged(
    [...account.queues.values()].filter(({ queue_name: name }) => names.length === 0 || names.includes(name)),
  )
}

function createQueue({ account, json }: Asked): Answer {
  const name = String(json().queue_name)
  if (account.queues.has(name)) return refused(409, 11009, `Queue name '${name}' is already taken`)
  account.queues.set(name, newQueue(name))
  return { result: account.queues.get(name) }
}

function queueOf({ queues }: CloudflareAccount, id: string | undefined) {
  return [...queues.values()].find(({ queue_id }) => queue_id === id)
}

function addConsumer({ account, parts: [id], json }: Asked): Answer {
  const queue = queueOf(account, id)
  const script = String(json().script_name)
  if (queue === undefined) return refused(404, 11000, 'Queue not found')
  if (queue.consumers.length > 0) return refused(409, 11004, 'The queue has a consumer already')
  queue.consumers.push({ consumer_id: `consumer-of-${script}`, type: 'worker', script })
  return { result: {} }
}

function findBucket({ account, parts: [name = ''] }: Asked): Answer {
  if (!account.hasR2) return noR2
  if (!account.buckets.has(name)) return refused(404, 10006, 'The specified bucket does not exist.')
  return { result: { name } }
}

function createBucket({ account, json }: Asked): Answer {
  if (!account.hasR2) return noR2
  account.buckets.add(String(json().name))
  return { result: {} }
}

const noR2 = refused(403, 10042, 'Please enable R2 through the Cloudflare Dashboard.')

function subdomain({ account: { subdomain: name } }: Asked): Answer {
  return name === null
    ? refused(404, 10007, 'This account does not have a workers.dev subdomain')
    : { result: { subdomain: name } }
}

function ofScript({ account, parts: [name = ''] }: Asked, work: (script: Script) => Answer): Answer {
  const script = account.scripts.get(name)
  return script === undefined
    ? refused(404, 10007, 'This Worker does not exist on your account.')
    : work(script)
}

function service({ name }: Script) {
  return {
    id: name,
    default_environment: { environment: 'production', script: { last_deployed_from: 'wrangler' } },
  }
}

function settings({ history, secrets: kept }: Script): Answer {
  const { bindings = [], compatibilityDate } = history[0] ?? {}
  const hidden = [...kept.keys()].map((name) => ({ type: 'secret_text', name }))
  return {
    result: {
      bindings: [...bindings, ...hidden],
      compatibility_date: compatibilityDate,
      migration_tag: 'v1',
    },
  }
}

function secrets({ secrets: kept }: Script): Answer {
  return { result: [...kept.keys()].map((name) => ({ name, type: 'secret_text' })) }
}

function putSecret({ secrets: kept }: Script, { json }: Asked): Answer {
  const { name, text } = json() as { readonly name: string; readonly text: string }
  kept.set(name, text)
  return { result: { name, type: 'secret_text' } }
}

function worker({ name, hasSubdomain }: Script) {
  return { id: name, name, subdomain: { enabled: hasSubdomain, previews_enabled: false } }
}

function domains({ account }: Asked): Answer {
  const all = [...account.scripts.values()].flatMap(({ name, domains: hostnames }) =>
    hostnames.map((hostname) => ({ id: hostname, hostname, service: name })),
  )
  return { result: all }
}

/** Gives a Worker its domains, and takes them from whoever had them, as wrangler asks without a terminal. */
function attach(script: Script, { account, json }: Asked): Answer {
  const { origins } = json() as { readonly origins: readonly { readonly hostname: string }[] }
  script.domains = origins.map(({ hostname }) => hostname)
  for (const other of account.scripts.values())
    if (other !== script) other.domains = other.domains.filter((each) => !script.domains.includes(each))
  return { result: null }
}

function exposed({ hasSubdomain }: Script): Answer {
  return { result: { enabled: hasSubdomain, previews_enabled: false } }
}

function versions({ versions: all }: Script): Answer {
  return {
    result: {
      items: all.map(({ id, number }) => ({
        id,
        number,
        metadata: { created_on: CREATED, source: 'wrangler', author_email: 'ada@example.com' },
        annotations: {},
      })),
    },
  }
}

function version({ versions: all }: Script, { parts: [, id] }: Asked): Answer {
  const found = all.find((each) => each.id === id)
  if (found === undefined) return refused(404, 10092, 'version not found')
  const { bindings, number, compatibilityDate } = found
  return {
    result: {
      id,
      number,
      metadata: { created_on: CREATED, source: 'wrangler', author_email: 'ada@example.com' },
      annotations: {},
      resources: {
        bindings,
        script: { etag: 'etag', handlers: ['fetch'] },
        script_runtime: { compatibility_date: compatibilityDate },
      },
    },
  }
}

const CREATED = '2026-01-01T00:00:00.000000Z'

function deployments({ history }: Script): Answer {
  const described = history.map(({ id }, index) => ({
    id: `deployment-${index}`,
    source: 'wrangler',
    strategy: 'percentage',
    author_email: 'ada@example.com',
    created_on: CREATED,
    annotations: {},
    versions: [{ version_id: id, percentage: 100 }],
  }))
  return { result: { deployments: described } }
}

function deploy(script: Script, { json }: Asked): Answer {
  const { versions: wanted } = json() as { readonly versions: readonly { readonly version_id: string }[] }
  const found = script.versions.find(({ id }) => id === wanted[0]?.version_id)
  if (found === undefined) return refused(404, 10092, 'version not found')
  script.history.unshift(found)
  return { result: { id: 'deployment' } }
}
