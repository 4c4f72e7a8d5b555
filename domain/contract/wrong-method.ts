import { failedReply } from '../forms/reply.ts'
import type { RoutedRequest, World } from '../service.ts'
import type { Endpoint } from './endpoint.ts'
import type { Reply } from './reply.ts'
import { internalError, methodNotAllowed } from './reply.ts'
import { serveOperation } from './serve-operation.ts'
import { serveRead } from './serve-read.ts'

/** The methods that a path answers to, as `Allow` lists them. `HEAD` comes with `GET`. */
export function allowedMethods(of: readonly Endpoint[]): readonly string[] {
  return of.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
}

/** Answers a method that a path does not have; on a route for key holders, only they learn it (401 comes first). */
export async function serveWrongMethod(
  ofPath: readonly Endpoint[],
  routed: RoutedRequest,
  world: World,
): Promise<Reply> {
  const allow = allowedMethods(ofPath)
  const [first] = ofPath
  if (first === undefined) throw new Error('A path without endpoints was routed')
  if (first.kind !== 'operation') return serveRead(first, routed, world, methodNotAllowed(allow))
  if (first.errorStyle === 'api') {
    const { access } = first
    return serveOperation({ access, requires: null }, async () => methodNotAllowed(allow), routed, world)
  }
  return failedReply(routed.request, 405, 'method_not_allowed', 'Method not allowed', {
    allow: allow.join(', '),
  })
}

/** The answer to an internal failure, in the style of the endpoint. */
export async function failureReply(
  ofPath: readonly Endpoint[],
  { request, requestId }: Pick<RoutedRequest, 'request' | 'requestId'>,
): Promise<Reply> {
  const submission = ofPath.some(
    (endpoint) => endpoint.kind === 'operation' && endpoint.errorStyle === 'submission',
  )
  if (!submission) return internalError(requestId)
  return failedReply(
    request,
    500,
    'internal_error',
    `The submission could not be processed and may or may not have been saved; do not send it again automatically. Request id: ${requestId}`,
  )
}
