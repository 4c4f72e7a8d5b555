import type { Tables } from './column.ts'

/** The tables of an odbc_shared source. */
export const odbcSharedTables = {
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
