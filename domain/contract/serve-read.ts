import type { KeyedRead } from '../../ports/keyed-storage.ts'
import type { RoutedRequest, World } from '../service.ts'
import { openTenant } from './authenticate.ts'
import { refusalOf } from './capability.ts'
import type { CollectionEndpoint, DetailEndpoint } from './endpoint.ts'
import { planCollection } from './plan-collection.ts'
import { planDetail } from './plan-detail.ts'
import type { ReadPlan, ReadRequest } from './read-plan.ts'
import type { Reply } from './reply.ts'
import { unauthorized } from './reply.ts'

/** What a caller with a good tenant key may be told before anything is read, e.g. that the method is wrong. */
type Verdict = Reply | null

/**
 * Serves a canonical read. The key check travels with the page in one storage call; a request that cannot be
 * planned still has its key checked first, so that only a key holder learns what is wrong with it.
 */
export async function serveRead(
  endpoint: CollectionEndpoint | DetailEndpoint,
  routed: RoutedRequest,
  world: World,
  verdict: Verdict = null,
): Promise<Reply> {
  const tenant = openTenant(routed, world)
  if (tenant === null) return unauthorized()
  const request = {
    organizationId: tenant.organizationId,
    params: routed.params,
    query: routed.url.searchParams,
  }

  const first: ReadPlan =
    verdict === null ? await plan(endpoint, request, null, world) : { kind: 'refusal', reply: verdict }
  const outcome = await tenant.read(first.kind === 'queries' ? first.queries : [])
  if (!outcome.authenticated) return unauthorized()
  if (verdict !== null) return verdict
  const refusal = refusalOf(endpoint.requires, outcome.organization)
  if (refusal !== null) return refusal
  if (first.kind !== 'needs_country') return answer(first, outcome)

  const second = await plan(endpoint, request, outcome.organization.phoneCountry, world)
  if (second.kind !== 'queries') return answer(second, outcome)
  const read = await tenant.read(second.queries)
  return read.authenticated ? answer(second, read) : unauthorized()
}

function plan(
  endpoint: CollectionEndpoint | DetailEndpoint,
  request: ReadRequest,
  phoneCountry: string | null,
  world: World,
): Promise<ReadPlan> {
  return endpoint.kind === 'collection'
    ? planCollection(endpoint, request, phoneCountry, world.secrets)
    : planDetail(endpoint, request, phoneCountry, world.secrets)
}

async function answer(made: ReadPlan, outcome: KeyedRead & { authenticated: true }): Promise<Reply> {
  switch (made.kind) {
    case 'queries':
      return made.answer(outcome.results, outcome.organization)
    case 'refusal':
      return made.reply
    case 'needs_country':
      throw new Error('A plan asked for the phone country although it was given')
  }
}
