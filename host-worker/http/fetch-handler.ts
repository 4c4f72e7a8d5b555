import { IttyRouter, type IRequest } from 'itty-router'
import type { Api, Route } from '../../domain/create-api.ts'
import type { Log } from '../../ports/platform.ts'
import type { Address } from '../../domain/record/operation.ts'
import type { Reply, Identity, RoutedRequest } from '../../domain/record/reply.ts'

/** The facts about a request that are known once its response has been made. */
export interface Answered {
  readonly requestId: string
  /** The endpoint's id; the path pattern when the method is wrong; null when there is no such route. */
  readonly endpointId: string | null
  readonly status: number
  /** The organization of the key, or of the form that was submitted; null: none, the platform, or unknown. */
  readonly organizationId: string | null
  /** The id of the key that the request proved to have; null: it has none, or a forged one. */
  readonly keyId: string | null
  /** The submission that the request saved or, if it failed, may have saved; left out: none. */
  readonly submissionId?: string
}

/** What a host provides for one request. */
export interface RequestHost<World> {
  readonly requestId: string
  /** The parsed URL of the request, when the host has parsed it already. */
  readonly url?: URL
  readonly world: World & LoggingWorld
  /** Called once per request, when the response has been made but not yet sent. */
  answered(facts: Answered): void
}

/** The port that the HTTP side itself needs, besides those of its endpoints. */
interface LoggingWorld {
  readonly log: Log
}

const NOBODY: Identity = { organizationId: null, keyId: null }

const NO_HEADERS: Reply['headers'] = {}

/** What is handed to the handler of a path, beside the path's parameters. */
type Handed<World> = [request: Request, host: RequestHost<World>, url: URL]

/**
 * Makes the HTTP side of an interface from its routes: routing, 404, 405, `HEAD`, 500 and the common headers. It only
 * uses Web APIs, so any host with `Request` and `Response` can use it.
 */
export function createFetchHandler<World>(
  api: Api<World>,
): (request: Request, host: RequestHost<World>) => Promise<Response> {
  const router = IttyRouter<IRequest, Handed<World>>()
  for (const [path, ofPath] of groupByPath(api.routes))
    router.all(path.replaceAll(/\{(\w+)\}/g, ':$1'), answerOf(api, path, ofPath))
  router.all('*', async (_asked, request, host, url) => {
    const failed = { request, url, requestId: host.requestId }
    return respond(await api.answerUnknownRoute(failed), failed, host)
  })
  return async (request, host) => {
    const url = host.url ?? new URL(request.url)
    // The router is given an object of its own, because it writes to it, and no query, because it would parse one: in
    // quadratic time when a parameter is repeated.
    const asked = { method: request.method, url: `${url.origin}${url.pathname}` } as IRequest
    return (await router.fetch(asked, request, host, url)) as Response
  }
}

function answerOf<World>(
  api: Api<World>,
  path: string,
  ofPath: readonly Route<World>[],
): (asked: IRequest, ...handed: Handed<World>) => Promise<Response> {
  return async ({ params }, request, host, url) => {
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const route = ofPath.find((candidate) => candidate.method === method)
    let identity = NOBODY
    let ownHeaders = NO_HEADERS
    const routed: RoutedRequest = {
      request,
      url,
      params: decoded(params),
      requestId: host.requestId,
      identified: (found, headers = NO_HEADERS) => {
        identity = found
        ownHeaders = headers
      },
    }
    const reply = await answerOrFail(api, route, ofPath, routed, host)
    const adorned =
      ownHeaders === NO_HEADERS ? reply : { ...reply, headers: { ...reply.headers, ...ownHeaders } }
    return respond(adorned, routed, host, { endpointId: route?.id ?? path, ...identity })
  }
}

async function answerOrFail<World>(
  api: Api<World>,
  route: Route<World> | undefined,
  ofPath: readonly Route<World>[],
  routed: RoutedRequest,
  host: RequestHost<World>,
): Promise<Reply> {
  try {
    if (route !== undefined) return await route.serve(routed, host.world)
    const verdict = await api.answerWrongMethod(allowedMethods(ofPath), routed)
    return (await ofPath[0]?.judge(routed, host.world, verdict)) ?? verdict
  } catch (cause) {
    host.world.log.error(
      'request_failed',
      { requestId: host.requestId, endpointId: route?.id ?? null },
      cause,
    )
    return await api.answerFailure(routed)
  }
}

/** The methods that a path has, as `Allow` lists them. `GET` implies `HEAD`. */
function allowedMethods(ofPath: readonly Address[]): readonly string[] {
  return ofPath.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
}

/** Makes the response of a reply, with the headers that every response has, and tells the host of it. */
export function respond(
  reply: Reply,
  { request, url }: Pick<RoutedRequest, 'request' | 'url'>,
  host: Pick<RequestHost<unknown>, 'requestId' | 'answered'>,
  found: Pick<Answered, 'endpointId' | keyof Identity> = { endpointId: null, ...NOBODY },
): Response {
  host.answered({ requestId: host.requestId, status: reply.status, ...found })
  return new Response(request.method === 'HEAD' ? null : reply.body, {
    status: reply.status,
    headers: {
      ...reply.headers,
      'x-request-id': host.requestId,
      'x-content-type-options': 'nosniff',
      ...(url.protocol === 'https:' ? STRICT_TRANSPORT : NO_HEADERS),
    },
  })
}

/**
 * What every answer over https carries: for a year from now on, a browser that was told this calls the host by https
 * alone (RFC 6797). Answers over plain http must not carry it. Sub-domains are not the service's to speak for.
 */
const STRICT_TRANSPORT = { 'strict-transport-security': 'max-age=31536000' }

/** Adds what every answer over https carries to an answer that no interface made, such as a page. */
export function overTransport(response: Response, url: URL): Response {
  const isAdorned = response.headers.has('strict-transport-security')
  if (url.protocol !== 'https:' || isAdorned) return response
  // The headers of an answer that the platform made cannot be changed.
  const { status, statusText } = response
  const headers = new Headers([...response.headers, ...Object.entries(STRICT_TRANSPORT)])
  return new Response(response.body, { status, statusText, headers })
}

/**
 * Paths with their routes. The router takes the first path that fits, so literal segments are sorted before parameters.
 */
function groupByPath<Routed extends Address>(
  all: readonly Routed[],
): readonly (readonly [string, readonly Routed[]])[] {
  const byPath = new Map<string, Routed[]>()
  for (const route of all) byPath.set(route.path, [...(byPath.get(route.path) ?? []), route])
  // In ASCII, `{` sorts after every character that a literal segment uses.
  return [...byPath].sort(([left], [right]) => (left < right ? -1 : 1))
}

function decoded(params: Readonly<Record<string, string>>): Record<string, string> {
  const texts: Record<string, string> = {}
  for (const name in params) texts[name] = percentDecoded(params[name] ?? '')
  return texts
}

/** Decodes a path segment. Malformed escapes are kept: no stored id contains them, so the request ends in a 404. */
export function percentDecoded(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const READS = '/console/as/'

/** Whether a path reads an organization for somebody who signed in. */
export function isSignedInRead(pathname: string): boolean {
  return pathname.startsWith(READS)
}

/**
 * Paths of the console that are no pages: signing in and out, which the operator interface answers, and what is read of an
 * organization.
 */
export function isConsoleCall({ method }: Request, pathname: string): boolean {
  if (isSignedInRead(pathname)) return true
  if (pathname === '/console/sign-in/ways') return true
  const isPage = method === 'GET' || method === 'HEAD'
  return !isPage && (pathname === '/console/sign-in' || pathname === '/console/session')
}
