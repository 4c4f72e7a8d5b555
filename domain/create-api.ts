import type { HandledOperation } from './access/serve-operation.ts'
import type { ReadEndpoint, Route } from './record/endpoint.ts'
import { internalError, methodNotAllowed, notFound, type Reply } from './record/operation/reply.ts'
import type { RoutedRequest } from './record/operation/routed-request.ts'

/**
 * One interface of the service: its routes and their handlers. There are two, the public one and that of operators. A
 * host routes requests to endpoints and knows nothing else about them.
 */
export interface Api<World> {
  readonly routes: readonly Route[]
  /** Serves a routed request. Rejects only on an internal failure, for which `answerFailure` makes the reply. */
  serve(route: Route, routed: RoutedRequest, world: World): Promise<Reply>
  /**
   * Replies to a method that a path does not have. On a route that needs a key, a request without a valid key gets 401
   * instead.
   */
  serveWrongMethod(ofPath: readonly Route[], routed: RoutedRequest, world: World): Promise<Reply>
  /** The reply to an internal failure, in the format of the path's endpoints. */
  answerFailure(ofPath: readonly Route[], failed: FailedRequest): Promise<Reply>
  /** The reply for a path that no endpoint has. */
  answerUnknownRoute(url: URL): Reply
}

/** What is known of a request that failed. */
export type FailedRequest = Pick<RoutedRequest, 'request' | 'requestId'>

/**
 * Serves the reads that are derived from records. When a verdict is given, a request with a good key gets that verdict
 * instead of the read.
 */
type ServeRead<World> = (
  endpoint: ReadEndpoint,
  routed: RoutedRequest,
  world: World,
  verdict?: Reply,
) => Promise<Reply>

/** An operation with its handler, or a function that loads both when a request needs them. */
export type Handled<Id extends string, World> =
  HandledOperation<Id, World> | (() => Promise<HandledOperation<Id, World>>)

/** Makes an interface from routes and operations with their handlers. The body of a failure is `{ error }`. */
export function createApi<World>(
  routes: readonly Route[],
  operations: Readonly<Record<string, Handled<string, World>>>,
  serveRead: ServeRead<World>,
): Api<World> {
  const operationsById = new Map(Object.entries(operations))
  const operationOf = (id: string) => {
    const operation = operationsById.get(id)
    if (operation === undefined) throw new Error(`The operation ${id} has no handler`)
    return typeof operation === 'function' ? operation() : operation
  }
  return {
    routes,
    serve: async (route, routed, world) =>
      route.kind === 'operation'
        ? (await operationOf(route.id)).serve(routed, world)
        : serveRead(route, routed, world),
    async serveWrongMethod([first, ...others], routed, world) {
      if (first === undefined) throw new Error('A path without routes was routed')
      const verdict = methodNotAllowed(allowedMethods([first, ...others]))
      return first.kind === 'operation'
        ? (await operationOf(first.id)).judge(routed, world, verdict)
        : serveRead(first, routed, world, verdict)
    },
    answerFailure: async (_ofPath, { requestId }) => internalError(requestId),
    answerUnknownRoute: () => notFound(),
  }
}

/** The methods that a path has, as `Allow` lists them. `GET` implies `HEAD`. */
export function allowedMethods(of: readonly Route[]): readonly string[] {
  return of.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
}
