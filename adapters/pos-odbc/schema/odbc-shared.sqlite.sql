-- The tables of an odbc_shared source on SQLite. Instants are UTC text with milliseconds, which sorts as time does;
-- amounts and quantities are decimal text, because SQLite would keep a number as a floating-point one.

create table pos_sale (
  tenant_code text not null,
  sale_no text not null,
  customer_no text,
  site_no text,
  completed_utc text not null check (completed_utc glob '????-??-??T??:??:??.???Z'),
  sale_kind text not null,
  currency_code text,
  subtotal_amount text,
  discount_amount text,
  tax_amount text,
  tip_amount text,
  total_amount text,
  tender text,
  primary key (tenant_code, sale_no)
);
create index pos_sale_completed on pos_sale (tenant_code, completed_utc, sale_no);
create index pos_sale_customer on pos_sale (tenant_code, customer_no, completed_utc, sale_no);
create index pos_sale_site on pos_sale (tenant_code, site_no, completed_utc, sale_no);

create table pos_sale_line (
  tenant_code text not null,
  sale_no text not null,
  line_no text not null,
  line_position integer not null,
  item_no text,
  item_name text,
  quantity text,
  gross_amount text,
  net_amount text,
  discount_amount text,
  primary key (tenant_code, sale_no, line_no)
);

create table pos_customer (
  tenant_code text not null,
  customer_no text not null,
  first_name text,
  last_name text,
  email text,
  phone_e164 text,
  -- Y, N, or nothing when the POS does not know.
  is_active text,
  home_site_no text,
  last_visit_utc text check (last_visit_utc glob '????-??-??T??:??:??.???Z'),
  created_utc text check (created_utc glob '????-??-??T??:??:??.???Z'),
  primary key (tenant_code, customer_no)
);
create index pos_customer_created on pos_customer (tenant_code, created_utc, customer_no);
create index pos_customer_email on pos_customer (tenant_code, lower(email), created_utc, customer_no);
create index pos_customer_phone on pos_customer (tenant_code, phone_e164, created_utc, customer_no);
create index pos_customer_active on pos_customer (tenant_code, is_active, created_utc, customer_no);
create index pos_customer_site on pos_customer (tenant_code, home_site_no, created_utc, customer_no);

create table pos_customer_plate (
  tenant_code text not null,
  customer_no text not null,
  plate_position integer not null,
  plate text not null,
  primary key (tenant_code, customer_no, plate_position)
);

create table pos_membership (
  tenant_code text not null,
  membership_no text not null,
  customer_no text,
  -- A active, S suspended, C canceled; anything else is unknown.
  membership_state text,
  plan_no text,
  plan_name text,
  amount text,
  -- W, M, Q or Y.
  bill_cycle text,
  site_no text,
  started_utc text check (started_utc glob '????-??-??T??:??:??.???Z'),
  next_bill_utc text check (next_bill_utc glob '????-??-??T??:??:??.???Z'),
  canceled_utc text check (canceled_utc glob '????-??-??T??:??:??.???Z'),
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
  tenant_code text not null,
  charge_no text not null,
  membership_no text not null,
  charged_utc text not null check (charged_utc glob '????-??-??T??:??:??.???Z'),
  -- P payment, R refund, B chargeback, A adjustment, D discount; anything else is unknown.
  charge_kind text,
  amount text,
  -- OK, NO, PE (pending); anything else is unknown.
  outcome text,
  primary key (tenant_code, charge_no)
);
create index pos_membership_charge_latest on pos_membership_charge (tenant_code, membership_no, charged_utc, charge_no);

create table pos_membership_change (
  tenant_code text not null,
  change_no text not null,
  membership_no text not null,
  changed_utc text not null check (changed_utc glob '????-??-??T??:??:??.???Z'),
  old_state text,
  new_state text,
  reason text,
  primary key (tenant_code, change_no)
);
create index pos_membership_change_latest on pos_membership_change (tenant_code, membership_no, changed_utc, change_no);
