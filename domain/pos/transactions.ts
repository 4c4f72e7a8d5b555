import * as v from 'valibot'
import { collection, detail, newestFirst } from '../record/endpoint.ts'
import {
  currency,
  id,
  IdInput,
  integer,
  json,
  mayBeMissing,
  nullable,
  oneOf,
  text,
  timestamp,
  WholeNumber,
} from '../record/field.ts'
import { idFilter, window } from '../record/filter.ts'
import { resource } from '../record/resource.ts'

const types = ['sale', 'refund', 'void'] as const

const LineItem = v.strictObject({
  lineId: v.string(),
  productCode: v.nullable(v.string()),
  name: v.nullable(v.string()),
  quantity: v.nullable(v.number()),
  grossAmountCents: v.nullable(WholeNumber),
  netAmountCents: v.nullable(WholeNumber),
  discountCents: v.nullable(WholeNumber),
})
const parts = LineItem.entries
const LineItemInput = v.strictObject({
  lineId: IdInput,
  productCode: v.nullish(parts.productCode, null),
  name: v.nullish(parts.name, null),
  quantity: v.nullish(parts.quantity, null),
  grossAmountCents: v.nullish(parts.grossAmountCents, null),
  netAmountCents: v.nullish(parts.netAmountCents, null),
  discountCents: v.nullish(parts.discountCents, null),
})

/** The id of a line is unique within its sale only. A source keeps one row for each line. */
const LineItemsInput = v.pipe(
  v.array(LineItemInput),
  v.check(
    (lines) => new Set(lines.map((line) => line.lineId)).size === lines.length,
    'must not have two lines of the same lineId',
  ),
)

export const transactions = resource({
  name: 'PosTransaction',
  collection: 'pos-transactions',
  description:
    'A sale, refund or void at the point of sale. Amounts that the source does not know are null, never zero; of a ' +
    'line, the net amount may be known where the gross amount is not. A sale without a total fails the request.',
  idField: 'transactionId',
  fields: {
    transactionId: id(),
    customerId: nullable(id()),
    siteCode: nullable(text()),
    completedAt: timestamp(),
    type: oneOf(types),
    currency: currency(),
    subtotalCents: nullable(integer()),
    discountCents: nullable(integer()),
    taxCents: nullable(integer()),
    tipCents: nullable(integer()),
    totalCents: mayBeMissing(integer()),
    paymentMethod: nullable(text()),
    lineItems: json(v.array(LineItem), LineItemsInput),
  },
})

export const listTransactions = collection({
  id: 'posTransactions.list',
  path: '/api/v1/pos/transactions',
  tag: 'Point of sale',
  summary: 'List point-of-sale transactions',
  description:
    'Answers 400 when `customerId` is passed without `completedAfter` and the source of the organization can ' +
    "only search a customer's transactions from an instant on.",
  resource: transactions,
  rowsFrom: 'pos',
  filters: {
    customerId: idFilter('customerId', 'Only transactions of this customer.'),
    siteCode: idFilter('siteCode', 'Only transactions at the site with this code.'),
    ...window('completedAt'),
  },
  filterNeeds: [{ filter: 'customerId', needs: 'completedAfter', at: 'customerTransactionsNeedStart' }],
  order: newestFirst('completedAt', 'transactionId'),
})

export const getTransaction = detail({
  id: 'posTransactions.get',
  path: '/api/v1/pos/transactions/{id}',
  param: 'id',
  tag: 'Point of sale',
  summary: 'Retrieve a point-of-sale transaction',
  resource: transactions,
  rowsFrom: 'pos',
})
