import type { Served } from './access/serve-operation.ts'
import type { Address } from './record/operation.ts'
import { internalError, methodNotAllowed, notFound, type Reply, type RoutedRequest } from './record/reply.ts'

/**
 * One interface of the service: its routes, and what it replies where none of them can. A host routes requests and knows
 * nothing else about them.
 */
export interface Api<World> {
  readonly routes: readonly Route<World>[]
  /** The reply to a method that a path does not have. `allowed` lists the methods that it has. */
  answerWrongMethod(allowed: readonly string[], failed: FailedRequest): Promise<Reply>
  /** The reply to an internal failure, in the format of the path's endpoints. */
  answerFailure(failed: FailedRequest): Promise<Reply>
  /** The reply for a path that no endpoint has. */
  answerUnknownRoute(failed: FailedRequest): Promise<Reply>
}

/** An endpoint as a host routes to it. */
export interface Route<World> extends Address, Served<World> {}

/** What is known of a request that failed. */
export type FailedRequest = Pick<RoutedRequest, 'request' | 'url' | 'requestId'>

/** Makes an interface from its routes. The body of a failure is `{ error }`. */
export function createApi<World>(routes: readonly Route<World>[]): Api<World> {
  return {
    routes,
    answerWrongMethod: async (allowed) => methodNotAllowed(allowed),
    answerFailure: async ({ requestId }) => internalError(requestId),
    answerUnknownRoute: async () => notFound(),
  }
}
