import type { Resource } from '../../domain/contract/resource.ts'
import { cutPage } from '../../domain/paging/cut-page.ts'
import {
  EVENTS_SHOWN_MAX,
  eventLists,
  posCapabilities,
  posResources,
  writtenPosResources,
} from '../../domain/pos/index.ts'
import type { PosSourceTie } from '../../ports/organization.ts'
import type { PosSource, PosSources } from '../../ports/pos-source.ts'
import type { PosWriter } from '../../ports/pos-writer.ts'
import type { StoredRow } from '../../ports/query.ts'
import { pageRows } from './read-query.ts'
import { fieldReader, keepRow, keyOfRow, sameContent } from './rows.ts'
import type { KeptRow } from './state.ts'
import { compareBytes } from '../../domain/text/text-order.ts'

/** Point-of-sale sources of every kind over plain maps. */
export interface MemoryPos extends PosSources {
  /** Opens an organization's source for writing. */
  writer(tie: PosSourceTie): PosWriter
}

type Rows = Map<string, KeptRow>
type Collections = Map<string, Rows>

/** The reference implementation of the point-of-sale ports, for tests. It lasts as long as the process, and it scans. */
export function createMemoryPos(): MemoryPos {
  const tenants = new Map<string, Collections>()
  const collectionsOf = ({ kind, tenant }: PosSourceTie): Collections => {
    const name = `${kind} ${tenant}`
    const collections = tenants.get(name) ?? new Map<string, Rows>()
    tenants.set(name, collections)
    return collections
  }
  return {
    open: (tie) => openSource(tie, collectionsOf(tie)),
    writer: (tie) => ({
      upsert: async (collection, rows) => ({ changed: upsert(collectionsOf(tie), collection, rows) }),
    }),
  }
}

function openSource({ kind }: PosSourceTie, collections: Collections): PosSource {
  return {
    capabilities: posCapabilities[kind],
    async page(query) {
      const resource = resourceNamed(posResources, query.collection)
      const rows = pageRows(resource, rowsFor(collections, resource), { ...query, limit: query.limit + 1 })
      const read = rows.map((row) => selected(collections, resource, query.select, row))
      return { kind: 'page', ...cutPage(read, query) }
    },
    async one({ collection, select, id }) {
      const resource = resourceNamed(posResources, collection)
      const row = rowsFor(collections, resource).get(id)
      return { kind: 'row', row: row === undefined ? null : selected(collections, resource, select, row) }
    },
  }
}

/** The rows that a resource is made of: accounts with their events are accounts first. */
function rowsFor(collections: Collections, { collection }: Resource): Rows {
  const of = collection === 'pos-recurring-account-details' ? 'pos-recurring-accounts' : collection
  return collections.get(of) ?? new Map<string, KeptRow>()
}

function selected(
  collections: Collections,
  resource: Resource,
  select: readonly string[],
  row: KeptRow,
): StoredRow {
  const read = (field: string) => {
    const list = eventLists.find(([name]) => name === field)
    if (list !== undefined) return latestEvents(collections, list[1], row.accountId)
    return fieldReader(resource, field, () => new Map())(row)
  }
  return Object.fromEntries(select.map((field) => [field, read(field)]))
}

function latestEvents(collections: Collections, of: Resource, accountId: unknown): readonly StoredRow[] {
  const events = [...(collections.get(of.collection)?.values() ?? [])]
  const newestFirst = (left: KeptRow, right: KeptRow) =>
    compareBytes(String(right.occurredAt), String(left.occurredAt)) ||
    compareBytes(String(right.eventId), String(left.eventId))
  return events
    .filter((event) => event.accountId === accountId)
    .sort(newestFirst)
    .slice(0, EVENTS_SHOWN_MAX)
    .map((event) => Object.fromEntries(Object.keys(of.fields).map((field) => [field, event[field] ?? null])))
}

function upsert(collections: Collections, collection: string, rows: readonly StoredRow[]): number {
  const resource = resourceNamed(writtenPosResources, collection)
  const kept = rows.map((row) => keepRow(resource, row))
  const stored = collections.get(collection) ?? new Map<string, KeptRow>()
  collections.set(collection, stored)
  const changed = kept.filter((row) => {
    const before = stored.get(keyOfRow(resource, row))
    return before === undefined || !sameContent(resource, before, row)
  })
  for (const row of changed) stored.set(keyOfRow(resource, row), row)
  return changed.length
}

function resourceNamed(resources: readonly Resource[], collection: string): Resource {
  const found = resources.find((resource) => resource.collection === collection)
  if (found === undefined) throw new Error(`A point of sale has no ${collection}`)
  return found
}
