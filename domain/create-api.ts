import type { HandledOperation } from './access/serve-operation.ts'
import type { Endpoint, ReadEndpoint } from './record/endpoint.ts'
import type { Reply } from './record/reply.ts'
import { internalError, methodNotAllowed, notFound } from './record/reply.ts'
import type { RoutedRequest } from './record/routed-request.ts'

/**
 * One interface of the service: its endpoints, and what answers them. The public one and the operator's are two of
 * these. A host routes requests to endpoints and knows nothing else about them.
 */
export interface Api<World> {
  readonly endpoints: readonly Endpoint[]
  /** Answers a routed request. Rejects only on an internal failure, for which `answerFailure` makes the response. */
  serve(endpoint: Endpoint, routed: RoutedRequest, world: World): Promise<Reply>
  /**
   * Answers a method that a path does not have. On a route that needs a key, a request without a valid key gets 401
   * instead.
   */
  serveWrongMethod(ofPath: readonly Endpoint[], routed: RoutedRequest, world: World): Promise<Reply>
  /** The answer to an internal failure, in the style of the endpoints of the path. */
  answerFailure(ofPath: readonly Endpoint[], failed: FailedRequest): Promise<Reply>
  /** The answer to a path that no endpoint has. */
  answerUnknownRoute(url: URL): Reply
}

/** What is known of a request that failed. */
export type FailedRequest = Pick<RoutedRequest, 'request' | 'requestId'>

/** Serves the reads that are derived from records; one with a good key gets the verdict instead, where there is one. */
type ServeRead<World> = (
  endpoint: ReadEndpoint,
  routed: RoutedRequest,
  world: World,
  verdict?: Reply,
) => Promise<Reply>

/** Makes an interface of endpoints, the operations among them with their handlers. Failures are `{ error }`. */
export function createApi<World>(
  endpoints: readonly Endpoint[],
  operations: Readonly<Record<string, HandledOperation<string, World>>>,
  serveRead: ServeRead<World>,
): Api<World> {
  const operationsById = new Map(Object.entries(operations))
  const operationOf = (id: string) => {
    const operation = operationsById.get(id)
    if (operation === undefined) throw new Error(`The operation ${id} has no handler`)
    return operation
  }
  return {
    endpoints,
    serve: async (endpoint, routed, world) =>
      endpoint.kind === 'operation'
        ? operationOf(endpoint.id).serve(routed, world)
        : serveRead(endpoint, routed, world),
    async serveWrongMethod([first, ...others], routed, world) {
      if (first === undefined) throw new Error('A path without endpoints was routed')
      const verdict = methodNotAllowed(allowedMethods([first, ...others]))
      return first.kind === 'operation'
        ? operationOf(first.id).judge(routed, world, verdict)
        : serveRead(first, routed, world, verdict)
    },
    answerFailure: async (_ofPath, { requestId }) => internalError(requestId),
    answerUnknownRoute: () => notFound(),
  }
}

/** The methods that a path answers to, as `Allow` lists them. `HEAD` comes with `GET`. */
export function allowedMethods(of: readonly Endpoint[]): readonly string[] {
  return of.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
}
