import type * as v from 'valibot'
import { storedFields, type Resource } from '../../../domain/record/resource.ts'
import type { StoredRow } from '../../../ports/records.ts'

const FIRST_INSTANT_MS = Date.UTC(2026, 0, 1)
const HOUR_MS = 3_600_000

/** How many different texts a field has, so that a filter selects only some of the rows. */
const VARIETY = 4

/**
 * A stored row that is derived from the resource record only, so that every new resource has contract tests and plan
 * tests. The same index gives the same row; `prefix` keeps the ids of two organizations apart. Times are equal in pairs
 * and decrease as the index grows; a nullable field is null in every third row, and an id refers to one of the first
 * three rows.
 */
export function sampleRow(resource: Resource, index: number, prefix = ''): StoredRow {
  const row: Record<string, unknown> = {}
  const fields = storedFields(resource)
  for (const [name, entry] of fields) {
    if (entry.origin === 'imported' || entry.origin === 'minted')
      row[name] = sampleOf(entry.field.schema, name, index, prefix)
  }
  row[resource.idField] = idOf(resource.idField, index, prefix)
  if (resource.alternateKey !== null) row[resource.alternateKey] = idOf(resource.alternateKey, index, prefix)
  Object.assign(row, overrides[resource.collection]?.(index, prefix))
  for (const [name, entry] of fields) {
    if (entry.origin === 'derived') row[name] = entry.derive(row)
  }
  return row
}

/** Values that cannot be derived from the field types alone. */
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
    answers: { email: `visitor${String(index)}@example.com`, phone: '7612345678', token: 'planted' },
    typed: index % 2 === 0 ? { phone: `+49 7612345678`, constructor: 'x' } : null,
    extra: index % 2 === 1 ? { _replyto: `visitor${String(index)}@example.com`, constructor: 'x' } : null,
    attribution: index % 2 === 0 ? { utm_source: 'newsletter' } : {},
  }),
  products: (index, prefix) => ({ siteIds: [idOf('siteId', index % 3, prefix)] }),
  'marketing-signups': (index) => ({
    phone: `+1212555${String(1000 + index)}`,
    email: `visitor${String(index)}@example.com`,
    answers: { color: 'blue', api_key: 'planted' },
  }),
  // Nested routes name the parameter surveyId; the survey itself calls it id.
  surveys: (index, prefix) => ({
    id: idOf('surveyId', index, prefix),
    config: {
      questionText: 'How was it?',
      enableNotes: index % 2 === 0,
      freetextThreshold: 3,
      visibleLocationIds: [idOf('siteId', index % 3, prefix)],
      categoryContent: { promoter: { label: 'Thank you', buttonUrl: 'https://example.com/' } },
    },
  }),
  'survey-responses': () => ({ answers: { q1: [{ text: 'fine', webhookUrl: 'planted' }] } }),
  purchases: (index) => ({
    items: [
      { productId: null, name: `Wash ${String(index)}`, quantity: 1, unitPriceCents: 1500, totalCents: 1500 },
    ],
    fulfillmentCodes: [[`CODE-${String(index)}`]],
  }),
  memberships: (index) => ({
    status: 'churned',
    signupDate: index % 3 === 2 ? null : '2025-11-30',
    cancelDate: instantAt(index),
  }),
  // Every second link has events, so that the others have no last click.
  'link-events': (index, prefix) => ({ linkId: idOf('linkId', index - (index % 2), prefix) }),
  reviews: (index) => ({
    reviewId: `018f3c6e-7b1a-7c3d-9e2f-${String(index).padStart(12, '0')}`,
    rating: 1 + (index % 5),
    // The last two are never shown.
    isDeleted: index === 5,
    isPreview: index === 6,
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
      if (node.pipe?.some((action) => action.type === 'iso_date') === true)
        return instantAt(index).slice(0, 10)
      return name.endsWith('Id') ? idOf(name, index % 3, prefix) : `${name} ${String(index % VARIETY)}`
    case 'number':
      return Math.max(index % 5, node.pipe?.find(({ type }) => type === 'min_value')?.requirement ?? 0)
    case 'boolean':
      return index % 2 === 0
    case 'picklist':
      return node.options?.[index % node.options.length]
    case 'array':
      return node.item === undefined || node.item.type === 'variant'
        ? []
        : [sampleOf(node.item, name, index, prefix)]
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

/** An instant that decreases as the index grows, with equal instants in pairs. */
function instantAt(index: number): string {
  return new Date(FIRST_INSTANT_MS - Math.floor(index / 2) * HOUR_MS).toISOString()
}

/** The part of a valibot schema from which samples are made. */
interface SchemaNode {
  readonly type: string
  readonly wrapped?: v.GenericSchema
  readonly item?: v.GenericSchema
  readonly pipe?: readonly { readonly type: string; readonly requirement?: number }[]
  readonly options?: readonly unknown[]
  readonly entries?: Readonly<Record<string, v.GenericSchema>>
}
