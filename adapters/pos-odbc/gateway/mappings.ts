import { EVENTS_SHOWN_MAX, posSourceKinds } from '../../../domain/pos/index.ts'
import type { CollectionName, SourceKind } from '../protocol.ts'
import type { Codec } from './codec.ts'
import * as as from './codec.ts'
import type { ColumnName, ColumnOf, TableName } from './tables.ts'

/** The kinds of databases whose SQL the gateway writes. */
export type DialectName = 'postgresql' | 'sqlite'

interface OfTable<Table extends TableName> {
  readonly table: Table
  /** The column with a row's id, unique within a tenant. */
  readonly idColumn: ColumnName<Table>
  readonly fields: Readonly<Record<string, Codec<ColumnOf<Table>>>>
}

interface OfChildTable<Table extends TableName> extends OfTable<Table> {
  /** The column with the id of the row that they belong to. */
  readonly parentColumn: ColumnName<Table>
  readonly order:
    | { readonly kind: 'position'; readonly column: ColumnName<Table> }
    | { readonly kind: 'latest'; readonly columns: readonly ColumnName<Table>[]; readonly count: number }
  /** When set, the list contains the values of this field instead of rows. */
  readonly valueField: string | null
}

interface OfCollectionTable<Table extends TableName, Kind extends SourceKind> extends OfTable<Table> {
  /** The fields that only filters use. Of their codecs only the key is used. */
  readonly compared: Readonly<Record<string, Codec<ColumnOf<Table>>>>
  readonly lists: Readonly<Record<string, ChildMapping<Kind>>>
}

/** How rows of a kind are recorded in a table: the codec of each published field that is not a list. */
export type TableMapping<Kind extends SourceKind = SourceKind> = {
  [Table in TableName<Kind>]: OfTable<Table>
}[TableName<Kind>]

/** Rows that belong to a row of another table and are published as a list in it. */
export type ChildMapping<Kind extends SourceKind = SourceKind> = {
  [Table in TableName<Kind>]: OfChildTable<Table>
}[TableName<Kind>]

/** A collection and the lists that its rows carry. */
export type CollectionMapping<Kind extends SourceKind = SourceKind> = {
  [Table in TableName<Kind>]: OfCollectionTable<Table, Kind>
}[TableName<Kind>]

/** The tables of a kind of source. */
export type SourceMapping<Kind extends SourceKind = SourceKind> = { [Each in Kind]: MappingOf<Each> }[Kind]

interface MappingOf<Kind extends SourceKind> {
  readonly kind: Kind
  /** The databases that there is a schema for. */
  readonly dialects: readonly [DialectName, ...DialectName[]]
  /** The column that tells the tenants of a shared database apart; null: every tenant has a database of its own. */
  readonly tenantColumn: ColumnName<TableName<Kind>> | null
  readonly collections: Readonly<Record<CollectionName, CollectionMapping<Kind>>>
}

/** The lists that the rows of a collection carry, each with the field in which it is published. */
export function listsOf({ lists }: CollectionMapping): readonly (readonly [string, ChildMapping])[] {
  const every: Readonly<Record<string, ChildMapping>> = lists
  return Object.entries(every)
}

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
const odbcShared: SourceMapping<'odbc_shared'> = {
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
const odbcSecond: SourceMapping<'odbc_second'> = {
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

/** The tables of every kind of source. */
export const MAPPINGS: Readonly<Record<SourceKind, SourceMapping>> = {
  odbc_shared: odbcShared,
  odbc_second: odbcSecond,
}

/**
 * Whether each organization has a database of its own at a kind of source: its tenant is then the name of a data
 * source. Otherwise all share one, in which a column tells the tenants apart.
 */
export function hasOwnDatabases(kind: SourceKind): boolean {
  return posSourceKinds[kind].tenantIs === 'source'
}
