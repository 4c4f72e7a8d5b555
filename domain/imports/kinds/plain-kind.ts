import * as v from 'valibot'
import type { StoredRow } from '../../../ports/records.ts'
import type { ImportContext } from '../../record/field.ts'
import type { Imported, ResourceField } from '../../record/resource-field.ts'
import { storedFields, type Resource } from '../../record/resource.ts'
import { resourceOf } from '../../resources/index.ts'
import { judge, unknownWord } from '../../words/judge.ts'
import { folded } from '../file/header.ts'
import type { ImportKind, ImportRecord, LineReading, Reference } from './kind.ts'

/** The import of a resource whose lines contain its fields, derived from the resource's record. */
export function plainKind(resource: Resource): ImportKind {
  const stored = storedFields(resource)
  const imported = importedFields(resource)
  const read = createReader(imported)
  return {
    collection: resource.collection,
    keyField: resource.idField,
    key: resource.key,
    secretField: null,
    serviceWideIds: resource.serviceWideIds,
    references: referencesOf(resource),
    names: [...imported.keys()],
    typeOf: (name) => imported.get(name)?.field.storage ?? null,
    problemOf: (name) => (imported.has(name) ? null : problemOf(name, resource, [...imported.keys()])),
    read: (record, context) => {
      const reading = read(record, context)
      return 'row' in reading ? { row: withDerived(reading.row, stored) } : reading
    },
    completion: null,
    warn: null,
  }
}

/** The fields of a resource that a line may have. */
export function importedFields(resource: Resource): ReadonlyMap<string, Imported> {
  return new Map(
    storedFields(resource).flatMap(([name, entry]) =>
      entry.origin === 'imported' ? [[name, entry] as const] : [],
    ),
  )
}

/** Makes a reader of lines, by the input schemas of the fields. The schema is built once per context, not per line. */
function createReader(fields: ReadonlyMap<string, Imported>) {
  const schemas = new Map<ImportContext, ReturnType<typeof schemaOf>>()
  return (record: ImportRecord, context: ImportContext): LineReading<Record<string, unknown>> => {
    const schema = schemas.get(context) ?? schemaOf(fields, context)
    schemas.set(context, schema)
    const judgement = judge(schema, record)
    if ('value' in judgement) return { row: judgement.value }
    return { issues: judgement.problems.map(({ path, message }) => ({ field: path, message })) }
  }
}

/** A field with a natural value that a line leaves out is null in its row, which tells the store to find the value. */
function schemaOf(fields: ReadonlyMap<string, Imported>, context: ImportContext) {
  const entries = [...fields].map(([name, entry]) => {
    const input = entry.field.input(context)
    return [name, entry.default === undefined ? input : v.nullish(input, null)] as const
  })
  return v.object(Object.fromEntries(entries))
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
  const declared = [...Object.keys(resource.fields), ...Object.keys(resource.hidden)]
  if (
    declared.some((own) => folded(own) === folded(name)) &&
    !known.some((own) => folded(own) === folded(name))
  )
    return 'is set by the service and cannot be imported. Leave it out.'
  return `is not a field of ${resource.collection}. ${unknownWord(name, known)}`
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
