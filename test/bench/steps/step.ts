import type { D1Database } from '@cloudflare/workers-types'
import type { KeyClaim } from '../../../ports/keys.ts'
import type { Executor } from '../../../adapters/sqlite/statement/executor.ts'
import { createExecutor } from '../../../adapters/d1/executor.ts'
import { readKey } from '../../../domain/access/api-key.ts'
import { claimOf, bearerToken, recallKey, rememberKey } from '../../../domain/access/authenticate.ts'
import { publicApi } from '../../../domain/api.ts'
import type { RoutedRequest } from '../../../domain/record/operation/routed-request.ts'
import type { World } from '../../../domain/world.ts'
import { readEnv, type Env } from '../../../host-worker/env/index.ts'
import { createFetchHandler } from '../../../host-worker/http/fetch-handler.ts'
import { systemClock } from '../../../host-worker/system.ts'
import { createMeter, secretsOf, type Lifetime } from '../../../host-worker/wiring/opening.ts'
import { openSubmissionWorld } from '../../../host-worker/wiring/submissions.ts'
import { openTenantWorld } from '../../../host-worker/wiring/tenants.ts'

/** What the Worker of a step receives with a request. */
export interface Arrived {
  readonly request: Request
  readonly url: URL
  readonly database: D1Database
  readonly env: Env
  readonly lifetime: Lifetime
}

/**
 * A step between the bare worker and the service. It does everything that the previous step does, and one thing more.
 */
export interface Step {
  /** The thing that it does more. */
  readonly adds: string
  readonly answer: (arrived: Arrived) => Promise<Response>
}

export type Bindings = Readonly<Record<string, unknown>> & { readonly DB: D1Database }

const environments = new WeakMap<Bindings, Env>()

/** The configuration of the Worker, read only once, as in the service. */
export function envOf(bindings: Bindings): Env {
  const known = environments.get(bindings)
  if (known !== undefined) return known
  const reading = readEnv(bindings)
  if (!reading.ok) throw new Error(reading.problems.join())
  environments.set(bindings, reading.env)
  return reading.env
}

/** The executor with which the service reaches the database. */
export function executorOf({ database }: Arrived): Executor {
  return createExecutor({ database, clock: systemClock })
}

/** The service's ports for one request. */
export async function worldOf({ env, lifetime }: Arrived): Promise<World> {
  const opening = { env, lifetime, meter: createMeter() }
  return { ...(await openTenantWorld(opening)), ...(await openSubmissionWorld(opening)) }
}

/** The claim of a request's key, with the hash under the root secret, which is remembered as in the service. */
export async function claimIn({ request, env }: Arrived): Promise<KeyClaim> {
  const secrets = await secretsOf(env)
  const token = bearerToken(request.headers.get('authorization')) ?? ''
  const known = recallKey(token, secrets)
  if (known !== null) return known.claim
  const key = readKey(token)
  if (key?.organizationId == null) throw new Error('The request has no key')
  const claim = await claimOf(key, key.organizationId, { secrets })
  rememberKey({ key, claim }, secrets)
  return claim
}

/** A request as an endpoint with one parameter in its path receives it. */
export function routedTo({ request, url }: Arrived, params: Readonly<Record<string, string>>): RoutedRequest {
  return { request, url, params, requestId: 'req_0', identified: () => undefined }
}

const handle = createFetchHandler(publicApi)

/** Everything that the service does, except the log line and the Worker around it. */
export const routed: Step = {
  adds: 'route, request id, common headers, failures caught',
  answer: async (arrived) => {
    const { request, url } = arrived
    const world = await worldOf(arrived)
    return handle(request, { requestId: 'req_0', url, world, answered: () => undefined })
  },
}
