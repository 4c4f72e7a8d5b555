import type { KeyedRead, KeyedReader } from '../../ports/keyed-storage.ts'
import type { Organization } from '../../ports/organization.ts'
import type { RoutedRequest, World } from '../service.ts'
import type { PresentedKey } from '../tenancy/api-key.ts'
import { hashKey, isKey } from '../tenancy/api-key.ts'
import { readBearer } from '../tenancy/bearer.ts'
import type { CollectionEndpoint, DetailEndpoint } from './endpoint.ts'
import { planCollection } from './plan-collection.ts'
import { planDetail } from './plan-detail.ts'
import type { ReadPlan, ReadRequest } from './read-plan.ts'
import type { Reply } from './reply.ts'
import { unauthorized, unavailable } from './reply.ts'

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
  const key = readBearer(routed.request.headers.get('authorization'))
  if (key?.organizationId == null) return unauthorized()
  const request = {
    organizationId: key.organizationId,
    params: routed.params,
    query: routed.url.searchParams,
  }
  const reader = openReader(key, request.organizationId, world)

  const first: ReadPlan =
    verdict === null ? await plan(endpoint, request, null, world) : { kind: 'refusal', reply: verdict }
  const outcome = await reader.read(first.kind === 'queries' ? first.queries : [])
  if (!outcome.authenticated) return unauthorized()
  rehashAfterRotation(key, outcome, world)
  if (verdict === null && lacks(endpoint, outcome.organization)) return unavailable()
  if (first.kind !== 'needs_country') return answer(first, outcome)

  const second = await plan(endpoint, request, outcome.organization.phoneCountry, world)
  if (second.kind !== 'queries') return answer(second, outcome)
  const read = await reader.read(second.queries)
  return read.authenticated ? answer(second, read) : unauthorized()
}

/** Whether an organization lacks what an endpoint requires: whatever else is wrong with the request, it says this. */
function lacks({ requires }: CollectionEndpoint | DetailEndpoint, organization: Organization): boolean {
  return requires !== null && !organization[requires]
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

function openReader(key: PresentedKey, organizationId: string, world: World): KeyedReader {
  return world.storage.open({ organizationId, keyId: key.keyId }, (stored) =>
    isKey(key, stored, world.secrets),
  )
}

/** A key hashed under the previous root secret moves to the current one on its first use. */
function rehashAfterRotation(
  key: PresentedKey,
  outcome: KeyedRead & { authenticated: true },
  world: World,
): void {
  const { current } = world.secrets
  if (outcome.key.secretVersion === current.version) return
  const rehash = async () => {
    await world.keys.rehashKey(key.keyId, await hashKey(key.text, current), current.version)
  }
  world.background.run(rehash())
}
