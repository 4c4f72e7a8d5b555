import type { SourceRefusal } from '../../ports/record-source.ts'
import type { OpenSource, RoutedRequest, World } from '../service.ts'
import type { TenantReader } from './authenticate.ts'
import { openTenant } from './authenticate.ts'
import { refusalOf } from './capability.ts'
import type { ReadEndpoint } from './endpoint.ts'
import { planCollection } from './plan-collection.ts'
import { planDetail } from './plan-detail.ts'
import { planGroups } from './plan-groups.ts'
import type { ReadPlan, ReadRequest } from './read-plan.ts'
import type { RowsPlan } from './read-rows.ts'
import { answerFromSource, answerFromStorage, storageQueries } from './read-rows.ts'
import type { Reply } from './reply.ts'
import { errorReply, notFound, sourceUnavailable, unauthorized } from './reply.ts'

/** One read: what was asked for, by whom. */
interface Read {
  readonly endpoint: ReadEndpoint
  readonly request: ReadRequest
  readonly requestId: string
  readonly tenant: TenantReader
  readonly world: World
}

/**
 * Serves a canonical read, or refuses it with what a caller with a good key is to be told (`verdict`, e.g. that the
 * method is wrong).
 */
export async function serveRead(
  endpoint: ReadEndpoint,
  routed: RoutedRequest,
  world: World,
  verdict: Reply | null = null,
): Promise<Reply> {
  const tenant = openTenant(routed, world)
  if (tenant === null) return unauthorized()
  if (verdict !== null) return (await tenant.read([])).authenticated ? verdict : unauthorized()
  const { organizationId } = tenant
  const request: ReadRequest = {
    organizationId,
    params: routed.params,
    query: routed.url.searchParams,
    nowMs: world.clock.nowMs(),
  }
  const read = { endpoint, request, requestId: routed.requestId, tenant, world }
  const open = endpoint.rowsFrom === 'storage' ? null : world.sources[endpoint.rowsFrom]
  return open === null ? serveFromStorage(read) : serveFromSource(read, open)
}

/**
 * The key check travels with the page in one storage call; a request that cannot be planned still has its key
 * checked first, so that only a key holder learns what is wrong with it.
 */
async function serveFromStorage(read: Read): Promise<Reply> {
  const { endpoint, tenant } = read
  const first = await plan(read, null)
  const outcome = await tenant.read(asksForRows(first) ? storageQueries(first) : [])
  if (!outcome.authenticated) return unauthorized()
  const refusal = refusalOf(endpoint.requires, outcome.organization)
  if (refusal !== null) return refusal
  if (asksForRows(first)) return answerFromStorage(first, outcome.results)
  if (first.kind === 'refusal') return first.reply

  const second = await plan(read, outcome.organization.phoneCountry)
  if (!asksForRows(second)) return refusalIn(second)
  const again = await tenant.read(storageQueries(second))
  return again.authenticated ? answerFromStorage(second, again.results) : unauthorized()
}

/** A source is asked once the key was checked: nobody else may keep it busy. */
async function serveFromSource(read: Read, open: OpenSource): Promise<Reply> {
  const { endpoint, requestId, tenant, world } = read
  const outcome = await tenant.read([])
  if (!outcome.authenticated) return unauthorized()
  const { organization } = outcome
  const refusal = refusalOf(endpoint.requires, organization)
  if (refusal !== null) return refusal
  const source = open(organization)
  if (source === null) return notFound()
  const made = await plan(read, organization.phoneCountry)
  if (!asksForRows(made)) return refusalIn(made)
  return answerFromSource(made, source, (negative) => {
    if (negative.kind === 'unsupported') return errorReply(400, unsupported(endpoint, negative))
    world.log.error('source_unavailable', { requestId, endpointId: endpoint.id, reason: negative.reason })
    return sourceUnavailable()
  })
}

/** Names the parameter that a source cannot serve. */
function unsupported(endpoint: ReadEndpoint, { field, operator, allowed }: SourceRefusal): string {
  const filters = endpoint.kind === 'detail' ? [] : Object.entries(endpoint.filters)
  const [name = 'sortBy'] =
    filters.find(([, filter]) => filter.field === field && filter.operator === operator) ?? []
  return `Parameter ${name} ${allowed}.`
}

function plan({ endpoint, request, world }: Read, phoneCountry: string | null): Promise<ReadPlan> {
  switch (endpoint.kind) {
    case 'collection':
      return planCollection(endpoint, request, phoneCountry, world.secrets)
    case 'groups':
      return planGroups(endpoint, request, phoneCountry, world.secrets)
    case 'detail':
      return planDetail(endpoint, request, phoneCountry, world.secrets)
  }
}

function asksForRows(made: ReadPlan): made is RowsPlan {
  return made.kind === 'page' || made.kind === 'groups' || made.kind === 'one'
}

function refusalIn(made: Exclude<ReadPlan, RowsPlan>): Reply {
  if (made.kind === 'refusal') return made.reply
  throw new Error('A plan asked for the phone country although it was given')
}
