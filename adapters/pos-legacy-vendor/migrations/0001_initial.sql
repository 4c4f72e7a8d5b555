-- The database of the legacy vendor, shared by its tenants: every key and every index starts with the tenant. An index
-- is named after its table, the columns that narrow a page and the column that orders it.

CREATE TABLE pos_transactions (
  tenant_id TEXT NOT NULL,
  transaction_id TEXT NOT NULL,
  customer_id TEXT,
  site_code TEXT,
  completed_at TEXT NOT NULL,
  type TEXT NOT NULL,
  currency TEXT NOT NULL,
  subtotal_cents INTEGER,
  discount_cents INTEGER,
  tax_cents INTEGER,
  tip_cents INTEGER,
  total_cents INTEGER,
  payment_method TEXT,
  line_items TEXT NOT NULL,
  PRIMARY KEY (tenant_id, transaction_id)
) STRICT;

CREATE INDEX pos_transactions_completed_at ON pos_transactions (tenant_id, completed_at, transaction_id);
CREATE INDEX pos_transactions_customer_id_completed_at
  ON pos_transactions (tenant_id, customer_id, completed_at, transaction_id);
CREATE INDEX pos_transactions_site_code_completed_at
  ON pos_transactions (tenant_id, site_code, completed_at, transaction_id);

CREATE TABLE pos_customers (
  tenant_id TEXT NOT NULL,
  customer_id TEXT NOT NULL,
  first_name TEXT,
  last_name TEXT,
  email TEXT,
  phone TEXT,
  license_plates TEXT NOT NULL,
  active INTEGER,
  home_site_code TEXT,
  last_visit_at TEXT,
  created_at TEXT,
  email_key TEXT,
  PRIMARY KEY (tenant_id, customer_id)
) STRICT;

CREATE INDEX pos_customers_created_at ON pos_customers (tenant_id, created_at, customer_id);
CREATE INDEX pos_customers_phone_created_at ON pos_customers (tenant_id, phone, created_at, customer_id);
CREATE INDEX pos_customers_email_key_created_at ON pos_customers (tenant_id, email_key, created_at, customer_id);
CREATE INDEX pos_customers_active_created_at ON pos_customers (tenant_id, active, created_at, customer_id);
CREATE INDEX pos_customers_home_site_code_created_at
  ON pos_customers (tenant_id, home_site_code, created_at, customer_id);
CREATE INDEX pos_customers_home_site_code_active_created_at
  ON pos_customers (tenant_id, home_site_code, active, created_at, customer_id);

CREATE TABLE pos_recurring_accounts (
  tenant_id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  customer_id TEXT,
  status TEXT NOT NULL,
  plan_code TEXT,
  plan_name TEXT,
  amount_cents INTEGER,
  billing_interval TEXT,
  site_code TEXT,
  started_at TEXT,
  next_billing_at TEXT,
  canceled_at TEXT,
  PRIMARY KEY (tenant_id, account_id)
) STRICT;

CREATE INDEX pos_recurring_accounts_started_at ON pos_recurring_accounts (tenant_id, started_at, account_id);
CREATE INDEX pos_recurring_accounts_customer_id_started_at
  ON pos_recurring_accounts (tenant_id, customer_id, started_at, account_id);
CREATE INDEX pos_recurring_accounts_status_started_at
  ON pos_recurring_accounts (tenant_id, status, started_at, account_id);
CREATE INDEX pos_recurring_accounts_site_code_started_at
  ON pos_recurring_accounts (tenant_id, site_code, started_at, account_id);
CREATE INDEX pos_recurring_accounts_site_code_status_started_at
  ON pos_recurring_accounts (tenant_id, site_code, status, started_at, account_id);

CREATE TABLE pos_billing_events (
  tenant_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  occurred_at TEXT NOT NULL,
  type TEXT NOT NULL,
  amount_cents INTEGER,
  result TEXT,
  account_id TEXT NOT NULL,
  PRIMARY KEY (tenant_id, event_id)
) STRICT;

CREATE INDEX pos_billing_events_account_id_occurred_at
  ON pos_billing_events (tenant_id, account_id, occurred_at, event_id);

CREATE TABLE pos_status_events (
  tenant_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  occurred_at TEXT NOT NULL,
  from_status TEXT,
  to_status TEXT NOT NULL,
  reason TEXT,
  account_id TEXT NOT NULL,
  PRIMARY KEY (tenant_id, event_id)
) STRICT;

CREATE INDEX pos_status_events_account_id_occurred_at
  ON pos_status_events (tenant_id, account_id, occurred_at, event_id);
