import type { IRequest } from 'itty-router'
import { IttyRouter } from 'itty-router'
import type { Route as EndpointRoute } from '../../domain/routes.ts'
import { routes } from '../../domain/routes.ts'
import { answerFailure, answerUnknownRoute, serve, serveWrongMethod } from '../../domain/api.ts'
import type { Reply } from '../../domain/record/reply.ts'
import type { Identity, RoutedRequest } from '../../domain/record/routed-request.ts'
import type { World } from '../../domain/world.ts'

/** The facts about a request that are known after its answer. */
export interface Answered {
  readonly requestId: string
  /** The endpoint's id; the path pattern when the method is wrong; null when there is no such route. */
  readonly endpointId: string | null
  readonly status: number
  /** The organization whose key was sent, or whose form was submitted; null: none, the platform, or unknown. */
  readonly organizationId: string | null
  /** The key that it was proven to come with; null: none, or a forged one. */
  readonly keyId: string | null
}

/** What a host provides for one request. */
export interface RequestHost {
  readonly requestId: string
  /** The request's address, where the host has read it already. */
  readonly url?: URL
  readonly world: World
  /** Called once per request, after the answer is made and before it is sent. */
  answered(facts: Answered): void
}

const NOBODY: Identity = { organizationId: null, keyId: null }

type Route = (request: IRequest, host: RequestHost, url: URL) => Promise<Response>

/**
 * Builds the service's HTTP side from the endpoint records: routing, 404, 405, `HEAD`, 500 and the common headers.
 * It uses Web APIs only, so any host that speaks `Request` and `Response` can serve it.
 */
export function createFetchHandler(): (request: Request, host: RequestHost) => Promise<Response> {
  const routerOf = createSections(groupByPath(routes))
  return async (request, host) => {
    const url = host.url ?? new URL(request.url)
    const router = routerOf(sectionOf(url.pathname, SECTION_LENGTH)) ?? routerOf(sectionOf(url.pathname, 2))
    const routed = (await router?.fetch(request, host, url)) as Response | undefined
    return routed ?? respond(answerUnknownRoute(url), request, host, { endpointId: null, ...NOBODY })
  }
}

type Router = ReturnType<typeof IttyRouter<IRequest, [RequestHost, URL]>>

/** How many segments a section is named by, where so many of them are literal. */
const SECTION_LENGTH = 3

/**
 * Finds the router of a section of the paths, such as `/api/v1/contacts`: the router tries its patterns one after
 * another, so it is given only those that a path can match. It is made when the section is first asked for.
 */
function createSections(
  paths: readonly (readonly [string, readonly EndpointRoute[]])[],
): (section: string) => Router | undefined {
  const sections = Map.groupBy(paths, ([path]) => sectionOf(path.split('/{', 1)[0] ?? path, SECTION_LENGTH))
  const routers = new Map<string, Router>()
  return (section) => {
    const known = routers.get(section)
    const ofSection = sections.get(section)
    if (known !== undefined || ofSection === undefined) return known
    const router = IttyRouter<IRequest, [RequestHost, URL]>()
    for (const [path, ofPath] of ofSection) router.all(toRoutePattern(path), routeOf(path, ofPath))
    routers.set(section, router)
    return router
  }
}

/** The first segments of a path. */
function sectionOf(path: string, length: number): string {
  return path.split('/', length + 1).join('/')
}

function routeOf(path: string, ofPath: readonly EndpointRoute[]): Route {
  return async (ittyRequest, host, url) => {
    const request = ittyRequest as unknown as Request
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const endpoint = ofPath.find((candidate) => candidate.method === method)
    let identity = NOBODY
    const routed: RoutedRequest = {
      request,
      url,
      params: decoded(ittyRequest.params),
      requestId: host.requestId,
      identified: (found) => {
        identity = found
      },
    }
    const reply = await answerOr500(endpoint, ofPath, routed, host)
    return respond(reply, request, host, { endpointId: endpoint?.id ?? path, ...identity })
  }
}

async function answerOr500(
  endpoint: EndpointRoute | undefined,
  ofPath: readonly EndpointRoute[],
  routed: RoutedRequest,
  host: RequestHost,
): Promise<Reply> {
  try {
    return endpoint === undefined
      ? await serveWrongMethod(ofPath, routed, host.world)
      : await serve(endpoint, routed, host.world)
  } catch (cause) {
    host.world.log.error(
      'request_failed',
      { requestId: host.requestId, endpointId: endpoint?.id ?? null },
      cause,
    )
    return await answerFailure(ofPath, routed)
  }
}

function respond(
  reply: Reply,
  request: Request,
  host: RequestHost,
  found: Pick<Answered, 'endpointId' | keyof Identity>,
): Response {
  host.answered({ requestId: host.requestId, status: reply.status, ...found })
  return new Response(request.method === 'HEAD' ? null : reply.body, {
    status: reply.status,
    headers: { ...reply.headers, 'x-request-id': host.requestId, 'x-content-type-options': 'nosniff' },
  })
}

/** Paths with their endpoints; literal segments come before parameters, so that they win. */
function groupByPath(
  all: readonly EndpointRoute[],
): readonly (readonly [string, readonly EndpointRoute[]])[] {
  const byPath = new Map<string, EndpointRoute[]>()
  for (const endpoint of all) byPath.set(endpoint.path, [...(byPath.get(endpoint.path) ?? []), endpoint])
  // In ASCII, `{` sorts after every character that a literal segment uses.
  return [...byPath].sort(([left], [right]) => (left < right ? -1 : 1))
}

function toRoutePattern(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

function decoded(params: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(params).map(([name, text]) => [name, percentDecoded(text)]))
}

/** Malformed escapes stay as they are: no stored id looks like that, so the request ends in a 404. */
function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
