import { collection, detail, newestFirst } from '../../record/endpoint.ts'
import { id, impersonal, integer, nullable, number, oneOf, text, timestamp } from '../../record/field.ts'
import { window, wordFilter } from '../../record/filter.ts'
import { orElse, orNow, updatedAt } from '../../record/resource-field.ts'
import { resource } from '../../record/resource.ts'
import { countOf } from '../../record/tally.ts'

const statuses = ['active', 'inactive'] as const

export const voucherGroups = resource({
  name: 'VoucherGroup',
  collection: 'voucher-groups',
  description: 'Vouchers that were issued together. `redeemedCount` counts those redeemed at least once.',
  idField: 'groupId',
  removal: true,
  fields: {
    groupId: id(),
    name: impersonal(text()),
    description: impersonal(nullable(text())),
    status: orElse(oneOf(statuses), 'active'),
    productId: nullable(id()),
    amountOffCents: nullable(integer()),
    percentOff: nullable(number()),
    currency: impersonal(nullable(text())),
    voucherCount: countOf('vouchers', 'groupId'),
    redeemedCount: countOf('vouchers', 'groupId', { field: 'redemptionCount', atLeast: 1 }),
    startsAt: nullable(timestamp()),
    expiresAt: nullable(timestamp()),
    createdAt: orNow(timestamp()),
    updatedAt: updatedAt(),
  },
})

export const listVoucherGroups = collection({
  id: 'voucherGroups.list',
  path: '/api/v1/voucher-groups',
  tag: 'Vouchers',
  summary: 'List voucher groups',
  resource: voucherGroups,
  filters: {
    status: wordFilter('status', statuses, 'Only groups in this status.'),
    ...window('createdAt'),
    ...window('updatedAt'),
  },
  order: newestFirst('createdAt', 'groupId'),
})

export const getVoucherGroup = detail({
  id: 'voucherGroups.get',
  path: '/api/v1/voucher-groups/{groupId}',
  tag: 'Vouchers',
  summary: 'Retrieve a voucher group',
  resource: voucherGroups,
})
