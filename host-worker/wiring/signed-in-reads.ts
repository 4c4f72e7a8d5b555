import type { TenantWorld } from '../../domain/tenant-api.ts'
import type { RequestHost } from '../http/fetch-handler.ts'
import { serveSignedInRead } from '../http/signed-in-reads.ts'
import { openStorage } from './all-storage.ts'
import { backgroundOf, type Opening, type Serve } from './opening.ts'

/**
 * Serves what people who signed in read of an organization.
 * @param world the ports of requests with keys
 * @param handle the handler of requests with keys
 */
export async function serveSignedIn(
  request: Request,
  host: Parameters<Serve>[1],
  { env, lifetime, meter }: Opening,
  world: TenantWorld,
  handle: (request: Request, host: RequestHost<TenantWorld>) => Promise<Response>,
): Promise<Response> {
  const { people } = openStorage(env, meter, backgroundOf(lifetime)).storage
  const url = host.url ?? new URL(request.url)
  return serveSignedInRead(request, { ...host, url, world: { ...world, people } }, handle)
}
