import type { Generated } from 'kysely'
import type { SourceKind } from '../protocol.ts'

/** What a column holds, which decides how it is read as text and compared. */
export type ColumnType = 'text' | 'instant' | 'decimal' | 'integer'

/** Tables by their names, with the names of their columns by what these hold, separated by spaces. */
export type Tables = Readonly<Record<string, Readonly<Partial<Record<ColumnType, string>>>>>

/** The tables of an odbc_shared source. */
const odbcSharedTables = {
  pos_sale: {
    text: 'tenant_code sale_no customer_no site_no sale_kind currency_code tender',
    instant: 'completed_utc',
    decimal: 'subtotal_amount discount_amount tax_amount tip_amount total_amount',
  },
  pos_sale_line: {
    text: 'tenant_code sale_no line_no item_no item_name',
    decimal: 'quantity gross_amount net_amount discount_amount',
    integer: 'line_position',
  },
  pos_customer: {
    text: 'tenant_code customer_no first_name last_name email phone_e164 is_active home_site_no',
    instant: 'last_visit_utc created_utc',
  },
  pos_customer_plate: {
    text: 'tenant_code customer_no plate',
    integer: 'plate_position',
  },
  pos_membership: {
    text: 'tenant_code membership_no customer_no membership_state plan_no plan_name bill_cycle site_no',
    instant: 'started_utc next_bill_utc canceled_utc',
    decimal: 'amount',
  },
  pos_membership_charge: {
    text: 'tenant_code charge_no membership_no charge_kind outcome',
    instant: 'charged_utc',
    decimal: 'amount',
  },
  pos_membership_change: {
    text: 'tenant_code change_no membership_no old_state new_state reason',
    instant: 'changed_utc',
  },
} as const satisfies Tables

/** The tables of an odbc_second source. */
const odbcSecondTables = {
  Ticket: {
    text: 'TicketId GuestId StoreCode TicketType CurrencyCode Tender',
    instant: 'ClosedUtc',
    decimal: 'SubtotalAmount DiscountAmount TaxAmount GratuityAmount TotalAmount',
  },
  TicketItem: {
    text: 'TicketId LineId Sku Description',
    decimal: 'Quantity GrossAmount NetAmount DiscountAmount',
    integer: 'ItemPosition',
  },
  Guest: {
    text: 'GuestId FirstName LastName Email PhoneE164 ActiveFlag HomeStoreCode LastVisitLocal',
    instant: 'LastVisitUtc CreatedUtc',
  },
  GuestVehicle: {
    text: 'GuestId Plate',
    integer: 'VehiclePosition',
  },
  Pass: {
    text: 'PassId GuestId PassStatus PlanCode PlanName BillEvery StoreCode NextBillLocal TerminatedLocal',
    instant: 'SoldUtc NextBillUtc TerminatedUtc',
    decimal: 'Price',
  },
  PassBilling: {
    text: 'BillingId PassId BillingType Outcome',
    instant: 'BilledUtc',
    decimal: 'Amount',
  },
  PassStatusLog: {
    text: 'LogId PassId OldStatus NewStatus Remark',
    instant: 'LoggedUtc',
  },
} as const satisfies Tables

/** The tables of each kind of source, as the files in `schema/` create them. */
export const TABLES = {
  odbc_shared: odbcSharedTables,
  odbc_second: odbcSecondTables,
} as const satisfies Readonly<Record<SourceKind, Tables>>

type TablesOf = typeof TABLES
type EveryTable = TablesOf['odbc_shared'] & TablesOf['odbc_second']

/** The name of a table of a kind of source. */
export type TableName<Kind extends SourceKind = SourceKind> = {
  [Each in Kind]: keyof TablesOf[Each] & keyof EveryTable
}[Kind]

type Words<Text> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text

/** The columns of a table: their names, and what they hold. */
export type ColumnOf<Table extends TableName> = {
  [Each in Table]: {
    [Type in keyof EveryTable[Each]]: {
      readonly name: Words<EveryTable[Each][Type]> & string
      readonly type: Type & ColumnType
    }
  }[keyof EveryTable[Each]]
}[Table]

/** The name of a column of a table. */
export type ColumnName<Table extends TableName = TableName> = ColumnOf<Table>['name']

/** A column's value as a driver returns it. */
export type RecordedValue = string | number | null

/** A row as a driver returns it: values by the column names that the statement chose. */
export type RecordedRow = Readonly<Record<string, RecordedValue>>

declare const slot: unique symbol

/** The type of a column's value in a statement. No value has it, so that a slot alone can stand in its place. */
export interface Bound {
  readonly [slot]: never
}

/**
 * A row of whichever table a mapping names: a table has some of the columns. Which of them is checked where the mapping is
 * declared.
 */
export type Row = Readonly<Record<ColumnName, Generated<Bound>>>

/** The tables for which statements are built. */
export type Database = Readonly<Record<TableName, Row>>
