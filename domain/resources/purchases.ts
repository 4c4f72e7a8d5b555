import * as v from 'valibot'
import { collection, detail, newestFirst } from '../record/endpoint.ts'
import {
  id,
  IdInput,
  impersonal,
  integer,
  json,
  nullable,
  oneOf,
  personal,
  text,
  timestamp,
  type Field,
} from '../record/field.ts'
import { idFilter, window, wordFilter } from '../record/filter.ts'
import { computed, minted, orElse, updatedAt } from '../record/resource-field.ts'
import { resource } from '../record/resource.ts'

const statuses = ['pending', 'paid', 'partially_refunded', 'refunded', 'failed', 'canceled'] as const

const wholeNumber = v.pipe(v.number(), v.safeInteger())
const common = {
  name: v.string(),
  quantity: v.pipe(wholeNumber, v.minValue(0)),
  unitPriceCents: wholeNumber,
  totalCents: wholeNumber,
}
const codes = v.array(v.string())

const StoredItem = v.strictObject({ productId: v.nullable(v.string()), ...common })
const PublishedItem = v.strictObject({ ...StoredItem.entries, fulfillmentCodes: v.optional(codes) })
const ItemInput = v.strictObject({
  productId: v.nullish(IdInput, null),
  ...common,
  fulfillmentCodes: codes,
})

/**
 * Splits the items of an imported purchase into the items without codes and the codes, which are stored separately, so
 * that codes are read only when they are requested.
 */
export function splitCodes(imported: unknown): {
  readonly items: readonly v.InferOutput<typeof StoredItem>[]
  readonly fulfillmentCodes: readonly string[][]
} {
  const items = imported as readonly v.InferOutput<typeof ItemInput>[]
  return {
    items: items.map(({ productId, name, quantity, unitPriceCents, totalCents }) => {
      return { productId, name, quantity, unitPriceCents, totalCents }
    }),
    fulfillmentCodes: items.map(({ fulfillmentCodes }) => fulfillmentCodes),
  }
}

/**
 * The maximum length of a payment processor's id. With it, the public id made from the id stays within the limit of an
 * identifier.
 */
const PROCESSOR_ID_MAX_LENGTH = 128
const PROCESSOR_ID = new RegExp(`^[!-~]{1,${PROCESSOR_ID_MAX_LENGTH}}$`)

const ProcessorId = v.pipe(
  v.string('must be text'),
  v.regex(PROCESSOR_ID, `must be 1 to ${PROCESSOR_ID_MAX_LENGTH} printable ASCII characters without spaces`),
)

/** The payment processor's own id of a purchase. Messages about an invalid one never quote it. */
function processorId(): Field<string> {
  return { storage: 'text', nullable: false, personal: 'no', schema: ProcessorId, input: () => ProcessorId }
}

export const purchases = resource({
  name: 'Purchase',
  collection: 'purchases',
  description:
    "What was bought in one checkout. `purchaseId` is an encrypted public identifier that never changes; it does not contain the payment processor's.",
  idField: 'purchaseId',
  person: { by: 'contactId', carriedIn: [] },
  removal: true,
  alternateKey: 'processorId',
  selectsFew: { contactId: 'purchasedAt' },
  fields: {
    purchaseId: minted(id()),
    status: oneOf(statuses),
    contactId: personal(nullable(id())),
    siteId: nullable(id()),
    checkoutLinkId: nullable(id()),
    currency: impersonal(text()),
    subtotalCents: integer(),
    discountCents: integer(),
    taxCents: integer(),
    totalCents: integer(),
    refundedCents: integer(),
    items: computed(json(v.array(PublishedItem)), ['items'], ['items', 'fulfillmentCodes']),
    purchasedAt: timestamp(),
    refundedAt: nullable(timestamp()),
    updatedAt: updatedAt(),
  },
  hidden: {
    /** The id by which an import finds the purchase again. It is never published, logged or named in an error. */
    processorId: processorId(),
    items: orElse(impersonal(json(v.array(StoredItem), v.array(ItemInput))), []),
    fulfillmentCodes: minted(impersonal(json(v.array(codes))), []),
  },
  compute: { items: ({ items }) => items },
  computeWithCodes: {
    items: ({ items, fulfillmentCodes }) =>
      items.map((item, index) => ({ ...item, fulfillmentCodes: fulfillmentCodes[index] ?? [] })),
  },
})

export const listPurchases = collection({
  id: 'purchases.list',
  path: '/api/v1/purchases',
  tag: 'Purchases',
  summary: 'List purchases',
  resource: purchases,
  filters: {
    status: wordFilter('status', statuses, 'Only purchases in this status.'),
    contactId: idFilter('contactId', 'Only purchases of this contact.'),
    siteId: idFilter('siteId', 'Only purchases at this site.'),
    ...window('purchasedAt'),
    ...window('updatedAt'),
  },
  order: newestFirst('purchasedAt', 'purchaseId'),
})

export const getPurchase = detail({
  id: 'purchases.get',
  path: '/api/v1/purchases/{purchaseId}',
  tag: 'Purchases',
  summary: 'Retrieve a purchase',
  resource: purchases,
})
