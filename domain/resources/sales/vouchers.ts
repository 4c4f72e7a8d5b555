import { collection, detail, newestFirst } from '../../record/endpoint.ts'
import { id, impersonal, integer, nullable, number, oneOf, text, timestamp } from '../../record/field.ts'
import { idFilter, window, wordFilter } from '../../record/filter.ts'
import { code, orElse, orNow, updatedAt } from '../../record/resource-field.ts'
import { resource } from '../../record/resource.ts'
import { countOf, latestOf } from '../../record/tally.ts'
import { voucherGroups } from './voucher-groups.ts'

const statuses = ['active', 'redeemed', 'expired', 'void'] as const

export const vouchers = resource({
  name: 'Voucher',
  collection: 'vouchers',
  description: 'What a customer can redeem, by its code.',
  idField: 'voucherId',
  removal: true,
  selectsFew: { contactId: 'createdAt' },
  selectsMany: { groupId: ['createdAt'] },
  fields: {
    voucherId: id(),
    groupId: nullable(id()),
    status: orElse(oneOf(statuses), 'active'),
    code: code(impersonal(text())),
    contactId: nullable(id()),
    productId: nullable(id()),
    amountOffCents: nullable(integer()),
    percentOff: nullable(number()),
    currency: impersonal(nullable(text())),
    maxRedemptions: nullable(integer(0)),
    redemptionCount: countOf('voucher-redemptions', 'voucherId'),
    expiresAt: nullable(timestamp()),
    lastRedeemedAt: latestOf('voucher-redemptions', 'voucherId', 'redeemedAt'),
    createdAt: orNow(timestamp()),
    updatedAt: updatedAt(),
  },
})

const filters = {
  status: wordFilter('status', statuses, 'Only vouchers in this status.'),
  contactId: idFilter('contactId', 'Only vouchers of this contact.'),
  ...window('createdAt'),
  ...window('updatedAt'),
}

export const listVouchers = collection({
  id: 'vouchers.list',
  path: '/api/v1/vouchers',
  tag: 'Vouchers',
  summary: 'List vouchers',
  description: 'A redemption counts as a change of its voucher: `updatedAt` moves.',
  resource: vouchers,
  filters,
  order: newestFirst('createdAt', 'voucherId'),
})

export const getVoucher = detail({
  id: 'vouchers.get',
  path: '/api/v1/vouchers/{voucherId}',
  tag: 'Vouchers',
  summary: 'Retrieve a voucher',
  resource: vouchers,
})

export const listVouchersOfGroup = collection({
  id: 'vouchers.listOfGroup',
  path: '/api/v1/voucher-groups/{groupId}/vouchers',
  tag: 'Vouchers',
  summary: 'List vouchers of one group',
  resource: vouchers,
  parent: { resource: voucherGroups, param: 'groupId' },
  filters,
  order: newestFirst('createdAt', 'voucherId'),
})
