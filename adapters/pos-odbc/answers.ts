import * as v from 'valibot'
import type { StoredRow } from '../../ports/query.ts'
import type { CollectionName } from './protocol.ts'

const text = v.string()
const optionalText = v.nullable(text)
const instant = v.pipe(text, v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/))
const optionalInstant = v.nullable(instant)
const optionalCents = v.nullable(v.pipe(v.number(), v.safeInteger()))
const status = v.picklist(['active', 'suspended', 'canceled', 'unknown'])

const lineItem = v.strictObject({
  lineId: text,
  productCode: optionalText,
  name: optionalText,
  quantity: v.nullable(v.pipe(v.number(), v.finite())),
  grossAmountCents: optionalCents,
  netAmountCents: optionalCents,
  discountCents: optionalCents,
})

const transaction = v.strictObject({
  transactionId: text,
  customerId: optionalText,
  siteCode: optionalText,
  completedAt: instant,
  type: v.picklist(['sale', 'refund', 'void']),
  currency: text,
  subtotalCents: optionalCents,
  discountCents: optionalCents,
  taxCents: optionalCents,
  tipCents: optionalCents,
  // Null for a sale without a total, which the domain refuses to publish.
  totalCents: optionalCents,
  paymentMethod: optionalText,
  lineItems: v.array(lineItem),
})

const customer = v.strictObject({
  customerId: text,
  firstName: optionalText,
  lastName: optionalText,
  email: optionalText,
  phone: optionalText,
  licensePlates: v.array(text),
  active: v.nullable(v.boolean()),
  homeSiteCode: optionalText,
  lastVisitAt: optionalInstant,
  createdAt: optionalInstant,
})

const account = {
  accountId: text,
  customerId: optionalText,
  status,
  planCode: optionalText,
  planName: optionalText,
  amountCents: optionalCents,
  billingInterval: v.nullable(v.picklist(['week', 'month', 'quarter', 'year'])),
  siteCode: optionalText,
  startedAt: optionalInstant,
  nextBillingAt: optionalInstant,
  canceledAt: optionalInstant,
}

const billingEvent = v.strictObject({
  eventId: text,
  occurredAt: instant,
  type: v.picklist(['payment', 'refund', 'chargeback', 'adjustment', 'discount', 'unknown']),
  amountCents: optionalCents,
  result: v.nullable(v.picklist(['success', 'failed', 'pending', 'unknown'])),
})

const statusEvent = v.strictObject({
  eventId: text,
  occurredAt: instant,
  fromStatus: v.nullable(status),
  toStatus: status,
  reason: optionalText,
})

/** The row of each collection, exactly: a field more or less means that the two sides do not speak the same version. */
const ROWS = {
  'pos-transactions': transaction,
  'pos-customers': customer,
  'pos-recurring-accounts': v.strictObject(account),
  'pos-recurring-account-details': v.strictObject({
    ...account,
    billingEvents: v.array(billingEvent),
    statusEvents: v.array(statusEvent),
  }),
} as const satisfies Readonly<Record<CollectionName, unknown>>

const position = v.strictObject({ value: optionalInstant, id: text })

/** A page as the gateway answered it; null when it is anything else. `limit` is the most rows that were asked for. */
export function parsePage(
  collection: CollectionName,
  body: unknown,
  limit: number,
): { readonly rows: readonly StoredRow[]; readonly next: v.InferOutput<typeof position> | null } | null {
  const schema = v.strictObject({
    rows: v.pipe(v.array(ROWS[collection] as v.GenericSchema<StoredRow>), v.maxLength(limit)),
    next: v.nullable(position),
  })
  const parsed = v.safeParse(schema, body)
  return parsed.success ? parsed.output : null
}

/** One row or its absence as the gateway answered it; null when it is anything else. */
export function parseOne(
  collection: CollectionName,
  body: unknown,
): { readonly row: StoredRow | null } | null {
  const schema = v.strictObject({ row: v.nullable(ROWS[collection] as v.GenericSchema<StoredRow>) })
  const parsed = v.safeParse(schema, body)
  return parsed.success ? parsed.output : null
}

/** The code of an error as the gateway answered it; null when it is anything else. */
export function parseErrorCode(body: unknown): string | null {
  const schema = v.object({ error: v.object({ code: v.pipe(text, v.regex(/^[a-z_]{1,40}$/)) }) })
  const parsed = v.safeParse(schema, body)
  return parsed.success ? parsed.output.error.code : null
}
