import * as v from 'valibot'
import type { StoredRow } from '../../ports/records/query.ts'
import type { Field, ImportContext } from '../record/field.ts'
import type { ResourceField } from '../record/resource-field.ts'
import type { ImportIssue, Resource } from '../record/resource.ts'
import { storedFields } from '../record/resource.ts'
import { resourceOf } from '../resources/index.ts'
import type { ImportKind, ImportRecord, LineReading, Reference } from './kind.ts'

/** Describes what is wrong with a value. */
type Describe = (issue: v.BaseIssue<unknown>) => string

/**
 * The import of a resource whose lines contain its fields, derived from the resource's record.
 * @param describe describes problems; needed for a kind whose problems must not quote received values
 */
export function plainKind(resource: Resource, describe: Describe = ({ message }) => message): ImportKind {
  const stored = storedFields(resource)
  const imported = new Map<string, Field>(
    stored.flatMap(([name, entry]) => (entry.origin === 'imported' ? [[name, entry.field] as const] : [])),
  )
  const read = createReader(imported, describe)
  return {
    collection: resource.collection,
    keyField: resource.idField,
    key: resource.key,
    secretField: null,
    serviceWideIds: resource.serviceWideIds,
    references: referencesOf(resource),
    typeOf: (name) => imported.get(name)?.storage ?? null,
    problemOf: (name) => (imported.has(name) ? null : problemOf(name, resource, [...imported.keys()])),
    read: (record, context) => {
      const reading = read(record, context)
      return 'row' in reading ? { row: withDerived(reading.row, stored) } : reading
    },
    completion: null,
    warn: null,
  }
}

/** Makes a reader of lines, by the input schemas of the fields. The schema is built once per context, not per line. */
function createReader(fields: ReadonlyMap<string, Field>, describe: Describe) {
  const schemas = new Map<ImportContext, ReturnType<typeof schemaOf>>()
  return (record: ImportRecord, context: ImportContext): LineReading<Record<string, unknown>> => {
    const schema = schemas.get(context) ?? schemaOf(fields, context)
    schemas.set(context, schema)
    const result = v.safeParse(schema, record)
    return result.success
      ? { row: result.output }
      : { issues: result.issues.map((issue) => toIssue(issue, describe)) }
  }
}

function schemaOf(fields: ReadonlyMap<string, Field>, context: ImportContext) {
  return v.object(Object.fromEntries([...fields].map(([name, field]) => [name, field.input(context)])))
}

const MESSAGE_MAX_LENGTH = 200

function toIssue(issue: v.BaseIssue<unknown>, describe: Describe): ImportIssue {
  const message = issue.received === 'undefined' ? 'is required' : describe(issue)
  return {
    field: v.getDotPath(issue) ?? '',
    message: message.length > MESSAGE_MAX_LENGTH ? `${message.slice(0, MESSAGE_MAX_LENGTH)}…` : message,
  }
}

/** Adds the fields that are derived from the rest of the row, in the order of declaration. */
function withDerived(
  row: Record<string, unknown>,
  stored: readonly (readonly [string, ResourceField])[],
): StoredRow {
  const complete: Record<string, unknown> = { ...row }
  for (const [name, entry] of stored) {
    if (entry.origin === 'derived') complete[name] = entry.derive(complete)
  }
  return complete
}

function problemOf(name: string, resource: Resource, known: readonly string[]): string {
  const declared = Object.hasOwn(resource.fields, name) || Object.hasOwn(resource.hidden, name)
  if (declared) return 'is set by the service and cannot be imported'
  return `is not a field of ${resource.collection}, which has ${known.join(', ')}`
}

function referencesOf(resource: Resource): readonly Reference[] {
  const found = new Map<string, Reference>()
  for (const [name, entry] of Object.entries({ ...resource.hidden, ...resource.fields })) {
    const collection = entry.origin === 'joined' ? entry.join.collection : referredBy(entry)
    if (collection === null) continue
    const field = entry.origin === 'joined' ? entry.join.by : name
    found.set(`${field} ${collection}`, { field, collection, idField: resourceOf(collection).idField })
  }
  return [...found.values()]
}

function referredBy(entry: ResourceField): string | null {
  return entry.origin === 'imported' ? (entry.refersTo ?? null) : null
}
