import { EVENTS_SHOWN_MAX } from '../../../../domain/pos/index.ts'
import * as as from '../values/codec.ts'
import type { ChildMapping, CollectionMapping, Family } from './family.ts'

/** The source's words for the state of a membership. */
const STATES = { active: 'A', suspended: 'S', canceled: 'C' }

const saleLines: ChildMapping<'odbc_shared'> = {
  table: 'pos_sale_line',
  idColumn: 'line_no',
  parentColumn: 'sale_no',
  order: { kind: 'position', column: 'line_position' },
  valueField: null,
  fields: {
    lineId: as.text('line_no'),
    productCode: as.text('item_no'),
    name: as.text('item_name'),
    quantity: as.quantity('quantity'),
    grossAmountCents: as.money('gross_amount'),
    netAmountCents: as.money('net_amount'),
    discountCents: as.money('discount_amount'),
  },
}

const sales: CollectionMapping<'odbc_shared'> = {
  table: 'pos_sale',
  idColumn: 'sale_no',
  fields: {
    transactionId: as.text('sale_no'),
    customerId: as.text('customer_no'),
    siteCode: as.text('site_no'),
    completedAt: as.instant('completed_utc'),
    type: as.words('sale_kind', { known: { sale: 'S', refund: 'R', void: 'V' } }),
    currency: as.currency('currency_code'),
    subtotalCents: as.money('subtotal_amount'),
    discountCents: as.money('discount_amount'),
    taxCents: as.money('tax_amount'),
    tipCents: as.money('tip_amount'),
    totalCents: as.money('total_amount'),
    paymentMethod: as.text('tender'),
  },
  compared: {},
  lists: { lineItems: saleLines },
}

const customers: CollectionMapping<'odbc_shared'> = {
  table: 'pos_customer',
  idColumn: 'customer_no',
  fields: {
    customerId: as.text('customer_no'),
    firstName: as.text('first_name'),
    lastName: as.text('last_name'),
    email: as.text('email'),
    phone: as.phone('phone_e164'),
    active: as.flag('is_active', { yes: 'Y', no: 'N' }),
    homeSiteCode: as.text('home_site_no'),
    lastVisitAt: as.instant('last_visit_utc'),
    createdAt: as.instant('created_utc'),
  },
  compared: { emailKey: as.emailKey('email') },
  lists: {
    licensePlates: {
      table: 'pos_customer_plate',
      idColumn: 'plate_position',
      parentColumn: 'customer_no',
      order: { kind: 'position', column: 'plate_position' },
      valueField: 'plate',
      fields: { plate: as.text('plate') },
    },
  },
}

const memberships: CollectionMapping<'odbc_shared'> = {
  table: 'pos_membership',
  idColumn: 'membership_no',
  fields: {
    accountId: as.text('membership_no'),
    customerId: as.text('customer_no'),
    status: as.statusWords('membership_state', STATES),
    planCode: as.text('plan_no'),
    planName: as.text('plan_name'),
    amountCents: as.money('amount'),
    billingInterval: as.words('bill_cycle', {
      known: { week: 'W', month: 'M', quarter: 'Q', year: 'Y' },
      otherwise: null,
    }),
    siteCode: as.text('site_no'),
    startedAt: as.instant('started_utc'),
    nextBillingAt: as.instant('next_bill_utc'),
    canceledAt: as.instant('canceled_utc'),
  },
  compared: {},
  lists: {},
}

const charges: ChildMapping<'odbc_shared'> = {
  table: 'pos_membership_charge',
  idColumn: 'charge_no',
  parentColumn: 'membership_no',
  order: { kind: 'latest', columns: ['charged_utc', 'charge_no'], count: EVENTS_SHOWN_MAX },
  valueField: null,
  fields: {
    eventId: as.text('charge_no'),
    occurredAt: as.instant('charged_utc'),
    type: as.words('charge_kind', {
      known: { payment: 'P', refund: 'R', chargeback: 'B', adjustment: 'A', discount: 'D' },
      otherwise: 'unknown',
    }),
    amountCents: as.money('amount'),
    result: as.words('outcome', {
      known: { success: 'OK', failed: 'NO', pending: 'PE' },
      otherwise: 'unknown',
      absent: null,
    }),
  },
}

const stateChanges: ChildMapping<'odbc_shared'> = {
  table: 'pos_membership_change',
  idColumn: 'change_no',
  parentColumn: 'membership_no',
  order: { kind: 'latest', columns: ['changed_utc', 'change_no'], count: EVENTS_SHOWN_MAX },
  valueField: null,
  fields: {
    eventId: as.text('change_no'),
    occurredAt: as.instant('changed_utc'),
    fromStatus: as.words('old_state', { known: STATES, otherwise: 'unknown', absent: null }),
    toStatus: as.words('new_state', { known: STATES, otherwise: 'unknown' }),
    reason: as.text('reason'),
  },
}

/**
 * A kind with one database that its organizations share: words are short codes, amounts have two decimals, and times
 * are in UTC.
 */
export const odbcShared: Family<'odbc_shared'> = {
  kind: 'odbc_shared',
  dialects: ['postgresql', 'sqlite'],
  tenantColumn: 'tenant_code',
  collections: {
    'pos-transactions': sales,
    'pos-customers': customers,
    'pos-recurring-accounts': memberships,
    'pos-recurring-account-details': {
      ...memberships,
      lists: { billingEvents: charges, statusEvents: stateChanges },
    },
  },
}
