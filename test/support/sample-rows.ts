import type * as v from 'valibot'
import type { Resource } from '../../domain/contract/resource.ts'
import { storedFields } from '../../domain/contract/resource.ts'
import type { StoredRow } from '../../ports/query.ts'

const FIRST_INSTANT_MS = Date.UTC(2026, 0, 1)
const HOUR_MS = 3_600_000

/**
 * A stored row made from the resource record alone, so that a new resource has contract tests from its first day.
 * The same index gives the same row; `prefix` keeps the ids of two organizations apart.
 */
export function sampleRow(resource: Resource, index: number, prefix = ''): StoredRow {
  const row: Record<string, unknown> = {}
  const fields = storedFields(resource)
  for (const [name, entry] of fields) {
    if (entry.origin === 'imported') row[name] = sampleOf(entry.field.schema, name, index, prefix)
  }
  row[resource.idField] = idOf(resource.idField, index, prefix)
  Object.assign(row, overrides[resource.collection]?.(index, prefix))
  for (const [name, entry] of fields) {
    if (entry.origin === 'derived') row[name] = entry.derive(row)
  }
  return row
}

/** Where a row cannot be made of its field types alone. */
const overrides: Readonly<Record<string, (index: number, prefix: string) => StoredRow>> = {
  forms: (index, prefix) => ({
    passwordHash: null,
    definition: {
      formId: idOf('formId', index, prefix),
      name: `Form ${String(index)}`,
      isPublished: true,
      notificationEmails: [],
      fields: [{ id: 'email', type: 'email', label: 'Email', contactField: 'email' }],
    },
  }),
  'form-submissions': (index, prefix) => ({
    formId: idOf('formId', index % 2, prefix),
    answers: { email: `visitor${String(index)}@example.com`, token: 'planted' },
    attribution: index % 2 === 0 ? { utm_source: 'newsletter' } : {},
  }),
  contacts: (index) => ({
    phone: `+1212555${String(1000 + index)}`,
    email: `contact${String(index)}@example.com`,
  }),
}

function idOf(field: string, index: number, prefix: string): string {
  return `${prefix}${field}-${String(index)}`
}

function sampleOf(schema: v.GenericSchema, name: string, index: number, prefix: string): unknown {
  const node = schema as unknown as SchemaNode
  switch (node.type) {
    case 'nullable':
      return index % 3 === 2 || node.wrapped === undefined
        ? null
        : sampleOf(node.wrapped, name, index, prefix)
    case 'string':
      if (node.pipe?.some((action) => action.type === 'iso_timestamp') === true) return instantAt(index)
      return name.endsWith('Id') ? idOf(name, index % 3, prefix) : `${name} ${String(index)}`
    case 'number':
      return index % 5
    case 'boolean':
      return index % 2 === 0
    case 'picklist':
      return node.options?.[index % node.options.length]
    case 'array':
      return [`${name} ${String(index)}`]
    case 'strict_object':
      return Object.fromEntries(
        Object.entries(node.entries ?? {}).flatMap(([key, inner]) =>
          inner.type === 'optional' ? [] : [[key, sampleOf(inner, key, index, prefix)]],
        ),
      )
    case 'record':
    case 'loose_object':
      return {}
    default:
      throw new Error(`No sample for a ${node.type} (${name})`)
  }
}

/** Instants descend by index in pairs, so that ties occur. */
function instantAt(index: number): string {
  return new Date(FIRST_INSTANT_MS - Math.floor(index / 2) * HOUR_MS).toISOString()
}

/** The parts of a valibot schema that samples are made from. */
interface SchemaNode {
  readonly type: string
  readonly wrapped?: v.GenericSchema
  readonly pipe?: readonly { readonly type: string }[]
  readonly options?: readonly unknown[]
  readonly entries?: Readonly<Record<string, v.GenericSchema>>
}
