import * as v from 'valibot'
import { collection, detail, newestFirst } from '../record/endpoint.ts'
import {
  id,
  IdInput,
  idMaxLength,
  impersonal,
  integer,
  json,
  nullable,
  oneOf,
  text,
  timestamp,
} from '../record/field.ts'
import { listFilter, window, wordFilter } from '../record/filter.ts'
import { orElse, orNow, updatedAt } from '../record/resource-field.ts'
import { resource } from '../record/resource.ts'

const types = ['one_time', 'membership', 'voucher', 'gift_card'] as const
const statuses = ['active', 'archived'] as const
const intervals = ['week', 'month', 'quarter', 'year'] as const

const siteId = v.pipe(v.string(), v.minLength(1), v.maxLength(idMaxLength))

export const products = resource({
  name: 'Product',
  collection: 'products',
  description: 'Something the organization sells, and the sites that sell it.',
  idField: 'productId',
  removal: true,
  fields: {
    productId: id(),
    name: impersonal(text()),
    description: impersonal(nullable(text())),
    type: oneOf(types),
    status: orElse(oneOf(statuses), 'active'),
    priceCents: integer(0),
    currency: impersonal(text()),
    billingInterval: nullable(oneOf(intervals)),
    imageUrl: impersonal(nullable(text())),
    siteIds: orElse(impersonal(json(v.array(siteId), v.array(IdInput))), []),
    createdAt: orNow(timestamp()),
    updatedAt: updatedAt(),
  },
})

export const listProducts = collection({
  id: 'products.list',
  path: '/api/v1/products',
  tag: 'Products',
  summary: 'List products',
  resource: products,
  filters: {
    status: wordFilter('status', statuses, 'Only products in this status.'),
    type: wordFilter('type', types, 'Only products of this type.'),
    siteId: listFilter('siteIds', 'Only products that list this site.'),
    ...window('createdAt'),
    ...window('updatedAt'),
  },
  order: newestFirst('createdAt', 'productId'),
})

export const getProduct = detail({
  id: 'products.get',
  path: '/api/v1/products/{productId}',
  tag: 'Products',
  summary: 'Retrieve a product',
  resource: products,
})
