import type { IRequest } from 'itty-router'
import { IttyRouter } from 'itty-router'
import type { Api } from '../../domain/create-api.ts'
import type { Endpoint } from '../../domain/record/endpoint.ts'
import type { Log } from '../../ports/log.ts'
import type { Reply } from '../../domain/record/reply.ts'
import type { Identity, RoutedRequest } from '../../domain/record/routed-request.ts'

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
export interface RequestHost<World extends LoggingWorld> {
  readonly requestId: string
  /** The request's address, where the host has read it already. */
  readonly url?: URL
  readonly world: World
  /** Called once per request, after the answer is made and before it is sent. */
  answered(facts: Answered): void
}

/** The port that the HTTP side itself needs, beside what its endpoints do. */
interface LoggingWorld {
  readonly log: Log
}

const NOBODY: Identity = { organizationId: null, keyId: null }

/**
 * Builds the HTTP side of an interface from its endpoint records: routing, 404, 405, `HEAD`, 500 and the common headers.
 * It uses Web APIs only, so any host that speaks `Request` and `Response` can serve it.
 */
export function createFetchHandler<World extends LoggingWorld>(
  api: Api<World>,
): (request: Request, host: RequestHost<World>) => Promise<Response> {
  const sections = createSections(api)
  return async (request, host) => {
    const url = host.url ?? new URL(request.url)
    const router =
      sections.get(sectionOf(url.pathname, SECTION_LENGTH)) ?? sections.get(sectionOf(url.pathname, 2))
    const routed = (await router?.fetch(request, host, url)) as Response | undefined
    return routed ?? respond(api.answerUnknownRoute(url), request, host, { endpointId: null, ...NOBODY })
  }
}

type Router<World extends LoggingWorld> = ReturnType<typeof IttyRouter<IRequest, [RequestHost<World>, URL]>>

/** How many segments a section is named by, where so many of them are literal. */
const SECTION_LENGTH = 3

/**
 * A router for each section of the paths, such as `/api/v1/contacts`: the router tries its patterns one after another, so
 * it is given only those that a path can match.
 */
function createSections<World extends LoggingWorld>(api: Api<World>): ReadonlyMap<string, Router<World>> {
  const sections = new Map<string, Router<World>>()
  for (const [path, ofPath] of groupByPath(api.endpoints)) {
    const [literal = path] = path.split('/{')
    const name = sectionOf(literal, SECTION_LENGTH)
    const router = sections.get(name) ?? IttyRouter<IRequest, [RequestHost<World>, URL]>()
    sections.set(name, router)
    router.all(toRoutePattern(path), routeOf(api, path, ofPath))
  }
  return sections
}

/** The first segments of a path. */
function sectionOf(path: string, length: number): string {
  return path.split('/', length + 1).join('/')
}

function routeOf<World extends LoggingWorld>(api: Api<World>, path: string, ofPath: readonly Endpoint[]) {
  return async (ittyRequest: IRequest, host: RequestHost<World>, url: URL): Promise<Response> => {
    const request = ittyRequest as unknown as Request
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const endpoint = ofPath.find((candidate) => candidate.method === method)
    let identity = NOBODY
    let ownHeaders: Reply['headers'] = {}
    const routed: RoutedRequest = {
      request,
      url,
      params: decoded(ittyRequest.params),
      requestId: host.requestId,
      identified: (found, headers = {}) => {
        identity = found
        ownHeaders = headers
      },
    }
    const answer =
      endpoint === undefined
        ? () => api.serveWrongMethod(ofPath, routed, host.world)
        : () => api.serve(endpoint, routed, host.world)
    const reply = await answer().catch((cause: unknown) => {
      const facts = { requestId: host.requestId, endpointId: endpoint?.id ?? null }
      host.world.log.error('request_failed', facts, cause)
      return api.answerFailure(ofPath, routed)
    })
    const adorned = { ...reply, headers: { ...reply.headers, ...ownHeaders } }
    return respond(adorned, request, host, { endpointId: endpoint?.id ?? path, ...identity })
  }
}

function respond(
  reply: Reply,
  request: Request,
  host: Pick<RequestHost<LoggingWorld>, 'requestId' | 'answered'>,
  found: Pick<Answered, 'endpointId' | keyof Identity>,
): Response {
  host.answered({ requestId: host.requestId, status: reply.status, ...found })
  return new Response(request.method === 'HEAD' ? null : reply.body, {
    status: reply.status,
    headers: { ...reply.headers, 'x-request-id': host.requestId, 'x-content-type-options': 'nosniff' },
  })
}

/** Paths with their endpoints; literal segments come before parameters, so that they win. */
function groupByPath(all: readonly Endpoint[]): readonly (readonly [string, readonly Endpoint[]])[] {
  const byPath = new Map<string, Endpoint[]>()
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
