import type { Condition, Tally, ResourceField } from '../../../domain/record/resource-field.ts'
import { isCode, type Resource } from '../../../domain/record/resource.ts'
import { resourceOf } from '../../../domain/resources/index.ts'
import type { JsonObject } from '../values/drawn.ts'
import { made, normalised } from './made.ts'
import type { Model, ModelRow } from './model-row.ts'
import type { World } from '../world.ts'

export function createModel(organizationId: string, world: World): Model {
  const rows = new Map(
    [...world.rows].map(([collection, drawn]) => [
      collection,
      drawn.map(({ shown }) => normalised(collection, shown)),
    ]),
  )
  return { organizationId, rowsOf: (collection) => rows.get(collection) ?? [] }
}

/** A value that no import contains and no rule gives: the service sets it, and its first answer tells which it is. */
export const UNKNOWN = Symbol('unknown')

/** The id that rows of one organization have in answers. */
export function shownIdField({ idField, fields, keptFrom }: Resource): string {
  return idField in fields || keptFrom === null ? idField : (Object.keys(fields)[0] ?? idField)
}

/** The rows that a resource publishes. */
export function sourceRowsOf(
  { collection, keptFrom, only, name }: Resource,
  model: Model,
): readonly ModelRow[] {
  const rows = model.rowsOf(
    keptFrom ?? (name === 'PosRecurringAccountDetails' ? 'pos-recurring-accounts' : collection),
  )
  if (keptFrom !== null)
    return rows.filter(({ isDeleted, isPreview }) => isDeleted === false && isPreview === false)
  return only === null
    ? rows
    : rows.filter((row) => valueOf(only.field, row, model, collection) === only.value)
}

/** The rows that were published before, by the name of the resource. */
const known = new WeakMap<ModelRow, Map<string, JsonObject>>()

/** A row as the API must publish it, with `UNKNOWN` for what only an answer can tell. */
export function publishedRow(resource: Resource, row: ModelRow, model: Model, codes: boolean): JsonObject {
  const ofRow = known.get(row) ?? new Map<string, JsonObject>()
  known.set(row, ofRow)
  const name = `${resource.name} ${codes}`
  const published = ofRow.get(name) ?? newlyPublished(resource, row, model, codes)
  if (!Object.values(published).includes(UNKNOWN)) ofRow.set(name, published)
  return published
}

function newlyPublished(resource: Resource, row: ModelRow, model: Model, codes: boolean): JsonObject {
  const fields = Object.entries(resource.fields).filter(([, entry]) => codes || !isCode(entry))
  return Object.fromEntries(
    fields.map(([name, entry]) => [name, publishedValue(resource, name, entry, row, model, codes)]),
  )
}

function publishedValue(
  { name: resourceName, keptFrom, collection }: Resource,
  name: string,
  entry: ResourceField,
  row: ModelRow,
  model: Model,
  codes: boolean,
): unknown {
  const rule = made[`${resourceName}.${name}`]
  if (rule !== undefined) return rule(row, model, codes)
  if (entry.origin === 'joined') return joinedValue(entry.join, row, model)
  if (entry.origin === 'assigned' && entry.tally !== null)
    return tallied(entry.tally, row, model, resourceOf(collection).idField)
  if (entry.origin === 'imported' || (keptFrom !== null && name in row)) return row[name]
  if ((entry.origin === 'computed' || entry.origin === 'derived') && !TOLD.has(`${resourceName}.${name}`))
    throw new Error(`made.ts does not say how ${resourceName}.${name} is made`)
  return row[learnedName(collection, name)] ?? UNKNOWN
}

/** Made by rules of their own, which other tests check: here the same row must have the same value in every answer. */
const TOLD = new Set(['Form.headless'])

/** Under which name a model row keeps a value that an answer has told. */
export function learnedName(collection: string, name: string): string {
  return `learned ${collection} ${name}`
}

function joinedValue(
  { collection, by, field }: { readonly collection: string; readonly by: string; readonly field: string },
  row: ModelRow,
  model: Model,
): unknown {
  const { idField } = resourceOf(collection)
  const found = model.rowsOf(collection).find((other) => other[idField] === row[by])
  if (found === undefined) throw new Error(`No row of ${collection} has the ${idField} ${String(row[by])}`)
  return found[field] ?? found[learnedName(collection, field)] ?? null
}

/** A stored value of a row, which need not be published: what filters and orders compare. */
export function valueOf(name: string, row: ModelRow, model: Model, collection: string): unknown {
  const rule = made[`${collection}.${name}`]
  if (rule !== undefined) return rule(row, model, false)
  const found = name in row ? row[name] : row[learnedName(collection, name)]
  if (found === undefined) throw new Error(`made.ts does not say how the ${name} of ${collection} is made`)
  return found
}

function tallied(
  { collection, by, where, of }: Tally,
  row: ModelRow,
  model: Model,
  idField: string,
): unknown {
  const children = model
    .rowsOf(collection)
    .filter(
      (child) => child[by] === row[idField] && (where === null || holds(where, child, model, collection)),
    )
  if (of.kind === 'count') return children.length
  if (of.kind === 'first_days') throw new Error('A list of first days is not published')
  const values = children.map((child) => valueOf(of.field, child, model, collection))
  if (of.kind === 'sum') return values.reduce<number>((sum, value) => sum + Number(value), 0)
  return (
    values
      .filter((value) => value !== null)
      .toSorted()
      .at(-1) ?? null
  )
}

function holds(where: Condition, child: ModelRow, model: Model, collection: string): boolean {
  const entry = resourceOf(collection).fields[where.field]
  const value =
    entry?.origin === 'assigned' && entry.tally !== null
      ? tallied(entry.tally, child, model, resourceOf(collection).idField)
      : valueOf(where.field, child, model, collection)
  return 'words' in where ? where.words.some((word) => word === value) : Number(value) >= where.atLeast
}
