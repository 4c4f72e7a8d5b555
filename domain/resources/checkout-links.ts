import * as v from 'valibot'
import { collection, detail, newestFirst } from '../record/endpoint.ts'
import {
  id,
  IdInput,
  idMaxLength,
  impersonal,
  json,
  nullable,
  oneOf,
  text,
  timestamp,
} from '../record/field.ts'
import { idFilter, window, wordFilter } from '../record/filter.ts'
import { orElse, orNow, updatedAt, countOf } from '../record/resource-field.ts'
import { resource } from '../record/resource.ts'

const statuses = ['active', 'inactive', 'expired'] as const

const Item = v.strictObject({
  productId: v.pipe(v.string(), v.minLength(1), v.maxLength(idMaxLength)),
  quantity: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
})
const ItemInput = v.strictObject({ ...Item.entries, productId: IdInput })

/** The statuses of a purchase that was paid. A refund does not undo that the purchase was completed. */
const paid = ['paid', 'partially_refunded', 'refunded'] as const

export const checkoutLinks = resource({
  name: 'CheckoutLink',
  collection: 'checkout-links',
  description:
    'A link that leads to a checkout with items in it. `completedCount` is the number of its purchases that were paid, refunded later or not.',
  idField: 'checkoutLinkId',
  removal: true,
  fields: {
    checkoutLinkId: id(),
    name: impersonal(text()),
    url: impersonal(text()),
    status: orElse(oneOf(statuses), 'active'),
    items: orElse(impersonal(json(v.array(Item), v.array(ItemInput))), []),
    siteId: nullable(id()),
    successUrl: impersonal(nullable(text())),
    expiresAt: nullable(timestamp()),
    completedCount: countOf('purchases', 'checkoutLinkId', { field: 'status', words: paid }),
    createdAt: orNow(timestamp()),
    updatedAt: updatedAt(),
  },
})

export const listCheckoutLinks = collection({
  id: 'checkoutLinks.list',
  path: '/api/v1/checkout-links',
  tag: 'Checkout links',
  summary: 'List checkout links',
  resource: checkoutLinks,
  filters: {
    status: wordFilter('status', statuses, 'Only checkout links in this status.'),
    siteId: idFilter('siteId', 'Only checkout links of this site.'),
    ...window('createdAt'),
    ...window('updatedAt'),
  },
  order: newestFirst('createdAt', 'checkoutLinkId'),
})

export const getCheckoutLink = detail({
  id: 'checkoutLinks.get',
  path: '/api/v1/checkout-links/{checkoutLinkId}',
  tag: 'Checkout links',
  summary: 'Retrieve a checkout link',
  resource: checkoutLinks,
})
