import type { Organization } from '../../ports/organizations.ts'
import type { LinkSource, PosSource } from '../../ports/sources.ts'
import type { RecordSource, SourceRefusal } from '../../ports/records.ts'
import type { RoutedRequest } from '../record/operation/routed-request.ts'
import type { OpenSource, ReadWorld } from './world.ts'
import { openReader, type TenantReader } from '../access/authenticate.ts'
import { refusalOf } from '../record/operation/capability.ts'
import { UnpublishableRow } from './pages/checked-row.ts'
import { withDeprecation } from '../record/operation/deprecation.ts'
import type { ReadEndpoint } from '../record/endpoint.ts'
import { unmetNeed } from './filter-needs.ts'
import { LOOKED_AT_MAX } from './plan/limit.ts'
import { planCollection } from './plan/plan-collection.ts'
import { planDetail } from './plan/plan-detail.ts'
import { planGroups } from './plan/plan-groups.ts'
import type { ReadPlan, ReadRequest } from './plan/read-plan.ts'
import { answerFromSource, answerFromStorage, storageQueries, type RowsPlan } from './read-rows.ts'
import {
  errorReply,
  internalError,
  notFound,
  sourceUnavailable,
  type Reply,
} from '../record/operation/reply.ts'
import { queryOf } from '../text/http.ts'

/** A source of rows outside this service. Some kinds of sources also declare how they differ. */
type AnySource = RecordSource | PosSource | LinkSource

/** One read: the endpoint, the request and the caller's key. */
interface Read {
  readonly endpoint: ReadEndpoint
  readonly request: ReadRequest
  readonly requestId: string
  readonly tenant: TenantReader
  readonly world: ReadWorld
}

/**
 * Serves a canonical read. When `verdict` is given (for example, that the method is wrong), a caller with a valid key
 * gets that instead.
 */
export async function serveRead(
  endpoint: ReadEndpoint,
  routed: RoutedRequest,
  world: ReadWorld,
  verdict: Reply | null = null,
): Promise<Reply> {
  const tenant = openReader(routed, endpoint.scope, world)
  if ('refusal' in tenant) return tenant.refusal
  const { organizationId } = tenant
  const request: ReadRequest = {
    organizationId,
    params: routed.params,
    query: queryOf(routed.url),
    nowMs: world.clock.nowMs(),
    looksAtMax: world.looksAtMax ?? LOOKED_AT_MAX,
  }
  const read = { endpoint, request, requestId: routed.requestId, tenant, world }
  const open = endpoint.rowsFrom === 'storage' ? null : world.sources[endpoint.rowsFrom]
  if (open !== null) return serveFromSource(read, open, verdict)
  if (verdict === null) return serveFromStorage(read)
  const outcome = await tenant.read([])
  return outcome.kind === 'refused' ? outcome.refusal : verdict
}

/**
 * The key check and the page are one storage call. When a request cannot be planned, its key is still checked first, so
 * that only the holder of a key learns what is wrong with the request.
 */
async function serveFromStorage(read: Read): Promise<Reply> {
  const { endpoint, tenant } = read
  const first = await plan(read, null)
  const outcome = await tenant.read(asksForRows(first) ? storageQueries(first) : [])
  if (outcome.kind === 'refused') return outcome.refusal
  const refusal = refusalOf(endpoint.requires, outcome.organization)
  if (refusal !== null) return refusal
  if (asksForRows(first)) return answerFromStorage(first, outcome.results)
  if (first.kind === 'refusal') return first.reply

  const second = await plan(read, outcome.organization.phoneCountry)
  if (!asksForRows(second)) return refusalIn(second)
  const again = await tenant.read(storageQueries(second))
  return again.kind === 'refused' ? again.refusal : answerFromStorage(second, again.results)
}

/**
 * A source is asked only after the key has been checked, so that callers without a key cannot keep it busy. For an
 * organization without a source the route does not exist. All other replies have the endpoint's deprecation headers.
 */
async function serveFromSource(read: Read, open: OpenSource, verdict: Reply | null): Promise<Reply> {
  const { endpoint, request, tenant } = read
  const outcome = await tenant.read([])
  if (outcome.kind === 'refused') return outcome.refusal
  const { organization } = outcome
  const source = mayUse(endpoint, organization) ? open(organization) : null
  if (source === null) return verdict ?? notFound()
  const refusal = verdict ?? refusalOf(endpoint.requires, organization)
  const reply = refusal ?? (await readOrFail(read, source, organization.phoneCountry))
  const id = endpoint.kind === 'detail' ? (request.params[endpoint.param] ?? '') : null
  return endpoint.deprecation === null ? reply : withDeprecation(reply, endpoint.deprecation, id)
}

function mayUse({ onlyFor }: Read['endpoint'], { posSource }: Organization): boolean {
  return onlyFor === null || posSource?.kind === onlyFor
}

/** The reply, or an internal failure for a row that cannot be published. The log names that row by its id alone. */
async function readOrFail(read: Read, source: AnySource, phoneCountry: string): Promise<Reply> {
  const { endpoint, requestId, world } = read
  try {
    return await readSource(read, source, phoneCountry)
  } catch (cause) {
    const row =
      cause instanceof UnpublishableRow
        ? { collection: cause.collection, rowId: cause.rowId, missing: cause.field }
        : {}
    world.log.error('request_failed', { requestId, endpointId: endpoint.id, ...row }, cause)
    return internalError(requestId)
  }
}

async function readSource(read: Read, source: AnySource, phoneCountry: string): Promise<Reply> {
  const { endpoint, requestId, world } = read
  const made = await plan(read, phoneCountry)
  if (!asksForRows(made)) return refusalIn(made)
  const unmet = 'capabilities' in source ? unmetNeed(endpoint, made.query, source.capabilities) : null
  if (unmet !== null) return errorReply(400, unmet)
  return answerFromSource(made, endpoint.resource, source, (negative) => {
    if (negative.kind === 'unsupported') return errorReply(400, unsupported(endpoint, negative))
    const { reason, cause } = negative
    world.log.error('source_unavailable', { requestId, endpointId: endpoint.id, reason }, cause)
    return sourceUnavailable()
  })
}

/** The sentence that names the parameter that a source does not support. */
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
