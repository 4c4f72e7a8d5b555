import { SYNC_FIELD, type CollectionEndpoint, type GroupsEndpoint } from '../../domain/record/endpoint.ts'
import type { Filter } from '../../domain/record/filter.ts'
import type { Order } from '../../ports/records.ts'
import type { JsonObject } from './values/drawn.ts'
import type { Model, ModelRow } from './model/model-row.ts'
import { publishedRow, shownIdField, sourceRowsOf, valueOf } from './model/model.ts'
import type { Setting } from './setting.ts'

/** Pages with one row, with a few, and with as many as there may be. */
const LIMITS = [1, 3, 17, 500]
/** More rows than this are not read in pages of a few. */
const SMALL_PAGES_ROWS_MAX = 60

/** How many rows a page may have in a request for these rows. */
export function limitFor(
  rows: readonly unknown[],
  { maxLimit }: { readonly maxLimit: number },
  random: () => number,
): number {
  return rows.length > SMALL_PAGES_ROWS_MAX ? maxLimit : Math.min(maxLimit, one(LIMITS, random))
}

/** A request for rows of a collection, and the rows that it must find, in their order. */
export interface Query {
  readonly path: string
  readonly filters: JsonObject
  readonly rows: readonly ModelRow[]
  readonly order: Order
  readonly codes: boolean
  readonly limit: number
  readonly parameters: Readonly<Record<string, string>>
}

/** Every way to read a collection that is tried. */
export function* queriesOf(endpoint: CollectionEndpoint, setting: Setting): Generator<Query> {
  const { resource, order, parent, filters, sorts, offersCodes, maxLimit, syncOrder } = endpoint
  const all = sourceRowsOf(resource, setting.model)
  for (const { path, rows } of parent === null
    ? [{ path: endpoint.path, rows: all }]
    : nestedOf(endpoint, all, setting)) {
    const limit = limitFor(rows, endpoint, setting.random)
    const base = {
      path,
      rows,
      order,
      filters: {},
      codes: false,
      limit,
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
export function nestedOf(
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
    case 'mentions':
      throw new Error('No filter of the public interface searches')
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
export function sorted(
  { resource }: CollectionEndpoint,
  { rows, order }: Query,
  model: Model,
): readonly ModelRow[] {
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
