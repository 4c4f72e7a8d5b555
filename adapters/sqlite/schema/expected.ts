import { resources, reads } from '../../../domain/resources/index.ts'
import { removalTriggers, tallies, tallyTriggers } from './triggers.ts'
import { OWNER, type Schema, type ColumnShape, type IndexShape, type TableShape } from './actual.ts'
import {
  keyFields,
  operatorKeyFields,
  organizationFields,
  storedFieldShape,
  type StoredFieldShape,
} from '../../../domain/record/account-fields.ts'
import type { StorageType } from '../../../domain/record/field.ts'
import { storedFields, type Resource } from '../../../domain/record/resource.ts'
import type { ResourceField } from '../../../domain/record/resource-field.ts'
import { columnName } from '../statement/database.ts'
import { tableName, columnOf, tableOf, indexOf, type PageIndex } from '../tables.ts'
import { SYNC_FIELD, type CollectionEndpoint } from '../../../domain/record/endpoint.ts'
import type { Predicate } from '../../../ports/records.ts'
import type { Reason } from './difference.ts'

/** The schema that the records require, with the indexes that other statements need. */
export function expectedSchema(): Schema {
  const byHand = indexesByHand.map(([index]) => index)
  return {
    tables: [...accountTables, ...resources.map(tableShape)],
    indexes: [...accountIndexes, ...resourceIndexes(byHand), ...byHand],
    triggers: [...tallies().flatMap(tallyTriggers), ...resources.flatMap(removalTriggers)],
  }
}

const columnTypes: Readonly<Record<StorageType, string>> = {
  text: 'TEXT',
  integer: 'INTEGER',
  real: 'REAL',
  boolean: 'INTEGER',
  json: 'TEXT',
}

const text = (name: string, more: Partial<ColumnShape> = {}): ColumnShape => ({
  name,
  type: 'TEXT',
  notNull: false,
  byDefault: null,
  ...more,
})

/** The tables of organizations and of keys, with the columns that no port shows. */
const accountTables: readonly TableShape[] = [
  accountTable('organizations', 'organization_id', organizationFields, [
    // The latest updated_at given out in this organization. Every batch that writes moves it strictly forward.
    text('clock_at', { notNull: true, byDefault: "'0000-01-01T00:00:00.000Z'" }),
  ]),
  accountTable('api_keys', 'key_id', keyFields, [
    // What an earlier version of the service inserts has an issuer that nobody recorded.
    text('issued_by', { byDefault: "'unknown'" }),
  ]),
  accountTable('operator_keys', 'key_id', operatorKeyFields, [
    // Names the proof of the root secret on which the key was issued, so that no proof is used twice.
    text('proof'),
    // When all that descends from the key was ended.
    text('descent_ended_at'),
  ]),
]

/** The indexes of these tables. */
const accountIndexes: readonly IndexShape[] = [
  accountIndex('organizations_slug', 'organizations', ['slug'], true),
  accountIndex('api_keys_created', 'api_keys', ['organization_id', 'created_at', 'key_id']),
  accountIndex('operator_keys_proof', 'operator_keys', ['proof'], true),
]

function accountIndex(name: string, table: string, columns: readonly string[], unique = false): IndexShape {
  return { name, table, columns, unique, where: null }
}

/** @param more columns that no port shows, or that differ from what follows from the field */
function accountTable(
  name: string,
  key: string,
  fields: Readonly<Record<string, Parameters<typeof storedFieldShape>[0]>>,
  more: readonly ColumnShape[],
): TableShape {
  const stored = Object.entries(fields).map(([field, word]) => columnOfField(field, storedFieldShape(word)))
  const byName = new Map([...stored, ...more].map((column) => [column.name, column]))
  return {
    name,
    columns: [...byName.values()],
    key: [key],
    withoutRowid: false,
    strict: true,
  }
}

const owner: ColumnShape = { name: OWNER, type: 'TEXT', notNull: true, byDefault: null }

/** The table of a stored resource: the organization, then the stored fields, then virtual columns. */
function tableShape(resource: Resource): TableShape {
  const name = tableName(resource.collection)
  const stored = storedFields(resource).map(([field, entry]) => columnShape(field, entry))
  return {
    name,
    columns: [owner, ...stored],
    key: [OWNER, ...resource.key.map(columnName)],
    withoutRowid: false,
    strict: true,
  }
}

function columnShape(name: string, entry: ResourceField): ColumnShape {
  const { storage, nullable } = entry.field
  const isTally = entry.origin === 'assigned' && entry.tally !== null
  // A row is inserted without its tallies, which triggers then compute.
  const byDefault = !isTally || nullable ? null : storage === 'json' ? "'[]'" : '0'
  return { ...columnOfField(name, entry.field), byDefault }
}

/** The column of a field, without a default. */
function columnOfField(field: string, { storage, nullable }: StoredFieldShape): ColumnShape {
  return { name: columnName(field), type: columnTypes[storage], notNull: !nullable, byDefault: null }
}

/**
 * The indexes that the records require: those for reading pages and groups, those of a resource's alternate keys, and
 * one for each tally, to find the rows that it counts.
 * @param more indexes that exist for other reasons and may serve a tally too
 */
function resourceIndexes(more: readonly IndexShape[]): readonly IndexShape[] {
  const shapes = [...resources.flatMap(keyIndexes), ...pageIndexes(), ...groupIndexes()]
  const found = new Map(shapes.map((shape) => [shape.name, shape]))
  for (const { child, by } of tallies()) {
    const leads = [...found.values(), ...more].some(
      ({ table, columns }) => table === tableName(child.collection) && columns[1] === columnName(by),
    )
    const shape = tableIndex(child.collection, [by])
    // The primary key of list members already finds the rows of a list, so no index is needed.
    if (!leads && child.key[0] !== by) found.set(shape.name, shape)
  }
  return [...found.values()]
}

/**
 * An index of an organization's rows by some fields and then by id, named after the fields.
 * @param sought the fields that statements always compare with a value. A row in which one of them is null can never be
 *   found, so it is left out of the index and costs no write.
 */
function tableIndex(
  collection: string,
  fields: readonly string[],
  sought: readonly string[] = [],
): IndexShape {
  const table = tableOf(collection)
  const columns = fields.map((field) => columnOf(table, field).name)
  const nullable = sought.map((field) => columnOf(table, field)).filter((column) => column.nullable)
  return {
    name: [table.name, ...columns].join('_'),
    table: table.name,
    columns: [OWNER, ...columns, table.idColumn],
    unique: false,
    where: nullable.map(({ name }) => `${name} IS NOT NULL`).join(' AND ') || null,
  }
}

function keyIndexes({ collection, idField, alternateKey, serviceWideIds }: Resource): readonly IndexShape[] {
  const table = tableName(collection)
  const unique = (field: string, owner: readonly string[]): IndexShape => ({
    name: `${table}_${columnName(field)}`,
    table,
    columns: [...owner, columnName(field)],
    unique: true,
    where: null,
  })
  return [
    ...(serviceWideIds ? [unique(idField, [])] : []),
    ...(alternateKey === null ? [] : [unique(alternateKey, [OWNER])]),
  ]
}

/** The indexes for pages. What is tested in a walk comes after the id, because it orders nothing. */
function pageIndexes(): readonly IndexShape[] {
  return readIndexes().map(({ collection, narrowing, orderField, tested }) => {
    const shape = tableIndex(collection, [...narrowing, orderField], narrowing)
    const table = tableOf(collection)
    return { ...shape, columns: [...shape.columns, ...tested.map((field) => columnOf(table, field).name)] }
  })
}

/**
 * The indexes for groups, which are read from all rows of a time window, or only those of a parent where there is one.
 */
function groupIndexes(): readonly IndexShape[] {
  return reads.flatMap((endpoint) => {
    if (endpoint.kind !== 'groups') return []
    const { groups, parent } = endpoint
    return [tableIndex(groups.collection, [...(parent === null ? [] : [parent.param]), groups.at])]
  })
}

/** An index by which pages of a collection are read. */
interface ReadIndex extends PageIndex {
  readonly collection: string
  /** The fields that are tested while the index is walked. It holds them too, so that the rows need not be read. */
  readonly tested: readonly string[]
}

/** Pages of points of sale are not among them: they are read from outside sources. */
const collections: readonly CollectionEndpoint[] = reads
  .filter((endpoint) => endpoint.kind === 'collection')
  .filter(({ rowsFrom }) => rowsFrom !== 'pos')

/** The indexes that serve every page: in each order, with each filter and with each two of them. */
function readIndexes(): readonly ReadIndex[] {
  const found = new Map<string, ReadIndex>()
  for (const endpoint of collections) {
    const { collection } = endpoint.resource
    const table = tableOf(collection)
    for (const orderField of ordersOf(endpoint)) {
      for (const where of narrowings(endpoint, orderField)) {
        const index = indexOf(table, where, orderField)
        const { narrowing, name } = index
        // The rows of a filter that selects few are so few that they may be read.
        const isOfFew = narrowing.some((field) => table.selectsFew[field] !== undefined)
        const tested = where.map(({ field }) => field).filter((field) => !narrowing.includes(field))
        const known = found.get(name)?.tested ?? []
        found.set(name, { ...index, collection, tested: isOfFew ? [] : [...new Set([...known, ...tested])] })
      }
    }
  }
  return [...found.values()]
}

/** The fields by which the pages of an endpoint can be ordered. */
function ordersOf({ order, syncOrder, sorts }: CollectionEndpoint): readonly string[] {
  return [...new Set([order.field, ...(syncOrder === null ? [] : [syncOrder.field]), ...sorts])]
}

/** The filters of pages in an order: those that every page has, alone, with each other one, and with each two. */
function narrowings(
  { filters, parent, resource }: CollectionEndpoint,
  orderField: string,
): readonly (readonly Predicate[])[] {
  const always = [
    ...(resource.only === null ? [] : [equals(resource.only.field)]),
    ...(parent === null ? [] : [equals(parent.param)]),
  ]
  const more = Object.values(filters)
    // A bound of the order is one of the index, and a filter by `updatedAt` has that order.
    .filter(({ field }) => field !== orderField && field !== SYNC_FIELD)
    .map(({ field, operator }): Predicate => ({ field, operator, value: '' }))
  const pairs = more.flatMap((first, index) => more.slice(index + 1).map((second) => [first, second]))
  return [[], ...more.map((one) => [one]), ...pairs].map((some) => [...always, ...some])
}

function equals(field: string): Predicate {
  return { field, operator: 'equals', value: '' }
}

const index = (table: string, columns: readonly string[], id: string): IndexShape => ({
  name: [table, ...columns.map((column) => column.replace(' DESC', ''))].join('_'),
  table,
  columns: ['organization_id', ...columns, id],
  unique: false,
  where: null,
})

/** An index that holds all that statements read of a row. */
const covering = (table: string, columns: readonly string[]): IndexShape => ({
  name: [table, ...columns].join('_'),
  table,
  columns: ['organization_id', ...columns],
  unique: false,
  where: null,
})

/** Why rows are found by their clock that no page shows in this order, and that may be very many. */
const MOVED = 'a move copies what was written since an instant'

/** Indexes for statements other than pages of endpoints, each with its statement. */
const indexesByHand: readonly (readonly [IndexShape, Reason])[] = [
  [index('billing_events', ['updated_at'], 'event_id'), MOVED],
  [index('link_events', ['updated_at'], 'event_id'), MOVED],
  [index('list_members', ['updated_at', 'list_id'], 'contact_id'), MOVED],
  [
    index('automations', ['trigger_form_id', 'status'], 'automation_id'),
    'a submission finds what it triggers',
  ],
  [
    covering('billing_events', ['membership_id', 'occurred_at', 'event_id', 'type', 'amount_cents']),
    'a membership finds the events of its first year, and analytics the revenue from a member',
  ],
  [
    index('exit_survey_events', ['occurred_at', 'reason_code'], 'event_id'),
    'reasons within a range are counted',
  ],
  [index('link_events', ['link_id', 'event', 'occurred_at'], 'event_id'), "a link's last click is found"],
  [index('memberships', ['signup_date DESC'], 'membership_id'), 'the members export'],
  [index('memberships', ['status', 'signup_date DESC'], 'membership_id'), 'the members export of one status'],
  [
    covering('memberships', ['status', 'canceled_at', 'churn_type', 'cancel_reason', 'tenure_days']),
    'cancellations within a range are counted',
  ],
  [
    index('purchases', ['checkout_link_id', 'status'], 'purchase_id'),
    'the completed purchases of a checkout link are counted',
  ],
  [
    covering('retention_offer_events', ['membership_id', 'occurred_at', 'event_id', 'event']),
    "each member's last decision within a range is found",
  ],
  [
    covering('retention_offer_events', ['offer_id', 'occurred_at', 'event_id', 'event']),
    'the events of each offer within a range are counted, and the latest one is found',
  ],
  [
    {
      name: 'outbox_stopped',
      table: 'outbox',
      columns: ['organization_id', 'updated_at', 'outbox_id'],
      unique: false,
      where: "status <> 'pending'",
    },
    'what is not tried by itself is counted without what waits',
  ],
  [
    {
      name: 'webhooks_failing',
      table: 'webhooks',
      columns: ['failing_since'],
      unique: false,
      where: 'is_on = 1 AND failing_since IS NOT NULL',
    },
    'webhooks that have failed for long are found every minute',
  ],
  [index('reviews', ['site_id'], 'review_id'), 'the reviews that carry the name of a site are found'],
  [
    index('visible_reviews', ['owner_id'], 'row_id'),
    'the reviews of a child are found when its parent changes',
  ],
]
