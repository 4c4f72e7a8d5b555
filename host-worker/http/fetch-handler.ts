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

/** Answers a request to a path whose pattern has these parameters. */
type Route = (
  params: Readonly<Record<string, string>>,
  request: Request,
  host: RequestHost,
  url: URL,
) => Promise<Response>

/**
 * Builds the service's HTTP side from the endpoint records: routing, 404, 405, `HEAD`, 500 and the common headers.
 * It uses Web APIs only, so any host that speaks `Request` and `Response` can serve it.
 */
export function createFetchHandler(): (request: Request, host: RequestHost) => Promise<Response> {
  const sectionNamed = createSections(groupByPath(routes))
  return async (request, host) => {
    const url = host.url ?? new URL(request.url)
    const { pathname } = url
    const section = sectionNamed(sectionOf(pathname, SECTION_LENGTH)) ?? sectionNamed(sectionOf(pathname, 2))
    for (const { pattern, route } of section ?? []) {
      const match = pattern.exec(pathname)
      if (match !== null) return route(match.groups ?? {}, request, host, url)
    }
    return respond(answerUnknownRoute(url), request, host, { endpointId: null, ...NOBODY })
  }
}

/** The paths of a section in the order in which they are tried, literal ones first. */
type Section = readonly { readonly pattern: RegExp; readonly route: Route }[]

/** How many segments a section is named by, where so many of them are literal. */
const SECTION_LENGTH = 3

/**
 * Finds a section of the paths, such as `/api/v1/contacts`: patterns are tried one after another, so a path is only tried
 * on those that it can match. A section is made when it is first asked for.
 */
function createSections(
  paths: readonly (readonly [string, readonly EndpointRoute[]])[],
): (name: string) => Section | undefined {
  const pathsOf = Map.groupBy(paths, ([path]) => sectionOf(path.split('/{', 1)[0] ?? path, SECTION_LENGTH))
  const sections = new Map<string, Section>()
  return (name) => {
    const known = sections.get(name)
    const ofSection = pathsOf.get(name)
    if (known !== undefined || ofSection === undefined) return known
    const section = ofSection.map(([path, ofPath]) => ({
      pattern: patternOf(path),
      route: routeOf(path, ofPath),
    }))
    sections.set(name, section)
    return section
  }
}

/**
 * What a path looks like, as the router compiles it. Only that is taken from the router: it would read the address and the
 * query of each request once more, and write what it finds onto the request, which costs the platform's garbage collector.
 */
function patternOf(path: string): RegExp {
  const router = IttyRouter()
  router.all(path.replaceAll(/\{(\w+)\}/g, ':$1'))
  const [compiled] = router.routes
  if (compiled === undefined) throw new Error(`The router did not take ${path}`)
  return compiled[1]
}

/** The first segments of a path. */
function sectionOf(path: string, length: number): string {
  return path.split('/', length + 1).join('/')
}

function routeOf(path: string, ofPath: readonly EndpointRoute[]): Route {
  return async (params, request, host, url) => {
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const endpoint = ofPath.find((candidate) => candidate.method === method)
    let identity = NOBODY
    const routed: RoutedRequest = {
      request,
      url,
      params: decoded(params),
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

function decoded(params: Readonly<Record<string, string>>): Record<string, string> {
  const texts: Record<string, string> = {}
  for (const name in params) texts[name] = percentDecoded(params[name] ?? '')
  return texts
}

/** Malformed escapes stay as they are: no stored id looks like that, so the request ends in a 404. */
function percentDecoded(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
