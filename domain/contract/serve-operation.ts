import type { Organization } from '../../ports/organization.ts'
import type { RoutedRequest, World } from '../service.ts'
import type { Caller } from './authenticate.ts'
import { authenticate, authenticateTenant } from './authenticate.ts'
import { refusalOf } from './capability.ts'
import type { Access, OperationEndpoint } from './endpoint.ts'
import type { Reply } from './reply.ts'
import { unauthorized } from './reply.ts'

interface Handlers {
  readonly public: (routed: RoutedRequest, world: World) => Promise<Reply>
  readonly tenant: (routed: RoutedRequest, world: World, organization: Organization) => Promise<Reply>
  readonly tenant_or_platform: (routed: RoutedRequest, world: World, caller: Caller) => Promise<Reply>
}

/** The work of an endpoint, handed the one whom its access lets through. */
export type HandlerFor<Allowed extends Access> = Handlers[Allowed]

/**
 * Serves an endpoint that has a handler of its own: whoever may not call it is told so, and nothing else of the
 * request is looked at.
 */
export async function serveOperation(
  { access, requires }: Pick<OperationEndpoint, 'access' | 'requires'>,
  handler: HandlerFor<Access>,
  routed: RoutedRequest,
  world: World,
): Promise<Reply> {
  switch (access) {
    case 'public':
      return (handler as Handlers['public'])(routed, world)
    case 'tenant': {
      const organization = await authenticateTenant(routed, world)
      if (organization === null) return unauthorized()
      const refusal = refusalOf(requires, organization)
      return refusal ?? (handler as Handlers['tenant'])(routed, world, organization)
    }
    case 'tenant_or_platform': {
      const caller = await authenticate(routed, world)
      return caller === null
        ? unauthorized()
        : (handler as Handlers['tenant_or_platform'])(routed, world, caller)
    }
  }
}
