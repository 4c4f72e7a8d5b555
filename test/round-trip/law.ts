import { reads } from '../../domain/reads.ts'
import type { CollectionEndpoint, DetailEndpoint, GroupsEndpoint } from '../../domain/record/endpoint.ts'
import { SYNC_FIELD } from '../../domain/record/endpoint.ts'
import type { Filter } from '../../domain/record/filter.ts'
import type { Order } from '../../ports/query.ts'
import { importThroughService } from '../../host-worker/operator/client/import-client.ts'
import type { AnalyticsData } from '../support/analytics-reference.ts'
import { referenceMembers } from '../support/analytics-reference.ts'
import { seededRandom } from '../support/fakes.ts'
import { sourceOf } from '../support/imports.ts'
import { openedPurchaseId } from '../support/opened-purchase-id.ts'
import type { JsonObject } from './drawn.ts'
import { fileOf } from './files.ts'
import { groupsOf, WINDOW } from './groups.ts'
import type { Model, ModelRow } from './model-row.ts'
import { createModel, learnedName, publishedRow, sourceRowsOf, UNKNOWN, valueOf } from './model.ts'
import type { Place } from './places.ts'
import type { World } from './world.ts'

/** An answer, or an import, that differs from what a naive writer makes of the rows. */
export class Difference extends Error {
  override readonly name = 'Difference'
}

/** How much was imported and compared. */
export interface Compared {
  readonly rows: number
  readonly answers: number
  readonly answeredRows: number
}

/** One organization with the rows of a world, in a place. */
interface Setting {
  readonly world: World
  readonly model: Model
  readonly place: Place
  readonly key: string
  readonly random: () => number
  readonly counts: { answers: number; answeredRows: number }
}

/** Pages with one row, with a few, and with as many as there may be. */
const LIMITS = [1, 3, 17, 500]
/** More rows than this are not read in pages of a few. */
const SMALL_PAGES_ROWS_MAX = 60
const CONCURRENT_REQUESTS = 8
/** So many rows of each resource are read one by one, the first one and others that are chosen by the seed. */
const DETAILS_MAX = 50

/**
 * Imports the rows of a world into a new organization and reads everything that the API shows of them. Each answer must
 * be, to the byte, what `JSON.stringify` makes of the rows. Throws a `Difference` for the first one that is not.
 */
export async function checkWorld(world: World, place: Place): Promise<Compared> {
  const organizationId = `w${world.seed}-${world.format}`
  const key = await createOrganization(organizationId, place)
  const rows = await importRows(world, organizationId, place)
  const setting: Setting = {
    world,
    model: createModel(organizationId, world),
    place,
    key,
    random: seededRandom(world.seed),
    counts: { answers: 0, answeredRows: 0 },
  }
  const collections = reads.filter((endpoint) => endpoint.kind === 'collection')
  for (const endpoint of collections.filter(({ parent }) => parent === null)) await learn(endpoint, setting)
  for (const endpoint of collections) await checkCollection(endpoint, setting)
  for (const endpoint of reads.filter((read) => read.kind === 'detail')) await checkDetails(endpoint, setting)
  for (const endpoint of reads.filter((read) => read.kind === 'groups')) await checkGroups(endpoint, setting)
  await checkMembers(setting)
  return { rows, ...setting.counts }
}

async function createOrganization(organizationId: string, { operator, place }: Place): Promise<string> {
  const path = `/operator/v1/organizations/${organizationId}`
  const post = async (to: string, body: object): Promise<JsonObject> => {
    const headers = { 'content-type': 'application/json' }
    const response = await operator('POST', to, { headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`${to} answered ${response.status}: ${await response.text()}`)
    return (await response.json()) as JsonObject
  }
  await post(path, {
    name: organizationId,
    place,
    analytics: true,
    posSource: { kind: 'legacy_vendor', tenant: organizationId },
  })
  return String((await post(`${path}/keys`, {})).key)
}

/** Imports every file twice: the second time changes nothing. Returns the number of rows. */
async function importRows(world: World, organizationId: string, { operator }: Place): Promise<number> {
  let total = 0
  for (const [kind, rows] of world.rows) {
    const source = sourceOf(
      fileOf(
        world.format,
        rows.map(({ given }) => given),
      ),
    )
    for (const changed of [rows.length, 0]) {
      const outcome = await importThroughService({
        organizationId,
        url: 'the service',
        call: operator,
        kind,
        format: world.format,
        source,
        onProgress: () => undefined,
      })
      if (outcome.kind === 'imported' && outcome.changed === changed) continue
      const first = outcome.kind === 'invalid' ? outcome.problems[0] : undefined
      const line = first === undefined ? undefined : rows[first.line - (world.format === 'csv' ? 2 : 1)]
      throw new Difference(
        `Importing ${rows.length} rows of ${kind}: ${JSON.stringify(outcome)}\n${JSON.stringify(line)}`,
      )
    }
    total += rows.length
  }
  return total
}

async function answerTo(path: string, { place, key, counts }: Setting): Promise<string> {
  const response = await place.get(path, key)
  const text = await response.text()
  counts.answers += 1
  if (response.status !== 200) throw new Difference(`${path} answered ${response.status}: ${text}`)
  return text
}

interface Page {
  readonly data: readonly JsonObject[]
  readonly pagination: { readonly nextCursor: string | null }
}

/** Takes from the longest answer what only the service can say, such as `updatedAt`. */
async function learn(endpoint: CollectionEndpoint, setting: Setting): Promise<void> {
  const { resource } = endpoint
  const rows = sourceRowsOf(resource, setting.model)
  for (let path: string | null = `${endpoint.path}?limit=${endpoint.maxLimit}`; path !== null;) {
    const page = JSON.parse(await answerTo(path, setting)) as Page
    for (const shown of page.data) {
      const row = await rowShown(shown, endpoint, rows, setting)
      if (row === undefined)
        throw new Difference(`${path} shows a row that was not imported: ${JSON.stringify(shown)}`)
      for (const [name, value] of Object.entries(publishedRow(resource, row, setting.model, false)))
        if (value === UNKNOWN) row[learnedName(resource.collection, name)] = learned(name, shown[name])
    }
    const cursor: string | null = page.pagination.nextCursor
    path = cursor === null ? null : `${endpoint.path}?limit=${endpoint.maxLimit}&cursor=${cursor}`
  }
}

function learned(name: string, value: unknown): unknown {
  const isInstant = typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value)
  if (name.endsWith('At') && !isInstant) throw new Difference(`${name} is ${JSON.stringify(value)}`)
  return value
}

/** The imported row that an answer shows, found by its id. */
async function rowShown(
  shown: JsonObject,
  { resource }: CollectionEndpoint,
  rows: readonly ModelRow[],
  { model, place }: Setting,
): Promise<ModelRow | undefined> {
  if (resource.alternateKey !== null) {
    const opened = await openedPurchaseId(
      String(shown[resource.idField]),
      model.organizationId,
      place.secrets.current,
    )
    return rows.find((row) => row[String(resource.alternateKey)] === opened)
  }
  const idField = shownIdField(resource)
  return rows.find((row) => row[idField] === shown[idField])
}

/** The id that rows of one organization have in answers. */
function shownIdField({ idField, fields, keptFrom }: CollectionEndpoint['resource']): string {
  return idField in fields || keptFrom === null ? idField : (Object.keys(fields)[0] ?? idField)
}

/** A request for rows of a collection, and the rows that it must find, in their order. */
interface Query {
  readonly path: string
  readonly filters: JsonObject
  readonly rows: readonly ModelRow[]
  readonly order: Order
  readonly codes: boolean
  readonly limit: number
  readonly parameters: Readonly<Record<string, string>>
}

async function checkCollection(endpoint: CollectionEndpoint, setting: Setting): Promise<void> {
  for (const query of queriesOf(endpoint, setting)) await checkRows(endpoint, query, setting)
}

function* queriesOf(endpoint: CollectionEndpoint, setting: Setting): Generator<Query> {
  const { resource, order, parent, filters, sorts, offersCodes, maxLimit, syncOrder } = endpoint
  const all = sourceRowsOf(resource, setting.model)
  for (const { path, rows } of parent === null
    ? [{ path: endpoint.path, rows: all }]
    : nestedOf(endpoint, all, setting)) {
    const limit = rows.length > SMALL_PAGES_ROWS_MAX ? maxLimit : one(LIMITS, setting.random)
    const base = {
      path,
      rows,
      order,
      filters: {},
      codes: false,
      limit: Math.min(limit, maxLimit),
      parameters: {},
    }
    yield base
    yield { ...base, limit: maxLimit }
    if (offersCodes) yield { ...base, codes: true, parameters: { includeCodes: 'true' } }
    for (const sortBy of sorts)
      for (const sortOrder of ['asc', 'desc'] as const) {
        const direction = sortOrder === 'asc' ? 'ascending' : 'descending'
        yield { ...base, order: { ...order, field: sortBy, direction }, parameters: { sortBy, sortOrder } }
      }
    const names = Object.keys(filters)
    for (const name of names) {
      const second = one(names, setting.random)
      const found = filtered(endpoint, new Set([name, setting.random() < 0.3 ? second : name]), rows, setting)
      const syncs = Object.keys(found.filters).some((used) => filters[used]?.field === SYNC_FIELD)
      yield { ...base, ...found, order: syncs && syncOrder !== null ? syncOrder : order }
    }
  }
}

/** The lists of some parents: one with most rows, one with few, and one that is not special. */
function nestedOf(
  { parent, path }: CollectionEndpoint | GroupsEndpoint,
  all: readonly ModelRow[],
  { model, random }: Setting,
) {
  const { param = '', resource } = parent ?? {}
  const parents = resource === undefined ? [] : sourceRowsOf(resource, model)
  const lists = parents.map((row) => {
    const id = String(row[resource?.idField ?? ''])
    return {
      id,
      path: path.replace(`{${param}}`, encodeURIComponent(id)),
      rows: all.filter((child) => child[param] === id),
    }
  })
  const sorted = lists.toSorted((left, right) => left.rows.length - right.rows.length)
  return [...new Set([sorted.at(-1), sorted[0], one(sorted, random)])].filter((list) => list !== undefined)
}

function one<Value>(values: readonly Value[], random: () => number): Value {
  const found = values[Math.floor(random() * values.length)]
  if (found === undefined && values.length === 0) throw new Error('There is nothing to choose from')
  return found as Value
}

/** Filters by values of one of the rows, so that at least that row is found. */
function filtered(
  endpoint: CollectionEndpoint,
  names: ReadonlySet<string>,
  rows: readonly ModelRow[],
  { model, random }: Setting,
) {
  const { resource, filters } = endpoint
  const parameters: Record<string, string> = {}
  const used: Record<string, unknown> = {}
  let found = rows
  for (const name of names) {
    const filter = filters[name]
    const usable = rows
      .map((row) => comparedIn(filter, row, model, resource.collection))
      .flat()
      .filter(isUsable)
    const value = usable.length === 0 ? undefined : one(usable, random)
    if (filter === undefined || value === undefined) continue
    parameters[name] = String(value)
    used[name] = value
    found = found.filter((row) => matches(filter, value, comparedIn(filter, row, model, resource.collection)))
  }
  return { parameters, filters: used, rows: found }
}

function comparedIn(filter: Filter | undefined, row: ModelRow, model: Model, collection: string): unknown {
  return filter === undefined ? null : valueOf(filter.field, row, model, collection)
}

const FILTER_TEXT_MAX_LENGTH = 200
const FILTER_DIGITS_MAX = 15

/** Whether a value can be passed in a filter: an empty one counts as not passed, and long ones are refused. */
function isUsable(value: unknown): value is string | number | boolean {
  if (typeof value === 'string') return value.length > 0 && value.length <= FILTER_TEXT_MAX_LENGTH
  if (typeof value === 'number') return String(Math.abs(value)).length <= FILTER_DIGITS_MAX
  return typeof value === 'boolean'
}

function matches({ operator }: Filter, wanted: string | number | boolean, value: unknown): boolean {
  if (value === null) return false
  switch (operator) {
    case 'equals':
      return value === wanted
    case 'contains':
      return (value as readonly unknown[]).includes(wanted)
    case 'atLeast':
      return (value as number) >= (wanted as number)
    case 'atMost':
      return (value as number) <= (wanted as number)
    case 'above':
      return (value as number) > (wanted as number)
    case 'below':
      return (value as number) < (wanted as number)
  }
}

/** Rows in an order: those without a value last, and those with the same value by id, as bytes of UTF-8. */
function sorted({ resource }: CollectionEndpoint, { rows, order }: Query, model: Model): readonly ModelRow[] {
  const sign = order.direction === 'ascending' ? 1 : -1
  const idField = order.idField in resource.fields ? order.idField : shownIdField(resource)
  const placed = rows.map((row) => ({
    row,
    value: orderValue(resource, order.field, row, model),
    id: Buffer.from(String(orderValue(resource, idField, row, model))),
  }))
  return placed
    .toSorted((left, right) => {
      if ((left.value === null) !== (right.value === null)) return left.value === null ? 1 : -1
      if (left.value !== right.value)
        return sign * ((left.value as number) < (right.value as number) ? -1 : 1)
      return sign * Buffer.compare(left.id, right.id)
    })
    .map(({ row }) => row)
}

function orderValue(
  resource: CollectionEndpoint['resource'],
  name: string,
  row: ModelRow,
  model: Model,
): unknown {
  return name in resource.fields
    ? publishedRow(resource, row, model, false)[name]
    : valueOf(name, row, model, resource.collection)
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

async function checkGroups(endpoint: GroupsEndpoint, setting: Setting): Promise<void> {
  const { model, random } = setting
  const all = model.rowsOf(endpoint.groups.collection)
  const lists =
    endpoint.parent === null
      ? [{ path: endpoint.path, rows: all, id: null }]
      : nestedOf(endpoint, all, setting)
  for (const { path, rows, id } of lists)
    for (const groupBy of Object.keys(endpoint.groups.groupings)) {
      const filters = { groupBy, ...WINDOW }
      const limit = rows.length > SMALL_PAGES_ROWS_MAX ? endpoint.maxLimit : one(LIMITS, random)
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

const SHOWN_AROUND = 150

/** Throws a `Difference` that shows where two texts begin to differ. */
function compare(path: string, expected: string, found: string): void {
  if (expected === found) return
  let at = 0
  while (expected[at] === found[at]) at += 1
  const part = (text: string) => text.slice(Math.max(0, at - SHOWN_AROUND), at + SHOWN_AROUND)
  throw new Difference(
    `${path} differs at character ${at}\n  expected …${part(expected)}…\n  found    …${part(found)}…`,
  )
}

async function checkDetails(endpoint: DetailEndpoint, setting: Setting): Promise<void> {
  const { resource, param, parent } = endpoint
  const { model, random } = setting
  const [first, ...others] = sourceRowsOf(resource, model)
  const chosen = others.filter(() => random() * others.length < DETAILS_MAX - 1)
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
