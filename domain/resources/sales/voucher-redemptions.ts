import { collection, newestFirst } from '../../record/endpoint.ts'
import { id, impersonal, integer, nullable, text, timestamp } from '../../record/field.ts'
import { idFilter, window } from '../../record/filter.ts'
import { code, updatedAt } from '../../record/resource-field.ts'
import { resource } from '../../record/resource.ts'

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
