import { reads } from '../../../domain/resources/index.ts'
import type { CollectionEndpoint, DetailEndpoint, GroupsEndpoint } from '../../../domain/record/endpoint.ts'
import { referenceMembers, type AnalyticsData } from '../../support/data/analytics/analytics-reference.ts'
import { seededRandom } from '../../support/runner/fakes.ts'
import { compare, Difference } from '../difference.ts'
import type { JsonObject } from '../values/drawn.ts'
import { groupsOf, WINDOW } from '../groups.ts'
import { createOrganization, importRows } from '../import-world.ts'
import { learn } from '../learn.ts'
import type { Model, ModelRow } from './model-row.ts'
import { createModel, publishedRow, sourceRowsOf } from './model.ts'
import type { Place } from '../places.ts'
import { limitFor, nestedOf, queriesOf, sorted, type Query } from '../queries.ts'
import { answerTo, type Page, type Setting } from '../setting.ts'
import type { World } from '../world.ts'

/** How much was imported and compared. */
export interface Compared {
  readonly rows: number
  readonly answers: number
  readonly answeredRows: number
}

const CONCURRENT_REQUESTS = 8
/** So many rows of each resource are read one by one, the first one and others that are chosen by the seed. */
const DETAILS_MAX = 50

/**
 * Imports the rows of a world into a new organization and reads everything that the API shows of them. Each answer must
 * be, to the byte, what `JSON.stringify` makes of the rows. Throws a `Difference` for the first one that is not.
 * @param share how many of the lists, groupings and details are read, from 0 to 1; the seed chooses which
 */
export async function checkWorld(world: World, place: Place, share = 1): Promise<Compared> {
  const organizationId = `w${world.seed}-${world.format}`
  const key = await createOrganization(organizationId, place)
  const rows = await importRows(world, organizationId, place)
  const setting: Setting = {
    model: createModel(organizationId, world),
    place,
    key,
    random: seededRandom(world.seed),
    counts: { answers: 0, answeredRows: 0 },
  }
  const collections = reads.filter((endpoint) => endpoint.kind === 'collection')
  for (const endpoint of collections.filter(({ parent }) => parent === null)) await learn(endpoint, setting)
  for (const endpoint of collections)
    for (const query of queriesOf(endpoint, setting))
      if (setting.random() < share) await checkRows(endpoint, query, setting)
  for (const endpoint of reads.filter((read) => read.kind === 'detail'))
    await checkDetails(endpoint, setting, share)
  for (const endpoint of reads.filter((read) => read.kind === 'groups'))
    await checkGroups(endpoint, setting, share)
  await checkMembers(setting)
  return { rows, ...setting.counts }
}

/** A page ends early only when it is large. */
const LARGE_PAGE_LENGTH = 1_000_000

async function checkRows(endpoint: CollectionEndpoint, query: Query, setting: Setting): Promise<void> {
  const { model } = setting
  const rows = sorted(endpoint, query, model)
  const filters = Object.fromEntries(
    Object.keys(endpoint.filters).map((name) => [name, query.filters[name] ?? null]),
  )
  await checkPages(
    { ...query, filters },
    rows.map((row) => publishedRow(endpoint.resource, row, model, query.codes)),
    setting,
  )
}

async function checkGroups(endpoint: GroupsEndpoint, setting: Setting, share: number): Promise<void> {
  const { model, random } = setting
  const all = model.rowsOf(endpoint.groups.collection)
  const lists =
    endpoint.parent === null
      ? [{ path: endpoint.path, rows: all, id: null }]
      : nestedOf(endpoint, all, setting)
  for (const { path, rows, id } of lists)
    for (const groupBy of Object.keys(endpoint.groups.groupings).filter(() => random() < share)) {
      const filters = { groupBy, ...WINDOW }
      const limit = limitFor(rows, endpoint, random)
      await checkPages(
        { path, filters, parameters: filters, limit },
        groupsOf(endpoint, rows, model, groupBy, id),
        setting,
      )
    }
}

async function checkPages(
  query: Pick<Query, 'path' | 'filters' | 'parameters' | 'limit'>,
  shown: readonly JsonObject[],
  setting: Setting,
): Promise<void> {
  const { model, counts } = setting
  const expected = shown.map((row) => JSON.stringify(row))
  let at = 0
  let cursor: string | null = null
  do {
    const parameters = new URLSearchParams({
      limit: String(query.limit),
      ...query.parameters,
      ...(cursor === null ? {} : { cursor }),
    })
    const path = `${query.path}?${parameters}`
    const text = await answerTo(path, setting)
    const { data, pagination } = JSON.parse(text) as Page
    cursor = pagination.nextCursor
    const isCutShort = data.length > 0 && data.length < query.limit && text.length > LARGE_PAGE_LENGTH
    const rows = expected.slice(at, at + (isCutShort ? data.length : query.limit))
    at += rows.length
    counts.answeredRows += data.length
    const page = { limit: query.limit, hasMore: at < expected.length, nextCursor: cursor }
    const start = `{"organizationId":${JSON.stringify(model.organizationId)},"filters":${JSON.stringify(query.filters)},"data":[`
    compare(path, `${start}${rows.join()}],"pagination":${JSON.stringify(page)}}`, text)
    if (page.hasMore !== (cursor !== null))
      throw new Difference(`${path} ends after ${at} of ${expected.length} rows`)
  } while (cursor !== null)
}

async function checkDetails(endpoint: DetailEndpoint, setting: Setting, share: number): Promise<void> {
  const { resource, param, parent } = endpoint
  const { model, random } = setting
  const [first, ...others] = sourceRowsOf(resource, model)
  const chosen = others.filter(() => random() * others.length < (DETAILS_MAX - 1) * share)
  const work = [...(first === undefined ? [] : [first]), ...chosen].flatMap((row) =>
    (endpoint.offersCodes ? [false, true] : [false]).map((codes) => ({ row, codes })),
  )
  const checkNext = async (): Promise<void> => {
    for (let next = work.pop(); next !== undefined; next = work.pop()) {
      const published = publishedRow(resource, next.row, model, next.codes)
      const of = (name: string) => encodeURIComponent(String(published[name] ?? next.row[name]))
      const detail = endpoint.path.replace(`{${param}}`, of(resource.idField))
      const path = parent === null ? detail : detail.replace(`{${parent.param}}`, of(parent.param))
      // A parent that no row has is not found, nor is anything below it.
      if (parent !== null && !hasParent(parent, next.row, model)) continue
      const text = await answerTo(`${path}${next.codes ? '?includeCodes=true' : ''}`, setting)
      setting.counts.answeredRows += 1
      compare(path, JSON.stringify(published), text)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT_REQUESTS }, checkNext))
}

function hasParent(
  { param, resource }: NonNullable<DetailEndpoint['parent']>,
  row: ModelRow,
  model: Model,
): boolean {
  return model.rowsOf(resource.collection).some((other) => other[resource.idField] === row[param])
}

/** Compares the export of members with the reference of the analytics. */
async function checkMembers(setting: Setting): Promise<void> {
  const { model, place } = setting
  const data = { memberships: model.rowsOf('memberships') } as unknown as AnalyticsData
  const signup = model.rowsOf('memberships').find(({ signupDate }) => signupDate !== null)?.signupDate
  for (const given of [
    {},
    { status: 'active', limit: '7' },
    { status: 'churned', offset: '3' },
    ...(typeof signup === 'string' ? [{ signupStart: signup }, { signupEnd: signup }] : []),
  ]) {
    const path = `/api/v1/members?${new URLSearchParams(given)}`
    const reference = () => JSON.stringify(referenceMembers(model.organizationId, data, given, place.nowMs()))
    // The tenure of an active member grows at midnight.
    const before = reference()
    const text = await answerTo(path, setting)
    if (text !== before) compare(path, reference(), text)
  }
}
