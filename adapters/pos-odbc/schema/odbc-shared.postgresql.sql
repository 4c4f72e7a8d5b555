-- The tables of an odbc_shared source on PostgreSQL. Instants are in UTC to the millisecond: a finer time would make a
-- page end between two rows that look the same. Identifiers sort by their bytes (collate "C"), as pages do.

create table pos_sale (
  tenant_code text collate "C" not null,
  sale_no text collate "C" not null,
  customer_no text collate "C",
  site_no text collate "C",
  completed_utc timestamp(3) not null,
  sale_kind text not null,
  currency_code text,
  subtotal_amount numeric(14, 2),
  discount_amount numeric(14, 2),
  tax_amount numeric(14, 2),
  tip_amount numeric(14, 2),
  total_amount numeric(14, 2),
  tender text,
  primary key (tenant_code, sale_no)
);
create index pos_sale_completed on pos_sale (tenant_code, completed_utc, sale_no);
create index pos_sale_customer on pos_sale (tenant_code, customer_no, completed_utc, sale_no);
create index pos_sale_site on pos_sale (tenant_code, site_no, completed_utc, sale_no);

create table pos_sale_line (
  tenant_code text collate "C" not null,
  sale_no text collate "C" not null,
  line_no text collate "C" not null,
  line_position integer not null,
  item_no text,
  item_name text,
  quantity numeric,
  gross_amount numeric(14, 2),
  net_amount numeric(14, 2),
  discount_amount numeric(14, 2),
  primary key (tenant_code, sale_no, line_no)
);

create table pos_customer (
  tenant_code text collate "C" not null,
  customer_no text collate "C" not null,
  first_name text,
  last_name text,
  email text collate "C",
  phone_e164 text collate "C",
  -- Y, N, or nothing when the POS does not know.
  is_active text,
  home_site_no text collate "C",
  last_visit_utc timestamp(3),
  created_utc timestamp(3),
  primary key (tenant_code, customer_no)
);
create index pos_customer_created on pos_customer (tenant_code, created_utc, customer_no);
create index pos_customer_email on pos_customer (tenant_code, lower(email), created_utc, customer_no);
create index pos_customer_phone on pos_customer (tenant_code, phone_e164, created_utc, customer_no);
create index pos_customer_active on pos_customer (tenant_code, is_active, created_utc, customer_no);
create index pos_customer_site on pos_customer (tenant_code, home_site_no, created_utc, customer_no);

create table pos_customer_plate (
  tenant_code text collate "C" not null,
  customer_no text collate "C" not null,
  plate_position integer not null,
  plate text not null,
  primary key (tenant_code, customer_no, plate_position)
);

create table pos_membership (
  tenant_code text collate "C" not null,
  membership_no text collate "C" not null,
  customer_no text collate "C",
  -- A active, S suspended, C canceled; anything else is unknown.
  membership_state text,
  plan_no text,
  plan_name text,
  amount numeric(14, 2),
  -- W, M, Q or Y.
  bill_cycle text,
  site_no text collate "C",
  started_utc timestamp(3),
  next_bill_utc timestamp(3),
  canceled_utc timestamp(3),
  primary key (tenant_code, membership_no)
);
create index pos_membership_started on pos_membership (tenant_code, started_utc, membership_no);
create index pos_membership_customer on pos_membership (tenant_code, customer_no, started_utc, membership_no);
create index pos_membership_state on pos_membership (
  tenant_code,
  (case membership_state when 'A' then 'active' when 'S' then 'suspended' when 'C' then 'canceled' else 'unknown' end),
  started_utc,
  membership_no
);
create index pos_membership_site on pos_membership (tenant_code, site_no, started_utc, membership_no);

create table pos_membership_charge (
  tenant_code text collate "C" not null,
  charge_no text collate "C" not null,
  membership_no text collate "C" not null,
  charged_utc timestamp(3) not null,
  -- P payment, R refund, B chargeback, A adjustment, D discount; anything else is unknown.
  charge_kind text,
  amount numeric(14, 2),
  -- OK, NO, PE (pending); anything else is unknown.
  outcome text,
  primary key (tenant_code, charge_no)
);
create index pos_membership_charge_latest on pos_membership_charge (tenant_code, membership_no, charged_utc, charge_no);

create table pos_membership_change (
  tenant_code text collate "C" not null,
  change_no text collate "C" not null,
  membership_no text collate "C" not null,
  changed_utc timestamp(3) not null,
  old_state text,
  new_state text,
  reason text,
  primary key (tenant_code, change_no)
);
create index pos_membership_change_latest on pos_membership_change (tenant_code, membership_no, changed_utc, change_no);
