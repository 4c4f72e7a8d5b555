import { EVENTS_SHOWN_MAX } from '../../../../domain/pos/index.ts'
import * as as from '../values/codec.ts'
import type { ChildMapping, CollectionMapping, Family } from './family.ts'

/** Amounts have four decimals here. */
const DECIMALS = 4

/** The source's words for the status of a pass. */
const STATUSES = { active: 'Current', suspended: 'On Hold', canceled: 'Terminated' }

const ticketItems: ChildMapping<'odbc_second'> = {
  table: 'TicketItem',
  idColumn: 'LineId',
  parentColumn: 'TicketId',
  order: { kind: 'position', column: 'ItemPosition' },
  valueField: null,
  fields: {
    lineId: as.text('LineId'),
    productCode: as.text('Sku'),
    name: as.text('Description'),
    quantity: as.quantity('Quantity'),
    grossAmountCents: as.money('GrossAmount', DECIMALS),
    netAmountCents: as.money('NetAmount', DECIMALS),
    discountCents: as.money('DiscountAmount', DECIMALS),
  },
}

const tickets: CollectionMapping<'odbc_second'> = {
  table: 'Ticket',
  idColumn: 'TicketId',
  fields: {
    transactionId: as.text('TicketId'),
    customerId: as.text('GuestId'),
    siteCode: as.text('StoreCode'),
    completedAt: as.instant('ClosedUtc'),
    type: as.words('TicketType', { known: { sale: 'Sale', refund: 'Return', void: 'Voided' } }),
    currency: as.currency('CurrencyCode'),
    subtotalCents: as.money('SubtotalAmount', DECIMALS),
    discountCents: as.money('DiscountAmount', DECIMALS),
    taxCents: as.money('TaxAmount', DECIMALS),
    tipCents: as.money('GratuityAmount', DECIMALS),
    totalCents: as.money('TotalAmount', DECIMALS),
    paymentMethod: as.text('Tender'),
  },
  compared: {},
  lists: { lineItems: ticketItems },
}

const guests: CollectionMapping<'odbc_second'> = {
  table: 'Guest',
  idColumn: 'GuestId',
  fields: {
    customerId: as.text('GuestId'),
    firstName: as.text('FirstName'),
    lastName: as.text('LastName'),
    email: as.text('Email'),
    phone: as.phone('PhoneE164'),
    active: as.flag('ActiveFlag', { yes: 'Active', no: 'Inactive' }),
    homeSiteCode: as.text('HomeStoreCode'),
    lastVisitAt: as.instantOrLocalTime('LastVisitUtc', 'LastVisitLocal'),
    createdAt: as.instant('CreatedUtc'),
  },
  compared: { emailKey: as.emailKey('Email') },
  lists: {
    licensePlates: {
      table: 'GuestVehicle',
      idColumn: 'VehiclePosition',
      parentColumn: 'GuestId',
      order: { kind: 'position', column: 'VehiclePosition' },
      valueField: 'plate',
      fields: { plate: as.text('Plate') },
    },
  },
}

const passes: CollectionMapping<'odbc_second'> = {
  table: 'Pass',
  idColumn: 'PassId',
  fields: {
    accountId: as.text('PassId'),
    customerId: as.text('GuestId'),
    status: as.statusWords('PassStatus', STATUSES),
    planCode: as.text('PlanCode'),
    planName: as.text('PlanName'),
    amountCents: as.money('Price', DECIMALS),
    billingInterval: as.words('BillEvery', {
      known: { week: 'Weekly', month: 'Monthly', quarter: 'Quarterly', year: 'Yearly' },
      otherwise: null,
    }),
    siteCode: as.text('StoreCode'),
    startedAt: as.instant('SoldUtc'),
    nextBillingAt: as.instantOrLocalTime('NextBillUtc', 'NextBillLocal'),
    canceledAt: as.instantOrLocalTime('TerminatedUtc', 'TerminatedLocal'),
  },
  compared: {},
  lists: {},
}

const billings: ChildMapping<'odbc_second'> = {
  table: 'PassBilling',
  idColumn: 'BillingId',
  parentColumn: 'PassId',
  order: { kind: 'latest', columns: ['BilledUtc', 'BillingId'], count: EVENTS_SHOWN_MAX },
  valueField: null,
  fields: {
    eventId: as.text('BillingId'),
    occurredAt: as.instant('BilledUtc'),
    type: as.words('BillingType', {
      known: {
        payment: 'Payment',
        refund: 'Refund',
        chargeback: 'Dispute',
        adjustment: 'Correction',
        discount: 'Promotion',
      },
      otherwise: 'unknown',
    }),
    amountCents: as.money('Amount', DECIMALS),
    result: as.words('Outcome', {
      known: { success: 'Approved', failed: 'Declined', pending: 'Submitted' },
      otherwise: 'unknown',
      absent: null,
    }),
  },
}

const statusLog: ChildMapping<'odbc_second'> = {
  table: 'PassStatusLog',
  idColumn: 'LogId',
  parentColumn: 'PassId',
  order: { kind: 'latest', columns: ['LoggedUtc', 'LogId'], count: EVENTS_SHOWN_MAX },
  valueField: null,
  fields: {
    eventId: as.text('LogId'),
    occurredAt: as.instant('LoggedUtc'),
    fromStatus: as.words('OldStatus', { known: STATUSES, otherwise: 'unknown', absent: null }),
    toStatus: as.words('NewStatus', { known: STATUSES, otherwise: 'unknown' }),
    reason: as.text('Remark'),
  },
}

/**
 * A kind with a database for each organization: words are spelled out, amounts have four decimals, and some times are
 * local only.
 */
export const odbcSecond: Family<'odbc_second'> = {
  kind: 'odbc_second',
  dialects: ['sqlite'],
  tenantColumn: null,
  collections: {
    'pos-transactions': tickets,
    'pos-customers': guests,
    'pos-recurring-accounts': passes,
    'pos-recurring-account-details': {
      ...passes,
      lists: { billingEvents: billings, statusEvents: statusLog },
    },
  },
}
