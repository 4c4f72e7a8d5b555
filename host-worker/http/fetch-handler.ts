import type { IRequest } from 'itty-router'
import { IttyRouter } from 'itty-router'
import { endpoints } from '../../domain/contract/catalog.ts'
import type { Endpoint } from '../../domain/contract/endpoint.ts'
import { serve } from '../../domain/contract/handlers.ts'
import type { Reply } from '../../domain/contract/reply.ts'
import { notFound } from '../../domain/contract/reply.ts'
import { submissionFailure } from '../../domain/forms/receipt.ts'
import { failureReply, serveWrongMethod } from '../../domain/contract/wrong-method.ts'
import type { RoutedRequest, World } from '../../domain/service.ts'

/** What is known of a request once it was answered. */
export interface Answered {
  readonly requestId: string
  /** The endpoint, or the path pattern for a method it does not have; null: no such route. */
  readonly endpointId: string | null
  readonly status: number
  /** Whose key it came with, or whose form it submitted; null: nobody's, the platform's, or unknown. */
  readonly organizationId: string | null
}

/** What a host provides for one request. */
export interface RequestHost {
  readonly requestId: string
  readonly world: World
  /** Called once per request, after the answer is made and before it is sent. */
  answered(facts: Answered): void
}

const NO_ROUTE = { endpointId: null, organizationId: null }

type Route = (request: IRequest, host: RequestHost, url: URL) => Promise<Response>

/**
 * Builds the service's HTTP side from the endpoint records: routing, 404, 405, `HEAD`, 500 and the common headers.
 * It uses Web APIs only, so any host that speaks `Request` and `Response` can serve it.
 */
export function createFetchHandler(): (request: Request, host: RequestHost) => Promise<Response> {
  const router = IttyRouter<IRequest, [RequestHost, URL]>()
  for (const [path, ofPath] of groupByPath(endpoints)) router.all(toRoutePattern(path), routeOf(path, ofPath))
  return async (request, host) => {
    const routed = (await router.fetch(request, host, new URL(request.url))) as Response | undefined
    return routed ?? respond(unknownRoute(new URL(request.url)), request, host, NO_ROUTE)
  }
}

/** A submission path with an impossible form id still belongs to the endpoint that any website may read. */
function unknownRoute({ pathname }: URL): Reply {
  const isSubmission = /^\/api\/forms\/.*\/submissions\/*$/.test(pathname)
  return isSubmission ? submissionFailure(404, 'form_not_found', 'There is no such form.') : notFound()
}

function routeOf(path: string, ofPath: readonly Endpoint[]): Route {
  return async (ittyRequest, host, url) => {
    const request = ittyRequest as unknown as Request
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const endpoint = ofPath.find((candidate) => candidate.method === method)
    let organizationId: string | null = null
    const routed: RoutedRequest = {
      request,
      url,
      params: decoded(ittyRequest.params),
      requestId: host.requestId,
      identified: (found) => {
        organizationId = found
      },
    }
    const reply = await answerOr500(endpoint, ofPath, routed, host)
    return respond(reply, request, host, { endpointId: endpoint?.id ?? path, organizationId })
  }
}

async function answerOr500(
  endpoint: Endpoint | undefined,
  ofPath: readonly Endpoint[],
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
    return await failureReply(ofPath, routed)
  }
}

function respond(
  reply: Reply,
  request: Request,
  host: RequestHost,
  found: Pick<Answered, 'endpointId' | 'organizationId'>,
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
  // In ASCII, `{` sorts behind every character that a literal segment uses.
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
