import {
  readingClaim,
  readSession,
  isRead,
  type SessionWorld,
} from '../../domain/access/operator-credentials.ts'
import { methodNotAllowed, unauthorized, type Reply } from '../../domain/record/reply.ts'
import type { TenantWorld } from '../../domain/tenant-api.ts'
import type { AuthorizedClaim, KeyClaim } from '../../ports/organizations.ts'
import { percentDecoded, respond, type RequestHost } from './fetch-handler.ts'

/**
 * What the public interface answers to a key of the organization `ID` under `/api/…` stands for whoever signed in under
 * `/console/as/ID/api/…`: reads alone, with the very same answers. So no cookie is ever accepted under `/api`.
 */
const READS = /^\/console\/as\/([^/]+)\/api\/v1\/(.+)$/

/** The ports that these reads need. */
type ReadsWorld = TenantWorld & SessionWorld

/** Answers such a read by the handler of the public interface. */
export async function serveSignedInRead<World extends ReadsWorld>(
  request: Request,
  host: RequestHost<World> & { readonly url: URL },
  handle: (request: Request, host: RequestHost<World>) => Promise<Response>,
): Promise<Response> {
  const { url, world } = host
  const [, id = '', address = ''] = READS.exec(url.pathname) ?? []
  const claim = await claimOf(request, url, { organizationId: percentDecoded(id), address }, world)
  if ('status' in claim) return respond(claim, { request, url }, host)
  const asked = new URL(`/api/v1/${address}${url.search}`, url.origin)
  return handle(request, { ...host, url: asked, world: { ...world, signedIn: claim } })
}

/** By which right the session of a request reads an address of an organization, or the refusal. */
async function claimOf(
  request: Request,
  url: URL,
  { organizationId, address }: Readonly<Record<'organizationId' | 'address', string>>,
  world: ReadsWorld,
): Promise<KeyClaim | AuthorizedClaim | Reply> {
  if (!isRead(request)) return methodNotAllowed(['GET', 'HEAD'])
  const session = await readSession({ request, url }, world)
  return session === null ? unauthorized(null) : readingClaim(session, organizationId, address)
}
