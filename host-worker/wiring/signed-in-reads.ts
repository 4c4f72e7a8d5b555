import { tenantApi } from '../../domain/tenant-api.ts'
import { createFetchHandler } from '../http/fetch-handler.ts'
import { serveSignedInRead } from '../http/signed-in-reads.ts'
import { openStorage } from './all-storage.ts'
import { backgroundOf, type Serve } from './opening.ts'
import { openTenantWorld } from './tenants.ts'

const handle = createFetchHandler(tenantApi)

/** Serves what people who signed in read of an organization. */
export const serve: Serve = async (request, host, opening) => {
  const { env, lifetime, meter } = opening
  const { people, operatorKeys } = openStorage(env, meter, backgroundOf(lifetime)).storage
  const world = { ...(await openTenantWorld(opening)), people, operatorKeys }
  return serveSignedInRead(request, { ...host, url: host.url ?? new URL(request.url), world }, handle)
}
