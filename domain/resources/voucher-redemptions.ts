import { collection, newestFirst } from '../contract/endpoint.ts'
import { id, integer, nullable, text, timestamp } from '../contract/field.ts'
import { idFilter, window } from '../contract/filter.ts'
import { code, resource, updatedAt } from '../contract/resource.ts'

export const voucherRedemptions = resource({
  name: 'VoucherRedemption',
  collection: 'voucher-redemptions',
  description: 'One use of a voucher.',
  idField: 'redemptionId',
  fields: {
    redemptionId: id(),
    voucherId: id(),
    groupId: nullable(id()),
    contactId: nullable(id()),
    siteId: nullable(id()),
    amountCents: nullable(integer()),
    code: code(text()),
    redeemedAt: timestamp(),
  },
  hidden: {
    /** A redemption is an event: what syncs is its voucher. */
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
