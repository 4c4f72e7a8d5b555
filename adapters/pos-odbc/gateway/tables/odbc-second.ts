import type { Tables } from './column.ts'

/** The tables of an odbc_second source. */
export const odbcSecondTables = {
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
