import { randomUUID } from 'node:crypto'
import type { CloudflareAccount, Script, Version } from './account.ts'
import type { Answer } from './routes.ts'
import { routes } from './routes.ts'
import type { StandIn, StandInAnswer, StandInRequest } from '../providers/stand-in.ts'
import { openStandIn } from '../providers/stand-in.ts'

/** The token that the stand-in accepts. */
export const TOKEN = 'a-token-of-the-stand-in-for-cloudflare'

/** A stand-in for Cloudflare's API on this machine, for the real wrangler (`CLOUDFLARE_API_BASE_URL`). */
export function openCloudflare(account: CloudflareAccount): Promise<StandIn> {
  return openStandIn((request) => answerFor(account, request))
}

/**
 * What Cloudflare's API answers, as it is documented. What it is given is kept in the account. Requests that it does not
 * know are answered 404, as the API does.
 */
export function answerFor(account: CloudflareAccount, request: StandInRequest): StandInAnswer {
  if (request.headers.authorization !== `Bearer ${TOKEN}`) return reply(WRONG_TOKEN)
  const { pathname, searchParams } = new URL(request.path, 'http://cloudflare')
  const upload = /^\/accounts\/\w+\/workers\/scripts\/([^/]+)(?:\/versions)?$/.exec(pathname)
  if (upload?.[1] !== undefined && /^(?:PUT|POST)$/.test(request.method))
    return reply(takeUpload(account, upload[1], request))
  for (const [method, path, handler] of routes) {
    const parts = method === request.method ? match(path, pathname, account.id) : null
    if (parts === null) continue
    const json = () => JSON.parse(request.body) as Readonly<Record<string, unknown>>
    return reply(handler({ account, parts, query: searchParams, json }))
  }
  return reply({ status: 404, code: 7003, message: `No route for ${request.method} ${pathname}` })
}

const WRONG_TOKEN = { status: 401, code: 10000, message: 'Authentication error' }

function reply(answer: Answer): StandInAnswer {
  if ('code' in answer) {
    const { status, code, message } = answer
    return { status, body: { success: false, errors: [{ code, message }], messages: [], result: null } }
  }
  const { result, paged } = answer
  const length = Array.isArray(result) ? result.length : 0
  const info = { page: 1, per_page: 100, count: length, total_count: length, total_pages: 1 }
  return {
    status: 200,
    body: {
      success: true,
      errors: [],
      messages: [],
      result,
      ...(paged === true ? { result_info: info } : {}),
    },
  }
}

/** The parts of a path that a route leaves open; null: the route is another one. */
function match(route: string, pathname: string, accountId: string): readonly string[] | null {
  const wanted = (route.startsWith('/') ? route : `/accounts/${accountId}/${route}`).split('/')
  const given = pathname.split('/')
  if (wanted.length !== given.length) return null
  if (!wanted.every((part, index) => part === '*' || part === given[index])) return null
  return given.filter((_, index) => wanted[index] === '*').map(decodeURIComponent)
}

/** What an upload says of a version. */
export interface Metadata {
  readonly main_module: string
  readonly compatibility_date: string
  readonly bindings: readonly { readonly type: string; readonly name: string; readonly text?: string }[]
}

/** Takes the upload of a script or a version: a multipart form with the metadata and the modules. */
function takeUpload(account: CloudflareAccount, name: string, request: StandInRequest): Answer {
  const parts = partsOf(request)
  const metadata = JSON.parse(parts.get('metadata') ?? '{}') as Metadata
  const modules = new Map([...parts].filter(([path]) => path.endsWith('.js')))
  return upload(account, name, metadata, { modules, isDeployed: request.method === 'PUT' })
}

/** Adds a version to a Worker, and serves it. */
export function upload(
  account: CloudflareAccount,
  name: string,
  metadata: Metadata,
  { modules, isDeployed }: { readonly modules: Version['modules']; readonly isDeployed: boolean },
): Answer {
  const before = account.scripts.get(name)
  const { bindings } = metadata
  const secrets = bindings.filter(({ type }) => type === 'secret_text')
  const version: Version = {
    id: randomUUID(),
    number: (before?.versions.length ?? 0) + 1,
    bindings: bindings
      .filter(({ type }) => type !== 'secret_text')
      .map((each) =>
        each.type === 'inherit'
          ? (before?.history[0]?.bindings.find((old) => old.name === each.name) ?? each)
          : each,
      ),
    compatibilityDate: metadata.compatibility_date,
    mainModule: metadata.main_module,
    modules,
  }
  const script: Script = before ?? {
    name,
    versions: [],
    history: [],
    secrets: new Map(),
    schedules: [],
    hasSubdomain: false,
    domains: [],
  }
  script.versions.unshift(version)
  if (isDeployed) script.history.unshift(version)
  for (const { name: secret, text = '' } of secrets) script.secrets.set(secret, text)
  account.scripts.set(name, script)
  return {
    result: {
      id: version.id,
      etag: 'etag',
      pipeline_hash: 'hash',
      mutable_pipeline_id: 'pipeline',
      deployment_id: version.id,
      startup_time_ms: 10,
      metadata: {},
      number: version.number,
    },
  }
}

/** The parts of a multipart body, by name. */
function partsOf({ headers, body }: StandInRequest): ReadonlyMap<string, string> {
  const boundary = /boundary="?([^";]+)/.exec(headers['content-type'] ?? '')?.[1] ?? ''
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => {
      const end = part.indexOf('\r\n\r\n')
      const name = /name="([^"]*)"/.exec(part.slice(0, end))?.[1] ?? ''
      return [name, part.slice(end + 4, -2)] as const
    })
  return new Map(parts)
}
