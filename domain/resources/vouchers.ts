import { collection, detail, newestFirst } from '../record/endpoint.ts'
import { id, impersonal, integer, nullable, number, oneOf, text, timestamp } from '../record/field.ts'
import { idFilter, window, wordFilter } from '../record/filter.ts'
import { code, orElse, orNow, updatedAt, countOf, latestOf } from '../record/resource-field.ts'
import { resource } from '../record/resource.ts'

const groupStatuses = ['active', 'inactive'] as const

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
    status: orElse(oneOf(groupStatuses), 'active'),
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
    status: wordFilter('status', groupStatuses, 'Only groups in this status.'),
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
  description: 'A redemption, and a correction of one, counts as a change of its voucher: `updatedAt` moves.',
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

export const voucherRedemptions = resource({
  name: 'VoucherRedemption',
  collection: 'voucher-redemptions',
  description: 'One use of a voucher.',
  idField: 'redemptionId',
  removal: true,
  selectsFew: { voucherId: 'redeemedAt' },
  fields: {
    redemptionId: id(),
    voucherId: id(),
    groupId: nullable(id()),
    contactId: nullable(id()),
    siteId: nullable(id()),
    amountCents: nullable(integer()),
    code: code(impersonal(text())),
    redeemedAt: timestamp(),
  },
  hidden: {
    /** Not published, because redemptions have no forward sync of their own: clients sync the vouchers. */
    updatedAt: updatedAt(),
  },
})

export const listVoucherRedemptions = collection({
  id: 'voucherRedemptions.list',
  path: '/api/v1/vouchers/redemptions',
  tag: 'Vouchers',
  summary: 'List redemptions of all vouchers',
  resource: voucherRedemptions,
  filters: {
    voucherId: idFilter('voucherId', 'Only redemptions of this voucher.'),
    groupId: idFilter('groupId', 'Only redemptions of vouchers of this group.'),
    siteId: idFilter('siteId', 'Only redemptions at this site.'),
    ...window('redeemedAt'),
  },
  order: newestFirst('redeemedAt', 'redemptionId'),
})
