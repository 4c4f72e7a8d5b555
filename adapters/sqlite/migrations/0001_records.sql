-- The tables of the records in `domain/resources`, their indexes and their triggers, as `npm run -s migration -- --all`
-- printed them. A table is a stored collection (dashes become underscores), a column a stored field in snake case. Every table is
-- keyed by (organization_id, id), and every index but that of form ids starts with the organization, so that a page is
-- one range of one index. Reads name their index (INDEXED BY): left to itself, the planner takes a narrower one for a page
-- within a window and tests the filter row by row.

CREATE TABLE organizations (
  organization_id TEXT NOT NULL,
  name TEXT NOT NULL,
  slug TEXT,
  parent_id TEXT,
  sms_number TEXT,
  phone_country TEXT NOT NULL,
  pos_source TEXT,
  billing_events INTEGER NOT NULL,
  analytics INTEGER NOT NULL,
  retention_offer_analytics INTEGER NOT NULL,
  automation_hourly INTEGER NOT NULL,
  clock_at TEXT NOT NULL DEFAULT '0000-01-01T00:00:00.000Z',
  PRIMARY KEY (organization_id)
) STRICT;
CREATE TABLE api_keys (
  key_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  organization_id TEXT,
  hash TEXT NOT NULL,
  secret_version TEXT NOT NULL,
  created_at TEXT NOT NULL,
  revoked_at TEXT,
  label TEXT,
  scope TEXT NOT NULL,
  expires_at TEXT,
  rate_per_minute INTEGER,
  last_used_at TEXT,
  successor_id TEXT,
  PRIMARY KEY (key_id)
) STRICT;
CREATE TABLE operator_keys (
  key_id TEXT NOT NULL,
  operator TEXT NOT NULL,
  role TEXT NOT NULL,
  hash TEXT NOT NULL,
  secret_version TEXT NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT,
  revoked_at TEXT,
  last_used_at TEXT,
  issued_by TEXT,
  proof TEXT,
  PRIMARY KEY (key_id)
) STRICT;
CREATE TABLE sites (
  organization_id TEXT NOT NULL,
  site_id TEXT NOT NULL,
  name TEXT NOT NULL,
  common_name TEXT,
  site_code TEXT,
  status TEXT NOT NULL,
  phone TEXT,
  email TEXT,
  timezone TEXT NOT NULL,
  address TEXT NOT NULL,
  latitude REAL,
  longitude REAL,
  google_place_id TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, site_id)
) STRICT;
CREATE TABLE products (
  organization_id TEXT NOT NULL,
  product_id TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT,
  type TEXT NOT NULL,
  status TEXT NOT NULL,
  price_cents INTEGER NOT NULL,
  currency TEXT NOT NULL,
  billing_interval TEXT,
  image_url TEXT,
  site_ids TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, product_id)
) STRICT;
CREATE TABLE checkout_links (
  organization_id TEXT NOT NULL,
  checkout_link_id TEXT NOT NULL,
  name TEXT NOT NULL,
  url TEXT NOT NULL,
  status TEXT NOT NULL,
  items TEXT NOT NULL,
  site_id TEXT,
  success_url TEXT,
  expires_at TEXT,
  completed_count INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, checkout_link_id)
) STRICT;
CREATE TABLE contacts (
  organization_id TEXT NOT NULL,
  contact_id TEXT NOT NULL,
  first_name TEXT,
  last_name TEXT,
  email TEXT,
  phone TEXT,
  license_plate TEXT,
  tags TEXT NOT NULL,
  email_consent TEXT NOT NULL,
  sms_consent TEXT NOT NULL,
  source TEXT,
  site_id TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  email_key TEXT,
  PRIMARY KEY (organization_id, contact_id)
) STRICT;
CREATE TABLE contact_lists (
  organization_id TEXT NOT NULL,
  list_id TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT,
  type TEXT NOT NULL,
  contact_count INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, list_id)
) STRICT;
CREATE TABLE list_members (
  organization_id TEXT NOT NULL,
  contact_id TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  added_at TEXT NOT NULL,
  list_id TEXT NOT NULL,
  PRIMARY KEY (organization_id, list_id, contact_id)
) STRICT;
CREATE TABLE marketing_signups (
  organization_id TEXT NOT NULL,
  signup_id TEXT NOT NULL,
  contact_id TEXT,
  email TEXT,
  phone TEXT,
  site_id TEXT,
  source TEXT,
  email_consent INTEGER NOT NULL,
  sms_consent INTEGER NOT NULL,
  answers TEXT NOT NULL,
  attribution TEXT NOT NULL,
  signed_up_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, signup_id)
) STRICT;
CREATE TABLE forms (
  organization_id TEXT NOT NULL,
  form_id TEXT NOT NULL,
  name TEXT NOT NULL,
  is_published INTEGER NOT NULL,
  published_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  definition TEXT NOT NULL,
  password_hash TEXT,
  version INTEGER NOT NULL,
  PRIMARY KEY (organization_id, form_id)
) STRICT;
CREATE TABLE form_submissions (
  organization_id TEXT NOT NULL,
  submission_id TEXT NOT NULL,
  form_id TEXT NOT NULL,
  contact_id TEXT,
  answers TEXT NOT NULL,
  attribution TEXT NOT NULL,
  source TEXT NOT NULL,
  submitted_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, submission_id)
) STRICT;
CREATE TABLE automations (
  organization_id TEXT NOT NULL,
  automation_id TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT,
  status TEXT NOT NULL,
  trigger TEXT NOT NULL,
  step_count INTEGER NOT NULL,
  run_count INTEGER NOT NULL DEFAULT 0,
  last_run_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  steps TEXT NOT NULL,
  trigger_form_id TEXT,
  PRIMARY KEY (organization_id, automation_id)
) STRICT;
CREATE TABLE automation_runs (
  organization_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  automation_id TEXT NOT NULL,
  contact_id TEXT,
  status TEXT NOT NULL,
  current_step INTEGER,
  step_count INTEGER NOT NULL,
  failure_reason TEXT,
  started_at TEXT NOT NULL,
  completed_at TEXT,
  updated_at TEXT NOT NULL,
  steps TEXT,
  PRIMARY KEY (organization_id, run_id)
) STRICT;
CREATE TABLE voucher_groups (
  organization_id TEXT NOT NULL,
  group_id TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT,
  status TEXT NOT NULL,
  product_id TEXT,
  amount_off_cents INTEGER,
  percent_off REAL,
  currency TEXT,
  voucher_count INTEGER NOT NULL DEFAULT 0,
  redeemed_count INTEGER NOT NULL DEFAULT 0,
  starts_at TEXT,
  expires_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, group_id)
) STRICT;
CREATE TABLE vouchers (
  organization_id TEXT NOT NULL,
  voucher_id TEXT NOT NULL,
  group_id TEXT,
  status TEXT NOT NULL,
  code TEXT NOT NULL,
  contact_id TEXT,
  product_id TEXT,
  amount_off_cents INTEGER,
  percent_off REAL,
  currency TEXT,
  max_redemptions INTEGER,
  redemption_count INTEGER NOT NULL DEFAULT 0,
  expires_at TEXT,
  last_redeemed_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, voucher_id)
) STRICT;
CREATE TABLE voucher_redemptions (
  organization_id TEXT NOT NULL,
  redemption_id TEXT NOT NULL,
  voucher_id TEXT NOT NULL,
  group_id TEXT,
  contact_id TEXT,
  site_id TEXT,
  amount_cents INTEGER,
  code TEXT NOT NULL,
  redeemed_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, redemption_id)
) STRICT;
CREATE TABLE purchases (
  organization_id TEXT NOT NULL,
  purchase_id TEXT NOT NULL,
  status TEXT NOT NULL,
  contact_id TEXT,
  site_id TEXT,
  checkout_link_id TEXT,
  currency TEXT NOT NULL,
  subtotal_cents INTEGER NOT NULL,
  discount_cents INTEGER NOT NULL,
  tax_cents INTEGER NOT NULL,
  total_cents INTEGER NOT NULL,
  refunded_cents INTEGER NOT NULL,
  items TEXT NOT NULL,
  purchased_at TEXT NOT NULL,
  refunded_at TEXT,
  updated_at TEXT NOT NULL,
  processor_id TEXT NOT NULL,
  fulfillment_codes TEXT NOT NULL,
  PRIMARY KEY (organization_id, purchase_id)
) STRICT;
CREATE TABLE links (
  organization_id TEXT NOT NULL,
  link_id TEXT NOT NULL,
  domain TEXT NOT NULL,
  key TEXT NOT NULL,
  short_url TEXT NOT NULL,
  url TEXT NOT NULL,
  title TEXT,
  tags TEXT NOT NULL,
  archived INTEGER NOT NULL,
  clicks INTEGER NOT NULL DEFAULT 0,
  leads INTEGER NOT NULL DEFAULT 0,
  sales INTEGER NOT NULL DEFAULT 0,
  sale_amount_cents INTEGER NOT NULL DEFAULT 0,
  expires_at TEXT,
  last_clicked_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, link_id)
) STRICT;
CREATE TABLE link_events (
  organization_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  link_id TEXT NOT NULL,
  occurred_at TEXT NOT NULL,
  event TEXT NOT NULL,
  amount_cents INTEGER,
  country TEXT,
  city TEXT,
  device TEXT,
  browser TEXT,
  os TEXT,
  referrer TEXT,
  updated_at TEXT NOT NULL,
  day TEXT NOT NULL,
  clicks INTEGER NOT NULL,
  leads INTEGER NOT NULL,
  sales INTEGER NOT NULL,
  sale_amount_cents INTEGER NOT NULL,
  PRIMARY KEY (organization_id, event_id)
) STRICT;
CREATE TABLE surveys (
  organization_id TEXT NOT NULL,
  id TEXT NOT NULL,
  survey_type TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT,
  is_published INTEGER NOT NULL,
  config TEXT NOT NULL,
  public_url TEXT,
  parent_survey_id TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, id)
) STRICT;
CREATE TABLE survey_responses (
  organization_id TEXT NOT NULL,
  response_id TEXT NOT NULL,
  survey_id TEXT NOT NULL,
  contact_id TEXT,
  site_id TEXT,
  score INTEGER,
  category TEXT,
  satisfaction INTEGER,
  freetext TEXT,
  notes TEXT,
  answers TEXT NOT NULL,
  submitted_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, response_id)
) STRICT;
CREATE TABLE cases (
  organization_id TEXT NOT NULL,
  case_id TEXT NOT NULL,
  ticket_number INTEGER NOT NULL,
  status TEXT NOT NULL,
  action TEXT,
  request_type TEXT,
  source TEXT,
  customer TEXT NOT NULL,
  site TEXT NOT NULL,
  submitted_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  assigned_to TEXT,
  resolution TEXT,
  category TEXT,
  history TEXT NOT NULL,
  notes TEXT NOT NULL,
  site_id TEXT,
  PRIMARY KEY (organization_id, case_id)
) STRICT;
CREATE TABLE memberships (
  organization_id TEXT NOT NULL,
  membership_id TEXT NOT NULL,
  customer_id TEXT,
  signup_date TEXT,
  status TEXT NOT NULL,
  churn_type TEXT,
  cancel_date TEXT,
  cancel_reason TEXT,
  plan_name TEXT,
  billing_amount_cents INTEGER,
  billing_interval TEXT,
  billing_site_code TEXT,
  billing_site_name TEXT,
  creation_site_code TEXT,
  creation_site_name TEXT,
  is_on_trial INTEGER NOT NULL,
  trial_amount_cents INTEGER,
  tags TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  is_cancellation INTEGER NOT NULL,
  canceled_at TEXT,
  tenure_days INTEGER,
  site_code TEXT,
  site_name TEXT,
  event_count INTEGER NOT NULL DEFAULT 0,
  events_changed_at TEXT,
  first_year_events TEXT NOT NULL DEFAULT '[]',
  PRIMARY KEY (organization_id, membership_id)
) STRICT;
CREATE TABLE billing_events (
  organization_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  membership_id TEXT NOT NULL,
  occurred_at TEXT NOT NULL,
  type TEXT NOT NULL,
  amount_cents INTEGER,
  discount_name TEXT,
  discount_cents INTEGER,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, event_id)
) STRICT;
CREATE TABLE retention_offer_events (
  organization_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  offer_id TEXT NOT NULL,
  offer_name TEXT NOT NULL,
  target_plan_name TEXT,
  target_plan_price_cents INTEGER,
  membership_id TEXT,
  event TEXT NOT NULL,
  occurred_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, event_id)
) STRICT;
CREATE TABLE exit_survey_events (
  organization_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  membership_id TEXT,
  reason_code TEXT NOT NULL,
  comment TEXT,
  occurred_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, event_id)
) STRICT;
CREATE TABLE reviews (
  organization_id TEXT NOT NULL,
  review_id TEXT NOT NULL,
  google_review_id TEXT NOT NULL,
  site_id TEXT,
  rating INTEGER NOT NULL,
  comment TEXT,
  reviewer_name TEXT,
  reviewer_photo_url TEXT,
  replied INTEGER NOT NULL,
  reply TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  is_deleted INTEGER NOT NULL,
  is_preview INTEGER NOT NULL,
  PRIMARY KEY (organization_id, review_id)
) STRICT;
CREATE TABLE visible_reviews (
  organization_id TEXT NOT NULL,
  review_id TEXT NOT NULL,
  google_review_id TEXT NOT NULL,
  site_id TEXT,
  site_name TEXT,
  rating INTEGER NOT NULL,
  comment TEXT,
  reviewer_name TEXT,
  reviewer_photo_url TEXT,
  replied INTEGER NOT NULL,
  reply TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  row_id TEXT NOT NULL,
  PRIMARY KEY (organization_id, row_id)
) STRICT;
CREATE TABLE removals (
  organization_id TEXT NOT NULL,
  collection TEXT NOT NULL,
  id TEXT NOT NULL,
  parent_id TEXT,
  updated_at TEXT NOT NULL,
  removal_id TEXT NOT NULL,
  PRIMARY KEY (organization_id, removal_id)
) STRICT;
CREATE TABLE products_site_ids (
  organization_id TEXT NOT NULL,
  value TEXT NOT NULL,
  product_id TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, product_id, value)
) STRICT, WITHOUT ROWID;
CREATE TABLE links_tags (
  organization_id TEXT NOT NULL,
  value TEXT NOT NULL,
  link_id TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, link_id, value)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX organizations_slug ON organizations (slug);
CREATE INDEX api_keys_created ON api_keys (organization_id, created_at, key_id);
CREATE INDEX operator_keys_created ON operator_keys (created_at, key_id);
CREATE UNIQUE INDEX operator_keys_proof ON operator_keys (proof);
CREATE INDEX operator_keys_issued_by ON operator_keys (issued_by);
CREATE UNIQUE INDEX forms_form_id ON forms (form_id);
CREATE UNIQUE INDEX purchases_processor_id ON purchases (organization_id, processor_id);
CREATE INDEX sites_created_at ON sites (organization_id, created_at, site_id);
CREATE INDEX sites_status_created_at ON sites (organization_id, status, created_at, site_id);
CREATE INDEX sites_site_code_created_at ON sites (organization_id, site_code, created_at, site_id) WHERE site_code IS NOT NULL;
CREATE INDEX sites_updated_at ON sites (organization_id, updated_at, site_id);
CREATE INDEX products_created_at ON products (organization_id, created_at, product_id);
CREATE INDEX products_status_created_at ON products (organization_id, status, created_at, product_id);
CREATE INDEX products_type_created_at ON products (organization_id, type, created_at, product_id);
CREATE INDEX products_updated_at ON products (organization_id, updated_at, product_id);
CREATE INDEX checkout_links_created_at ON checkout_links (organization_id, created_at, checkout_link_id);
CREATE INDEX checkout_links_status_created_at ON checkout_links (organization_id, status, created_at, checkout_link_id);
CREATE INDEX checkout_links_site_id_created_at ON checkout_links (organization_id, site_id, created_at, checkout_link_id) WHERE site_id IS NOT NULL;
CREATE INDEX checkout_links_updated_at ON checkout_links (organization_id, updated_at, checkout_link_id);
CREATE INDEX purchases_purchased_at ON purchases (organization_id, purchased_at, purchase_id);
CREATE INDEX purchases_status_purchased_at ON purchases (organization_id, status, purchased_at, purchase_id);
CREATE INDEX purchases_contact_id_purchased_at ON purchases (organization_id, contact_id, purchased_at, purchase_id) WHERE contact_id IS NOT NULL;
CREATE INDEX purchases_site_id_purchased_at ON purchases (organization_id, site_id, purchased_at, purchase_id) WHERE site_id IS NOT NULL;
CREATE INDEX purchases_updated_at ON purchases (organization_id, updated_at, purchase_id);
CREATE INDEX purchases_status_updated_at ON purchases (organization_id, status, updated_at, purchase_id);
CREATE INDEX purchases_site_id_updated_at ON purchases (organization_id, site_id, updated_at, purchase_id) WHERE site_id IS NOT NULL;
CREATE INDEX contacts_created_at ON contacts (organization_id, created_at, contact_id);
CREATE INDEX contacts_email_key_created_at ON contacts (organization_id, email_key, created_at, contact_id) WHERE email_key IS NOT NULL;
CREATE INDEX contacts_phone_created_at ON contacts (organization_id, phone, created_at, contact_id) WHERE phone IS NOT NULL;
CREATE INDEX contacts_site_id_created_at ON contacts (organization_id, site_id, created_at, contact_id) WHERE site_id IS NOT NULL;
CREATE INDEX contacts_updated_at ON contacts (organization_id, updated_at, contact_id);
CREATE INDEX contacts_site_id_updated_at ON contacts (organization_id, site_id, updated_at, contact_id) WHERE site_id IS NOT NULL;
CREATE INDEX contact_lists_created_at ON contact_lists (organization_id, created_at, list_id);
CREATE INDEX contact_lists_type_created_at ON contact_lists (organization_id, type, created_at, list_id);
CREATE INDEX contact_lists_updated_at ON contact_lists (organization_id, updated_at, list_id);
CREATE INDEX list_members_list_id_added_at ON list_members (organization_id, list_id, added_at, contact_id);
CREATE INDEX marketing_signups_signed_up_at ON marketing_signups (organization_id, signed_up_at, signup_id);
CREATE INDEX marketing_signups_site_id_signed_up_at ON marketing_signups (organization_id, site_id, signed_up_at, signup_id) WHERE site_id IS NOT NULL;
CREATE INDEX marketing_signups_source_signed_up_at ON marketing_signups (organization_id, source, signed_up_at, signup_id) WHERE source IS NOT NULL;
CREATE INDEX marketing_signups_updated_at ON marketing_signups (organization_id, updated_at, signup_id);
CREATE INDEX marketing_signups_site_id_updated_at ON marketing_signups (organization_id, site_id, updated_at, signup_id) WHERE site_id IS NOT NULL;
CREATE INDEX marketing_signups_source_updated_at ON marketing_signups (organization_id, source, updated_at, signup_id) WHERE source IS NOT NULL;
CREATE INDEX forms_created_at ON forms (organization_id, created_at, form_id);
CREATE INDEX forms_is_published_created_at ON forms (organization_id, is_published, created_at, form_id);
CREATE INDEX forms_updated_at ON forms (organization_id, updated_at, form_id);
CREATE INDEX form_submissions_submitted_at ON form_submissions (organization_id, submitted_at, submission_id);
CREATE INDEX form_submissions_form_id_submitted_at ON form_submissions (organization_id, form_id, submitted_at, submission_id);
CREATE INDEX form_submissions_contact_id_submitted_at ON form_submissions (organization_id, contact_id, submitted_at, submission_id) WHERE contact_id IS NOT NULL;
CREATE INDEX form_submissions_updated_at ON form_submissions (organization_id, updated_at, submission_id);
CREATE INDEX form_submissions_form_id_updated_at ON form_submissions (organization_id, form_id, updated_at, submission_id);
CREATE INDEX vouchers_created_at ON vouchers (organization_id, created_at, voucher_id);
CREATE INDEX vouchers_status_created_at ON vouchers (organization_id, status, created_at, voucher_id);
CREATE INDEX vouchers_contact_id_created_at ON vouchers (organization_id, contact_id, created_at, voucher_id) WHERE contact_id IS NOT NULL;
CREATE INDEX vouchers_updated_at ON vouchers (organization_id, updated_at, voucher_id);
CREATE INDEX vouchers_status_updated_at ON vouchers (organization_id, status, updated_at, voucher_id);
CREATE INDEX voucher_redemptions_redeemed_at ON voucher_redemptions (organization_id, redeemed_at, redemption_id);
CREATE INDEX voucher_redemptions_voucher_id_redeemed_at ON voucher_redemptions (organization_id, voucher_id, redeemed_at, redemption_id);
CREATE INDEX voucher_redemptions_group_id_redeemed_at ON voucher_redemptions (organization_id, group_id, redeemed_at, redemption_id) WHERE group_id IS NOT NULL;
CREATE INDEX voucher_redemptions_site_id_redeemed_at ON voucher_redemptions (organization_id, site_id, redeemed_at, redemption_id) WHERE site_id IS NOT NULL;
CREATE INDEX voucher_groups_created_at ON voucher_groups (organization_id, created_at, group_id);
CREATE INDEX voucher_groups_status_created_at ON voucher_groups (organization_id, status, created_at, group_id);
CREATE INDEX voucher_groups_updated_at ON voucher_groups (organization_id, updated_at, group_id);
CREATE INDEX vouchers_group_id_created_at ON vouchers (organization_id, group_id, created_at, voucher_id) WHERE group_id IS NOT NULL;
CREATE INDEX vouchers_group_id_status_created_at ON vouchers (organization_id, group_id, status, created_at, voucher_id) WHERE group_id IS NOT NULL;
CREATE INDEX vouchers_group_id_updated_at ON vouchers (organization_id, group_id, updated_at, voucher_id) WHERE group_id IS NOT NULL;
CREATE INDEX vouchers_group_id_status_updated_at ON vouchers (organization_id, group_id, status, updated_at, voucher_id) WHERE group_id IS NOT NULL;
CREATE INDEX links_created_at ON links (organization_id, created_at, link_id);
CREATE INDEX links_archived_created_at ON links (organization_id, archived, created_at, link_id);
CREATE INDEX links_domain_created_at ON links (organization_id, domain, created_at, link_id);
CREATE INDEX links_updated_at ON links (organization_id, updated_at, link_id);
CREATE INDEX links_archived_updated_at ON links (organization_id, archived, updated_at, link_id);
CREATE INDEX links_domain_updated_at ON links (organization_id, domain, updated_at, link_id);
CREATE INDEX links_clicks ON links (organization_id, clicks, link_id);
CREATE INDEX links_last_clicked_at ON links (organization_id, last_clicked_at, link_id);
CREATE INDEX automations_created_at ON automations (organization_id, created_at, automation_id);
CREATE INDEX automations_status_created_at ON automations (organization_id, status, created_at, automation_id);
CREATE INDEX automations_updated_at ON automations (organization_id, updated_at, automation_id);
CREATE INDEX automation_runs_started_at ON automation_runs (organization_id, started_at, run_id);
CREATE INDEX automation_runs_automation_id_started_at ON automation_runs (organization_id, automation_id, started_at, run_id);
CREATE INDEX automation_runs_status_started_at ON automation_runs (organization_id, status, started_at, run_id);
CREATE INDEX automation_runs_contact_id_started_at ON automation_runs (organization_id, contact_id, started_at, run_id) WHERE contact_id IS NOT NULL;
CREATE INDEX automation_runs_automation_id_status_started_at ON automation_runs (organization_id, automation_id, status, started_at, run_id);
CREATE INDEX automation_runs_updated_at ON automation_runs (organization_id, updated_at, run_id);
CREATE INDEX automation_runs_automation_id_updated_at ON automation_runs (organization_id, automation_id, updated_at, run_id);
CREATE INDEX automation_runs_status_updated_at ON automation_runs (organization_id, status, updated_at, run_id);
CREATE INDEX automation_runs_automation_id_status_updated_at ON automation_runs (organization_id, automation_id, status, updated_at, run_id);
CREATE INDEX surveys_created_at ON surveys (organization_id, created_at, id);
CREATE INDEX surveys_is_published_created_at ON surveys (organization_id, is_published, created_at, id);
CREATE INDEX surveys_survey_type_created_at ON surveys (organization_id, survey_type, created_at, id);
CREATE INDEX surveys_updated_at ON surveys (organization_id, updated_at, id);
CREATE INDEX survey_responses_submitted_at ON survey_responses (organization_id, submitted_at, response_id);
CREATE INDEX survey_responses_survey_id_submitted_at ON survey_responses (organization_id, survey_id, submitted_at, response_id);
CREATE INDEX survey_responses_site_id_submitted_at ON survey_responses (organization_id, site_id, submitted_at, response_id) WHERE site_id IS NOT NULL;
CREATE INDEX survey_responses_category_submitted_at ON survey_responses (organization_id, category, submitted_at, response_id) WHERE category IS NOT NULL;
CREATE INDEX survey_responses_survey_id_site_id_submitted_at ON survey_responses (organization_id, survey_id, site_id, submitted_at, response_id) WHERE site_id IS NOT NULL;
CREATE INDEX survey_responses_survey_id_category_submitted_at ON survey_responses (organization_id, survey_id, category, submitted_at, response_id) WHERE category IS NOT NULL;
CREATE INDEX survey_responses_updated_at ON survey_responses (organization_id, updated_at, response_id);
CREATE INDEX survey_responses_survey_id_updated_at ON survey_responses (organization_id, survey_id, updated_at, response_id);
CREATE INDEX survey_responses_site_id_updated_at ON survey_responses (organization_id, site_id, updated_at, response_id) WHERE site_id IS NOT NULL;
CREATE INDEX survey_responses_category_updated_at ON survey_responses (organization_id, category, updated_at, response_id) WHERE category IS NOT NULL;
CREATE INDEX survey_responses_survey_id_site_id_updated_at ON survey_responses (organization_id, survey_id, site_id, updated_at, response_id) WHERE site_id IS NOT NULL;
CREATE INDEX survey_responses_survey_id_category_updated_at ON survey_responses (organization_id, survey_id, category, updated_at, response_id) WHERE category IS NOT NULL;
CREATE INDEX cases_submitted_at ON cases (organization_id, submitted_at, case_id);
CREATE INDEX cases_status_submitted_at ON cases (organization_id, status, submitted_at, case_id);
CREATE INDEX cases_site_id_submitted_at ON cases (organization_id, site_id, submitted_at, case_id) WHERE site_id IS NOT NULL;
CREATE INDEX cases_request_type_submitted_at ON cases (organization_id, request_type, submitted_at, case_id) WHERE request_type IS NOT NULL;
CREATE INDEX cases_category_submitted_at ON cases (organization_id, category, submitted_at, case_id) WHERE category IS NOT NULL;
CREATE INDEX cases_assigned_to_submitted_at ON cases (organization_id, assigned_to, submitted_at, case_id) WHERE assigned_to IS NOT NULL;
CREATE INDEX cases_updated_at ON cases (organization_id, updated_at, case_id);
CREATE INDEX cases_status_updated_at ON cases (organization_id, status, updated_at, case_id);
CREATE INDEX cases_site_id_updated_at ON cases (organization_id, site_id, updated_at, case_id) WHERE site_id IS NOT NULL;
CREATE INDEX cases_request_type_updated_at ON cases (organization_id, request_type, updated_at, case_id) WHERE request_type IS NOT NULL;
CREATE INDEX cases_category_updated_at ON cases (organization_id, category, updated_at, case_id) WHERE category IS NOT NULL;
CREATE INDEX cases_assigned_to_updated_at ON cases (organization_id, assigned_to, updated_at, case_id) WHERE assigned_to IS NOT NULL;
CREATE INDEX visible_reviews_created_at ON visible_reviews (organization_id, created_at, row_id);
CREATE INDEX visible_reviews_site_id_created_at ON visible_reviews (organization_id, site_id, created_at, row_id) WHERE site_id IS NOT NULL;
CREATE INDEX visible_reviews_rating_created_at ON visible_reviews (organization_id, rating, created_at, row_id);
CREATE INDEX visible_reviews_replied_created_at ON visible_reviews (organization_id, replied, created_at, row_id);
CREATE INDEX visible_reviews_updated_at ON visible_reviews (organization_id, updated_at, row_id);
CREATE INDEX visible_reviews_site_id_updated_at ON visible_reviews (organization_id, site_id, updated_at, row_id) WHERE site_id IS NOT NULL;
CREATE INDEX visible_reviews_rating_updated_at ON visible_reviews (organization_id, rating, updated_at, row_id);
CREATE INDEX visible_reviews_replied_updated_at ON visible_reviews (organization_id, replied, updated_at, row_id);
CREATE INDEX memberships_is_cancellation_canceled_at ON memberships (organization_id, is_cancellation, canceled_at, membership_id);
CREATE INDEX memberships_is_cancellation_churn_type_canceled_at ON memberships (organization_id, is_cancellation, churn_type, canceled_at, membership_id) WHERE churn_type IS NOT NULL;
CREATE INDEX memberships_is_cancellation_site_code_canceled_at ON memberships (organization_id, is_cancellation, site_code, canceled_at, membership_id) WHERE site_code IS NOT NULL;
CREATE INDEX memberships_is_cancellation_updated_at ON memberships (organization_id, is_cancellation, updated_at, membership_id);
CREATE INDEX memberships_is_cancellation_churn_type_updated_at ON memberships (organization_id, is_cancellation, churn_type, updated_at, membership_id) WHERE churn_type IS NOT NULL;
CREATE INDEX memberships_is_cancellation_site_code_updated_at ON memberships (organization_id, is_cancellation, site_code, updated_at, membership_id) WHERE site_code IS NOT NULL;
CREATE INDEX removals_updated_at ON removals (organization_id, updated_at, removal_id);
CREATE INDEX removals_collection_updated_at ON removals (organization_id, collection, updated_at, removal_id);
CREATE INDEX link_events_occurred_at ON link_events (organization_id, occurred_at, event_id);
CREATE INDEX link_events_link_id_occurred_at ON link_events (organization_id, link_id, occurred_at, event_id);
CREATE INDEX automations_trigger_form_id_status ON automations (organization_id, trigger_form_id, status, automation_id);
CREATE INDEX billing_events_membership_id_occurred_at_event_id_type_amount_cents ON billing_events (organization_id, membership_id, occurred_at, event_id, type, amount_cents);
CREATE INDEX exit_survey_events_occurred_at_reason_code ON exit_survey_events (organization_id, occurred_at, reason_code, event_id);
CREATE INDEX link_events_link_id_event_occurred_at ON link_events (organization_id, link_id, event, occurred_at, event_id);
CREATE INDEX memberships_signup_date ON memberships (organization_id, signup_date DESC, membership_id);
CREATE INDEX memberships_status_signup_date ON memberships (organization_id, status, signup_date DESC, membership_id);
CREATE INDEX memberships_status_canceled_at_churn_type_cancel_reason_tenure_days ON memberships (organization_id, status, canceled_at, churn_type, cancel_reason, tenure_days);
CREATE INDEX purchases_checkout_link_id_status ON purchases (organization_id, checkout_link_id, status, purchase_id);
CREATE INDEX retention_offer_events_membership_id_occurred_at_event_id_event ON retention_offer_events (organization_id, membership_id, occurred_at, event_id, event);
CREATE INDEX retention_offer_events_offer_id_occurred_at_event_id_event ON retention_offer_events (organization_id, offer_id, occurred_at, event_id, event);
CREATE INDEX removals_kept ON removals (updated_at);
CREATE INDEX reviews_site_id ON reviews (organization_id, site_id, review_id);
CREATE INDEX visible_reviews_owner_id ON visible_reviews (organization_id, owner_id, row_id);
CREATE INDEX products_site_ids_value_created_at ON products_site_ids (organization_id, value, created_at, product_id);
CREATE INDEX links_tags_value_created_at ON links_tags (organization_id, value, created_at, link_id);
CREATE INDEX links_tags_value_updated_at ON links_tags (organization_id, value, updated_at, link_id);
CREATE TRIGGER products_site_ids_listed AFTER INSERT ON products
BEGIN
  INSERT INTO products_site_ids (organization_id, value, product_id, created_at)
  SELECT DISTINCT NEW.organization_id, listed.value, NEW.product_id, NEW.created_at FROM json_each(NEW.site_ids) AS listed;
END;
CREATE TRIGGER products_site_ids_listed_anew AFTER UPDATE ON products WHEN OLD.site_ids <> NEW.site_ids
BEGIN
  DELETE FROM products_site_ids WHERE organization_id = OLD.organization_id AND product_id = OLD.product_id;
  INSERT INTO products_site_ids (organization_id, value, product_id, created_at)
  SELECT DISTINCT NEW.organization_id, listed.value, NEW.product_id, NEW.created_at FROM json_each(NEW.site_ids) AS listed;
END;
CREATE TRIGGER products_site_ids_moved AFTER UPDATE ON products WHEN OLD.site_ids = NEW.site_ids AND (OLD.created_at IS NOT NEW.created_at)
BEGIN
  UPDATE products_site_ids SET created_at = NEW.created_at
  WHERE organization_id = NEW.organization_id AND product_id = NEW.product_id;
END;
CREATE TRIGGER products_site_ids_unlisted AFTER DELETE ON products
BEGIN
  DELETE FROM products_site_ids WHERE organization_id = OLD.organization_id AND product_id = OLD.product_id;
END;
CREATE TRIGGER links_tags_listed AFTER INSERT ON links
BEGIN
  INSERT INTO links_tags (organization_id, value, link_id, created_at, updated_at)
  SELECT DISTINCT NEW.organization_id, listed.value, NEW.link_id, NEW.created_at, NEW.updated_at FROM json_each(NEW.tags) AS listed;
END;
CREATE TRIGGER links_tags_listed_anew AFTER UPDATE ON links WHEN OLD.tags <> NEW.tags
BEGIN
  DELETE FROM links_tags WHERE organization_id = OLD.organization_id AND link_id = OLD.link_id;
  INSERT INTO links_tags (organization_id, value, link_id, created_at, updated_at)
  SELECT DISTINCT NEW.organization_id, listed.value, NEW.link_id, NEW.created_at, NEW.updated_at FROM json_each(NEW.tags) AS listed;
END;
CREATE TRIGGER links_tags_moved AFTER UPDATE ON links WHEN OLD.tags = NEW.tags AND (OLD.created_at IS NOT NEW.created_at OR OLD.updated_at IS NOT NEW.updated_at)
BEGIN
  UPDATE links_tags SET created_at = NEW.created_at, updated_at = NEW.updated_at
  WHERE organization_id = NEW.organization_id AND link_id = NEW.link_id;
END;
CREATE TRIGGER links_tags_unlisted AFTER DELETE ON links
BEGIN
  DELETE FROM links_tags WHERE organization_id = OLD.organization_id AND link_id = OLD.link_id;
END;
CREATE TRIGGER checkout_links_counts_purchases AFTER INSERT ON purchases WHEN NEW.status IN ('paid', 'partially_refunded', 'refunded')
BEGIN
  UPDATE checkout_links SET completed_count = completed_count + (NEW.status IN ('paid', 'partially_refunded', 'refunded')),
    updated_at = NEW.updated_at
  WHERE organization_id = NEW.organization_id AND checkout_link_id = NEW.checkout_link_id;
END;
CREATE TRIGGER checkout_links_recounts_purchases AFTER UPDATE ON purchases
WHEN (OLD.checkout_link_id, OLD.status) IS NOT (NEW.checkout_link_id, NEW.status)
BEGIN
  UPDATE checkout_links SET completed_count = completed_count + (checkout_link_id IS NEW.checkout_link_id AND NEW.status IN ('paid', 'partially_refunded', 'refunded')) - (checkout_link_id IS OLD.checkout_link_id AND OLD.status IN ('paid', 'partially_refunded', 'refunded')),
    updated_at = NEW.updated_at
  WHERE organization_id = NEW.organization_id AND checkout_link_id IN (OLD.checkout_link_id, NEW.checkout_link_id)
    AND (completed_count) IS NOT (completed_count + (checkout_link_id IS NEW.checkout_link_id AND NEW.status IN ('paid', 'partially_refunded', 'refunded')) - (checkout_link_id IS OLD.checkout_link_id AND OLD.status IN ('paid', 'partially_refunded', 'refunded')));
END;
CREATE TRIGGER checkout_links_uncounts_purchases AFTER DELETE ON purchases
BEGIN
  UPDATE checkout_links SET completed_count = completed_count - iif(OLD.status IN ('paid', 'partially_refunded', 'refunded'), 1, 0),
    updated_at = coalesce((SELECT clock_at FROM organizations AS o WHERE o.organization_id = OLD.organization_id), updated_at)
  WHERE organization_id = OLD.organization_id AND checkout_link_id = OLD.checkout_link_id
    AND (completed_count) IS NOT (completed_count - iif(OLD.status IN ('paid', 'partially_refunded', 'refunded'), 1, 0));
END;
CREATE TRIGGER checkout_links_finds_purchases AFTER INSERT ON checkout_links
WHEN EXISTS (SELECT 1 FROM purchases AS c WHERE c.organization_id = NEW.organization_id AND c.checkout_link_id = NEW.checkout_link_id)
BEGIN
  UPDATE checkout_links SET completed_count = (SELECT count(*) FROM purchases AS c
      WHERE c.organization_id = checkout_links.organization_id AND c.checkout_link_id = checkout_links.checkout_link_id AND c.status IN ('paid', 'partially_refunded', 'refunded'))
  WHERE organization_id = NEW.organization_id AND checkout_link_id = NEW.checkout_link_id;
END;
CREATE TRIGGER contact_lists_counts_list_members AFTER INSERT ON list_members
BEGIN
  UPDATE contact_lists SET contact_count = contact_count + 1,
    updated_at = NEW.updated_at
  WHERE organization_id = NEW.organization_id AND list_id = NEW.list_id;
END;
CREATE TRIGGER contact_lists_uncounts_list_members AFTER DELETE ON list_members
BEGIN
  UPDATE contact_lists SET contact_count = contact_count - 1,
    updated_at = coalesce((SELECT clock_at FROM organizations AS o WHERE o.organization_id = OLD.organization_id), updated_at)
  WHERE organization_id = OLD.organization_id AND list_id = OLD.list_id
    AND (contact_count) IS NOT (contact_count - 1);
END;
CREATE TRIGGER contact_lists_finds_list_members AFTER INSERT ON contact_lists
WHEN EXISTS (SELECT 1 FROM list_members AS c WHERE c.organization_id = NEW.organization_id AND c.list_id = NEW.list_id)
BEGIN
  UPDATE contact_lists SET contact_count = (SELECT count(*) FROM list_members AS c
      WHERE c.organization_id = contact_lists.organization_id AND c.list_id = contact_lists.list_id)
  WHERE organization_id = NEW.organization_id AND list_id = NEW.list_id;
END;
CREATE TRIGGER automations_counts_automation_runs AFTER INSERT ON automation_runs
BEGIN
  UPDATE automations SET run_count = run_count + 1,
    last_run_at = iif(NEW.started_at IS NOT NULL, max(coalesce(last_run_at, ''), NEW.started_at), last_run_at),
    updated_at = NEW.updated_at
  WHERE organization_id = NEW.organization_id AND automation_id = NEW.automation_id;
END;
CREATE TRIGGER automations_recounts_automation_runs AFTER UPDATE ON automation_runs
WHEN (OLD.automation_id, OLD.started_at) IS NOT (NEW.automation_id, NEW.started_at)
BEGIN
  UPDATE automations SET run_count = run_count + (automation_id IS NEW.automation_id) - (automation_id IS OLD.automation_id),
    last_run_at = (SELECT max(c.started_at) FROM automation_runs AS c
      WHERE c.organization_id = automations.organization_id AND c.automation_id = automations.automation_id),
    updated_at = NEW.updated_at
  WHERE organization_id = NEW.organization_id AND automation_id IN (OLD.automation_id, NEW.automation_id)
    AND (run_count, last_run_at) IS NOT (run_count + (automation_id IS NEW.automation_id) - (automation_id IS OLD.automation_id), (SELECT max(c.started_at) FROM automation_runs AS c
      WHERE c.organization_id = automations.organization_id AND c.automation_id = automations.automation_id));
END;
CREATE TRIGGER automations_uncounts_automation_runs AFTER DELETE ON automation_runs
BEGIN
  UPDATE automations SET run_count = run_count - 1,
    last_run_at = (SELECT max(c.started_at) FROM automation_runs AS c
      WHERE c.organization_id = automations.organization_id AND c.automation_id = automations.automation_id),
    updated_at = coalesce((SELECT clock_at FROM organizations AS o WHERE o.organization_id = OLD.organization_id), updated_at)
  WHERE organization_id = OLD.organization_id AND automation_id = OLD.automation_id
    AND (run_count, last_run_at) IS NOT (run_count - 1, (SELECT max(c.started_at) FROM automation_runs AS c
      WHERE c.organization_id = automations.organization_id AND c.automation_id = automations.automation_id));
END;
CREATE TRIGGER automations_finds_automation_runs AFTER INSERT ON automations
WHEN EXISTS (SELECT 1 FROM automation_runs AS c WHERE c.organization_id = NEW.organization_id AND c.automation_id = NEW.automation_id)
BEGIN
  UPDATE automations SET run_count = (SELECT count(*) FROM automation_runs AS c
      WHERE c.organization_id = automations.organization_id AND c.automation_id = automations.automation_id),
    last_run_at = (SELECT max(c.started_at) FROM automation_runs AS c
      WHERE c.organization_id = automations.organization_id AND c.automation_id = automations.automation_id)
  WHERE organization_id = NEW.organization_id AND automation_id = NEW.automation_id;
END;
CREATE TRIGGER voucher_groups_counts_vouchers AFTER INSERT ON vouchers
BEGIN
  UPDATE voucher_groups SET voucher_count = voucher_count + 1,
    redeemed_count = redeemed_count + (NEW.redemption_count >= 1),
    updated_at = NEW.updated_at
  WHERE organization_id = NEW.organization_id AND group_id = NEW.group_id;
END;
CREATE TRIGGER voucher_groups_recounts_vouchers AFTER UPDATE ON vouchers
WHEN (OLD.group_id, OLD.redemption_count) IS NOT (NEW.group_id, NEW.redemption_count)
BEGIN
  UPDATE voucher_groups SET voucher_count = voucher_count + (group_id IS NEW.group_id) - (group_id IS OLD.group_id),
    redeemed_count = redeemed_count + (group_id IS NEW.group_id AND NEW.redemption_count >= 1) - (group_id IS OLD.group_id AND OLD.redemption_count >= 1),
    updated_at = NEW.updated_at
  WHERE organization_id = NEW.organization_id AND group_id IN (OLD.group_id, NEW.group_id)
    AND (voucher_count, redeemed_count) IS NOT (voucher_count + (group_id IS NEW.group_id) - (group_id IS OLD.group_id), redeemed_count + (group_id IS NEW.group_id AND NEW.redemption_count >= 1) - (group_id IS OLD.group_id AND OLD.redemption_count >= 1));
END;
CREATE TRIGGER voucher_groups_uncounts_vouchers AFTER DELETE ON vouchers
BEGIN
  UPDATE voucher_groups SET voucher_count = voucher_count - 1,
    redeemed_count = redeemed_count - iif(OLD.redemption_count >= 1, 1, 0),
    updated_at = coalesce((SELECT clock_at FROM organizations AS o WHERE o.organization_id = OLD.organization_id), updated_at)
  WHERE organization_id = OLD.organization_id AND group_id = OLD.group_id
    AND (voucher_count, redeemed_count) IS NOT (voucher_count - 1, redeemed_count - iif(OLD.redemption_count >= 1, 1, 0));
END;
CREATE TRIGGER voucher_groups_finds_vouchers AFTER INSERT ON voucher_groups
WHEN EXISTS (SELECT 1 FROM vouchers AS c WHERE c.organization_id = NEW.organization_id AND c.group_id = NEW.group_id)
BEGIN
  UPDATE voucher_groups SET voucher_count = (SELECT count(*) FROM vouchers AS c
      WHERE c.organization_id = voucher_groups.organization_id AND c.group_id = voucher_groups.group_id),
    redeemed_count = (SELECT count(*) FROM vouchers AS c
      WHERE c.organization_id = voucher_groups.organization_id AND c.group_id = voucher_groups.group_id AND c.redemption_count >= 1)
  WHERE organization_id = NEW.organization_id AND group_id = NEW.group_id;
END;
CREATE TRIGGER vouchers_counts_voucher_redemptions AFTER INSERT ON voucher_redemptions
BEGIN
  UPDATE vouchers SET redemption_count = redemption_count + 1,
    last_redeemed_at = iif(NEW.redeemed_at IS NOT NULL, max(coalesce(last_redeemed_at, ''), NEW.redeemed_at), last_redeemed_at),
    updated_at = NEW.updated_at
  WHERE organization_id = NEW.organization_id AND voucher_id = NEW.voucher_id;
END;
CREATE TRIGGER vouchers_recounts_voucher_redemptions AFTER UPDATE ON voucher_redemptions
WHEN (OLD.voucher_id, OLD.redeemed_at) IS NOT (NEW.voucher_id, NEW.redeemed_at)
BEGIN
  UPDATE vouchers SET redemption_count = redemption_count + (voucher_id IS NEW.voucher_id) - (voucher_id IS OLD.voucher_id),
    last_redeemed_at = (SELECT max(c.redeemed_at) FROM voucher_redemptions AS c
      WHERE c.organization_id = vouchers.organization_id AND c.voucher_id = vouchers.voucher_id),
    updated_at = NEW.updated_at
  WHERE organization_id = NEW.organization_id AND voucher_id IN (OLD.voucher_id, NEW.voucher_id)
    AND (redemption_count, last_redeemed_at) IS NOT (redemption_count + (voucher_id IS NEW.voucher_id) - (voucher_id IS OLD.voucher_id), (SELECT max(c.redeemed_at) FROM voucher_redemptions AS c
      WHERE c.organization_id = vouchers.organization_id AND c.voucher_id = vouchers.voucher_id));
END;
CREATE TRIGGER vouchers_uncounts_voucher_redemptions AFTER DELETE ON voucher_redemptions
BEGIN
  UPDATE vouchers SET redemption_count = redemption_count - 1,
    last_redeemed_at = (SELECT max(c.redeemed_at) FROM voucher_redemptions AS c
      WHERE c.organization_id = vouchers.organization_id AND c.voucher_id = vouchers.voucher_id),
    updated_at = coalesce((SELECT clock_at FROM organizations AS o WHERE o.organization_id = OLD.organization_id), updated_at)
  WHERE organization_id = OLD.organization_id AND voucher_id = OLD.voucher_id
    AND (redemption_count, last_redeemed_at) IS NOT (redemption_count - 1, (SELECT max(c.redeemed_at) FROM voucher_redemptions AS c
      WHERE c.organization_id = vouchers.organization_id AND c.voucher_id = vouchers.voucher_id));
END;
CREATE TRIGGER vouchers_finds_voucher_redemptions AFTER INSERT ON vouchers
WHEN EXISTS (SELECT 1 FROM voucher_redemptions AS c WHERE c.organization_id = NEW.organization_id AND c.voucher_id = NEW.voucher_id)
BEGIN
  UPDATE vouchers SET redemption_count = (SELECT count(*) FROM voucher_redemptions AS c
      WHERE c.organization_id = vouchers.organization_id AND c.voucher_id = vouchers.voucher_id),
    last_redeemed_at = (SELECT max(c.redeemed_at) FROM voucher_redemptions AS c
      WHERE c.organization_id = vouchers.organization_id AND c.voucher_id = vouchers.voucher_id)
  WHERE organization_id = NEW.organization_id AND voucher_id = NEW.voucher_id;
END;
CREATE TRIGGER links_counts_link_events AFTER INSERT ON link_events
BEGIN
  UPDATE links SET clicks = clicks + (NEW.event IN ('click')),
    leads = leads + (NEW.event IN ('lead')),
    sales = sales + (NEW.event IN ('sale')),
    sale_amount_cents = sale_amount_cents + coalesce(NEW.sale_amount_cents, 0),
    last_clicked_at = iif(NEW.event IN ('click') AND NEW.occurred_at IS NOT NULL, max(coalesce(last_clicked_at, ''), NEW.occurred_at), last_clicked_at),
    updated_at = NEW.updated_at
  WHERE organization_id = NEW.organization_id AND link_id = NEW.link_id;
END;
CREATE TRIGGER links_recounts_link_events AFTER UPDATE ON link_events
WHEN (OLD.link_id, OLD.event, OLD.sale_amount_cents, OLD.occurred_at) IS NOT (NEW.link_id, NEW.event, NEW.sale_amount_cents, NEW.occurred_at)
BEGIN
  UPDATE links SET clicks = clicks + (link_id IS NEW.link_id AND NEW.event IN ('click')) - (link_id IS OLD.link_id AND OLD.event IN ('click')),
    leads = leads + (link_id IS NEW.link_id AND NEW.event IN ('lead')) - (link_id IS OLD.link_id AND OLD.event IN ('lead')),
    sales = sales + (link_id IS NEW.link_id AND NEW.event IN ('sale')) - (link_id IS OLD.link_id AND OLD.event IN ('sale')),
    sale_amount_cents = sale_amount_cents + (link_id IS NEW.link_id) * coalesce(NEW.sale_amount_cents, 0) - (link_id IS OLD.link_id) * coalesce(OLD.sale_amount_cents, 0),
    last_clicked_at = (SELECT max(c.occurred_at) FROM link_events AS c
      WHERE c.organization_id = links.organization_id AND c.link_id = links.link_id AND c.event IN ('click')),
    updated_at = NEW.updated_at
  WHERE organization_id = NEW.organization_id AND link_id IN (OLD.link_id, NEW.link_id)
    AND (clicks, leads, sales, sale_amount_cents, last_clicked_at) IS NOT (clicks + (link_id IS NEW.link_id AND NEW.event IN ('click')) - (link_id IS OLD.link_id AND OLD.event IN ('click')), leads + (link_id IS NEW.link_id AND NEW.event IN ('lead')) - (link_id IS OLD.link_id AND OLD.event IN ('lead')), sales + (link_id IS NEW.link_id AND NEW.event IN ('sale')) - (link_id IS OLD.link_id AND OLD.event IN ('sale')), sale_amount_cents + (link_id IS NEW.link_id) * coalesce(NEW.sale_amount_cents, 0) - (link_id IS OLD.link_id) * coalesce(OLD.sale_amount_cents, 0), (SELECT max(c.occurred_at) FROM link_events AS c
      WHERE c.organization_id = links.organization_id AND c.link_id = links.link_id AND c.event IN ('click')));
END;
CREATE TRIGGER links_uncounts_link_events AFTER DELETE ON link_events
BEGIN
  UPDATE links SET clicks = clicks - iif(OLD.event IN ('click'), 1, 0),
    leads = leads - iif(OLD.event IN ('lead'), 1, 0),
    sales = sales - iif(OLD.event IN ('sale'), 1, 0),
    sale_amount_cents = sale_amount_cents - coalesce(OLD.sale_amount_cents, 0),
    last_clicked_at = (SELECT max(c.occurred_at) FROM link_events AS c
      WHERE c.organization_id = links.organization_id AND c.link_id = links.link_id AND c.event IN ('click')),
    updated_at = coalesce((SELECT clock_at FROM organizations AS o WHERE o.organization_id = OLD.organization_id), updated_at)
  WHERE organization_id = OLD.organization_id AND link_id = OLD.link_id
    AND (clicks, leads, sales, sale_amount_cents, last_clicked_at) IS NOT (clicks - iif(OLD.event IN ('click'), 1, 0), leads - iif(OLD.event IN ('lead'), 1, 0), sales - iif(OLD.event IN ('sale'), 1, 0), sale_amount_cents - coalesce(OLD.sale_amount_cents, 0), (SELECT max(c.occurred_at) FROM link_events AS c
      WHERE c.organization_id = links.organization_id AND c.link_id = links.link_id AND c.event IN ('click')));
END;
CREATE TRIGGER links_finds_link_events AFTER INSERT ON links
WHEN EXISTS (SELECT 1 FROM link_events AS c WHERE c.organization_id = NEW.organization_id AND c.link_id = NEW.link_id)
BEGIN
  UPDATE links SET clicks = (SELECT count(*) FROM link_events AS c
      WHERE c.organization_id = links.organization_id AND c.link_id = links.link_id AND c.event IN ('click')),
    leads = (SELECT count(*) FROM link_events AS c
      WHERE c.organization_id = links.organization_id AND c.link_id = links.link_id AND c.event IN ('lead')),
    sales = (SELECT count(*) FROM link_events AS c
      WHERE c.organization_id = links.organization_id AND c.link_id = links.link_id AND c.event IN ('sale')),
    sale_amount_cents = (SELECT coalesce(sum(c.sale_amount_cents), 0) FROM link_events AS c
      WHERE c.organization_id = links.organization_id AND c.link_id = links.link_id),
    last_clicked_at = (SELECT max(c.occurred_at) FROM link_events AS c
      WHERE c.organization_id = links.organization_id AND c.link_id = links.link_id AND c.event IN ('click'))
  WHERE organization_id = NEW.organization_id AND link_id = NEW.link_id;
END;
CREATE TRIGGER memberships_counts_billing_events AFTER INSERT ON billing_events
BEGIN
  UPDATE memberships SET event_count = event_count + 1,
    events_changed_at = iif(NEW.updated_at IS NOT NULL, max(coalesce(events_changed_at, ''), NEW.updated_at), events_changed_at),
    first_year_events = iif(NEW.type IN ('payment', 'failed', 'discount') AND NEW.occurred_at >= memberships.signup_date || 'T00:00:00.000Z' AND NEW.occurred_at < coalesce(date(memberships.signup_date, '+365 days'), '9999-12-32') || 'T00:00:00.000Z', json_insert(first_year_events, '$[#]', json_object('eventId', NEW.event_id, 'occurredAt', NEW.occurred_at, 'type', NEW.type, 'amountCents', NEW.amount_cents, 'discountName', NEW.discount_name, 'discountCents', NEW.discount_cents)), first_year_events),
    updated_at = NEW.updated_at
  WHERE organization_id = NEW.organization_id AND membership_id = NEW.membership_id;
END;
CREATE TRIGGER memberships_recounts_billing_events AFTER UPDATE ON billing_events
WHEN (OLD.membership_id, OLD.updated_at, OLD.type, OLD.occurred_at, OLD.event_id, OLD.amount_cents, OLD.discount_name, OLD.discount_cents) IS NOT (NEW.membership_id, NEW.updated_at, NEW.type, NEW.occurred_at, NEW.event_id, NEW.amount_cents, NEW.discount_name, NEW.discount_cents)
BEGIN
  UPDATE memberships SET event_count = event_count + (membership_id IS NEW.membership_id) - (membership_id IS OLD.membership_id),
    events_changed_at = (SELECT max(c.updated_at) FROM billing_events AS c
      WHERE c.organization_id = memberships.organization_id AND c.membership_id = memberships.membership_id),
    first_year_events = (SELECT json_group_array(json_object('eventId', c.event_id, 'occurredAt', c.occurred_at, 'type', c.type, 'amountCents', c.amount_cents, 'discountName', c.discount_name, 'discountCents', c.discount_cents)) FROM billing_events AS c
      WHERE c.organization_id = memberships.organization_id AND c.membership_id = memberships.membership_id AND c.type IN ('payment', 'failed', 'discount') AND c.occurred_at >= memberships.signup_date || 'T00:00:00.000Z' AND c.occurred_at < coalesce(date(memberships.signup_date, '+365 days'), '9999-12-32') || 'T00:00:00.000Z'),
    updated_at = NEW.updated_at
  WHERE organization_id = NEW.organization_id AND membership_id IN (OLD.membership_id, NEW.membership_id)
    AND (event_count, events_changed_at, first_year_events) IS NOT (event_count + (membership_id IS NEW.membership_id) - (membership_id IS OLD.membership_id), (SELECT max(c.updated_at) FROM billing_events AS c
      WHERE c.organization_id = memberships.organization_id AND c.membership_id = memberships.membership_id), (SELECT json_group_array(json_object('eventId', c.event_id, 'occurredAt', c.occurred_at, 'type', c.type, 'amountCents', c.amount_cents, 'discountName', c.discount_name, 'discountCents', c.discount_cents)) FROM billing_events AS c
      WHERE c.organization_id = memberships.organization_id AND c.membership_id = memberships.membership_id AND c.type IN ('payment', 'failed', 'discount') AND c.occurred_at >= memberships.signup_date || 'T00:00:00.000Z' AND c.occurred_at < coalesce(date(memberships.signup_date, '+365 days'), '9999-12-32') || 'T00:00:00.000Z'));
END;
CREATE TRIGGER memberships_uncounts_billing_events AFTER DELETE ON billing_events
BEGIN
  UPDATE memberships SET event_count = event_count - 1,
    events_changed_at = (SELECT max(c.updated_at) FROM billing_events AS c
      WHERE c.organization_id = memberships.organization_id AND c.membership_id = memberships.membership_id),
    first_year_events = (SELECT json_group_array(json_object('eventId', c.event_id, 'occurredAt', c.occurred_at, 'type', c.type, 'amountCents', c.amount_cents, 'discountName', c.discount_name, 'discountCents', c.discount_cents)) FROM billing_events AS c
      WHERE c.organization_id = memberships.organization_id AND c.membership_id = memberships.membership_id AND c.type IN ('payment', 'failed', 'discount') AND c.occurred_at >= memberships.signup_date || 'T00:00:00.000Z' AND c.occurred_at < coalesce(date(memberships.signup_date, '+365 days'), '9999-12-32') || 'T00:00:00.000Z'),
    updated_at = coalesce((SELECT clock_at FROM organizations AS o WHERE o.organization_id = OLD.organization_id), updated_at)
  WHERE organization_id = OLD.organization_id AND membership_id = OLD.membership_id
    AND (event_count, events_changed_at, first_year_events) IS NOT (event_count - 1, (SELECT max(c.updated_at) FROM billing_events AS c
      WHERE c.organization_id = memberships.organization_id AND c.membership_id = memberships.membership_id), (SELECT json_group_array(json_object('eventId', c.event_id, 'occurredAt', c.occurred_at, 'type', c.type, 'amountCents', c.amount_cents, 'discountName', c.discount_name, 'discountCents', c.discount_cents)) FROM billing_events AS c
      WHERE c.organization_id = memberships.organization_id AND c.membership_id = memberships.membership_id AND c.type IN ('payment', 'failed', 'discount') AND c.occurred_at >= memberships.signup_date || 'T00:00:00.000Z' AND c.occurred_at < coalesce(date(memberships.signup_date, '+365 days'), '9999-12-32') || 'T00:00:00.000Z'));
END;
CREATE TRIGGER memberships_finds_billing_events AFTER INSERT ON memberships
WHEN EXISTS (SELECT 1 FROM billing_events AS c WHERE c.organization_id = NEW.organization_id AND c.membership_id = NEW.membership_id)
BEGIN
  UPDATE memberships SET event_count = (SELECT count(*) FROM billing_events AS c
      WHERE c.organization_id = memberships.organization_id AND c.membership_id = memberships.membership_id),
    events_changed_at = (SELECT max(c.updated_at) FROM billing_events AS c
      WHERE c.organization_id = memberships.organization_id AND c.membership_id = memberships.membership_id),
    first_year_events = (SELECT json_group_array(json_object('eventId', c.event_id, 'occurredAt', c.occurred_at, 'type', c.type, 'amountCents', c.amount_cents, 'discountName', c.discount_name, 'discountCents', c.discount_cents)) FROM billing_events AS c
      WHERE c.organization_id = memberships.organization_id AND c.membership_id = memberships.membership_id AND c.type IN ('payment', 'failed', 'discount') AND c.occurred_at >= memberships.signup_date || 'T00:00:00.000Z' AND c.occurred_at < coalesce(date(memberships.signup_date, '+365 days'), '9999-12-32') || 'T00:00:00.000Z')
  WHERE organization_id = NEW.organization_id AND membership_id = NEW.membership_id;
END;
CREATE TRIGGER memberships_dates_billing_events AFTER UPDATE OF signup_date ON memberships WHEN OLD.signup_date IS NOT NEW.signup_date
BEGIN
  UPDATE memberships SET first_year_events = (SELECT json_group_array(json_object('eventId', c.event_id, 'occurredAt', c.occurred_at, 'type', c.type, 'amountCents', c.amount_cents, 'discountName', c.discount_name, 'discountCents', c.discount_cents)) FROM billing_events AS c
      WHERE c.organization_id = memberships.organization_id AND c.membership_id = memberships.membership_id AND c.type IN ('payment', 'failed', 'discount') AND c.occurred_at >= memberships.signup_date || 'T00:00:00.000Z' AND c.occurred_at < coalesce(date(memberships.signup_date, '+365 days'), '9999-12-32') || 'T00:00:00.000Z')
  WHERE organization_id = NEW.organization_id AND membership_id = NEW.membership_id;
END;
CREATE TRIGGER sites_removed AFTER DELETE ON sites
BEGIN
  INSERT INTO removals (organization_id, collection, id, parent_id, updated_at, removal_id)
  SELECT OLD.organization_id, 'sites', OLD.site_id, NULL, o.clock_at, json_array('sites', NULL, OLD.site_id)
  FROM organizations AS o WHERE o.organization_id = OLD.organization_id
  ON CONFLICT (organization_id, removal_id) DO UPDATE SET updated_at = excluded.updated_at;
END;
CREATE TRIGGER products_removed AFTER DELETE ON products
BEGIN
  INSERT INTO removals (organization_id, collection, id, parent_id, updated_at, removal_id)
  SELECT OLD.organization_id, 'products', OLD.product_id, NULL, o.clock_at, json_array('products', NULL, OLD.product_id)
  FROM organizations AS o WHERE o.organization_id = OLD.organization_id
  ON CONFLICT (organization_id, removal_id) DO UPDATE SET updated_at = excluded.updated_at;
END;
CREATE TRIGGER checkout_links_removed AFTER DELETE ON checkout_links
BEGIN
  INSERT INTO removals (organization_id, collection, id, parent_id, updated_at, removal_id)
  SELECT OLD.organization_id, 'checkout-links', OLD.checkout_link_id, NULL, o.clock_at, json_array('checkout-links', NULL, OLD.checkout_link_id)
  FROM organizations AS o WHERE o.organization_id = OLD.organization_id
  ON CONFLICT (organization_id, removal_id) DO UPDATE SET updated_at = excluded.updated_at;
END;
CREATE TRIGGER contacts_removed AFTER DELETE ON contacts
BEGIN
  INSERT INTO removals (organization_id, collection, id, parent_id, updated_at, removal_id)
  SELECT OLD.organization_id, 'contacts', OLD.contact_id, NULL, o.clock_at, json_array('contacts', NULL, OLD.contact_id)
  FROM organizations AS o WHERE o.organization_id = OLD.organization_id
  ON CONFLICT (organization_id, removal_id) DO UPDATE SET updated_at = excluded.updated_at;
END;
CREATE TRIGGER contact_lists_removed AFTER DELETE ON contact_lists
BEGIN
  INSERT INTO removals (organization_id, collection, id, parent_id, updated_at, removal_id)
  SELECT OLD.organization_id, 'contact-lists', OLD.list_id, NULL, o.clock_at, json_array('contact-lists', NULL, OLD.list_id)
  FROM organizations AS o WHERE o.organization_id = OLD.organization_id
  ON CONFLICT (organization_id, removal_id) DO UPDATE SET updated_at = excluded.updated_at;
END;
CREATE TRIGGER list_members_removed AFTER DELETE ON list_members
BEGIN
  INSERT INTO removals (organization_id, collection, id, parent_id, updated_at, removal_id)
  SELECT OLD.organization_id, 'list-members', OLD.contact_id, OLD.list_id, o.clock_at, json_array('list-members', OLD.list_id, OLD.contact_id)
  FROM organizations AS o WHERE o.organization_id = OLD.organization_id
  ON CONFLICT (organization_id, removal_id) DO UPDATE SET updated_at = excluded.updated_at;
END;
CREATE TRIGGER marketing_signups_removed AFTER DELETE ON marketing_signups
BEGIN
  INSERT INTO removals (organization_id, collection, id, parent_id, updated_at, removal_id)
  SELECT OLD.organization_id, 'marketing-signups', OLD.signup_id, NULL, o.clock_at, json_array('marketing-signups', NULL, OLD.signup_id)
  FROM organizations AS o WHERE o.organization_id = OLD.organization_id
  ON CONFLICT (organization_id, removal_id) DO UPDATE SET updated_at = excluded.updated_at;
END;
CREATE TRIGGER forms_removed AFTER DELETE ON forms
BEGIN
  INSERT INTO removals (organization_id, collection, id, parent_id, updated_at, removal_id)
  SELECT OLD.organization_id, 'forms', OLD.form_id, NULL, o.clock_at, json_array('forms', NULL, OLD.form_id)
  FROM organizations AS o WHERE o.organization_id = OLD.organization_id
  ON CONFLICT (organization_id, removal_id) DO UPDATE SET updated_at = excluded.updated_at;
END;
CREATE TRIGGER form_submissions_removed AFTER DELETE ON form_submissions
BEGIN
  INSERT INTO removals (organization_id, collection, id, parent_id, updated_at, removal_id)
  SELECT OLD.organization_id, 'form-submissions', OLD.submission_id, NULL, o.clock_at, json_array('form-submissions', NULL, OLD.submission_id)
  FROM organizations AS o WHERE o.organization_id = OLD.organization_id
  ON CONFLICT (organization_id, removal_id) DO UPDATE SET updated_at = excluded.updated_at;
END;
CREATE TRIGGER automations_removed AFTER DELETE ON automations
BEGIN
  INSERT INTO removals (organization_id, collection, id, parent_id, updated_at, removal_id)
  SELECT OLD.organization_id, 'automations', OLD.automation_id, NULL, o.clock_at, json_array('automations', NULL, OLD.automation_id)
  FROM organizations AS o WHERE o.organization_id = OLD.organization_id
  ON CONFLICT (organization_id, removal_id) DO UPDATE SET updated_at = excluded.updated_at;
END;
CREATE TRIGGER automation_runs_removed AFTER DELETE ON automation_runs
BEGIN
  INSERT INTO removals (organization_id, collection, id, parent_id, updated_at, removal_id)
  SELECT OLD.organization_id, 'automation-runs', OLD.run_id, NULL, o.clock_at, json_array('automation-runs', NULL, OLD.run_id)
  FROM organizations AS o WHERE o.organization_id = OLD.organization_id
  ON CONFLICT (organization_id, removal_id) DO UPDATE SET updated_at = excluded.updated_at;
END;
CREATE TRIGGER voucher_groups_removed AFTER DELETE ON voucher_groups
BEGIN
  INSERT INTO removals (organization_id, collection, id, parent_id, updated_at, removal_id)
  SELECT OLD.organization_id, 'voucher-groups', OLD.group_id, NULL, o.clock_at, json_array('voucher-groups', NULL, OLD.group_id)
  FROM organizations AS o WHERE o.organization_id = OLD.organization_id
  ON CONFLICT (organization_id, removal_id) DO UPDATE SET updated_at = excluded.updated_at;
END;
CREATE TRIGGER vouchers_removed AFTER DELETE ON vouchers
BEGIN
  INSERT INTO removals (organization_id, collection, id, parent_id, updated_at, removal_id)
  SELECT OLD.organization_id, 'vouchers', OLD.voucher_id, NULL, o.clock_at, json_array('vouchers', NULL, OLD.voucher_id)
  FROM organizations AS o WHERE o.organization_id = OLD.organization_id
  ON CONFLICT (organization_id, removal_id) DO UPDATE SET updated_at = excluded.updated_at;
END;
CREATE TRIGGER voucher_redemptions_removed AFTER DELETE ON voucher_redemptions
BEGIN
  INSERT INTO removals (organization_id, collection, id, parent_id, updated_at, removal_id)
  SELECT OLD.organization_id, 'voucher-redemptions', OLD.redemption_id, NULL, o.clock_at, json_array('voucher-redemptions', NULL, OLD.redemption_id)
  FROM organizations AS o WHERE o.organization_id = OLD.organization_id
  ON CONFLICT (organization_id, removal_id) DO UPDATE SET updated_at = excluded.updated_at;
END;
CREATE TRIGGER purchases_removed AFTER DELETE ON purchases
BEGIN
  INSERT INTO removals (organization_id, collection, id, parent_id, updated_at, removal_id)
  SELECT OLD.organization_id, 'purchases', OLD.purchase_id, NULL, o.clock_at, json_array('purchases', NULL, OLD.purchase_id)
  FROM organizations AS o WHERE o.organization_id = OLD.organization_id
  ON CONFLICT (organization_id, removal_id) DO UPDATE SET updated_at = excluded.updated_at;
END;
CREATE TRIGGER links_removed AFTER DELETE ON links
BEGIN
  INSERT INTO removals (organization_id, collection, id, parent_id, updated_at, removal_id)
  SELECT OLD.organization_id, 'links', OLD.link_id, NULL, o.clock_at, json_array('links', NULL, OLD.link_id)
  FROM organizations AS o WHERE o.organization_id = OLD.organization_id
  ON CONFLICT (organization_id, removal_id) DO UPDATE SET updated_at = excluded.updated_at;
END;
CREATE TRIGGER surveys_removed AFTER DELETE ON surveys
BEGIN
  INSERT INTO removals (organization_id, collection, id, parent_id, updated_at, removal_id)
  SELECT OLD.organization_id, 'surveys', OLD.id, NULL, o.clock_at, json_array('surveys', NULL, OLD.id)
  FROM organizations AS o WHERE o.organization_id = OLD.organization_id
  ON CONFLICT (organization_id, removal_id) DO UPDATE SET updated_at = excluded.updated_at;
END;
CREATE TRIGGER survey_responses_removed AFTER DELETE ON survey_responses
BEGIN
  INSERT INTO removals (organization_id, collection, id, parent_id, updated_at, removal_id)
  SELECT OLD.organization_id, 'survey-responses', OLD.response_id, NULL, o.clock_at, json_array('survey-responses', NULL, OLD.response_id)
  FROM organizations AS o WHERE o.organization_id = OLD.organization_id
  ON CONFLICT (organization_id, removal_id) DO UPDATE SET updated_at = excluded.updated_at;
END;
CREATE TRIGGER cases_removed AFTER DELETE ON cases
BEGIN
  INSERT INTO removals (organization_id, collection, id, parent_id, updated_at, removal_id)
  SELECT OLD.organization_id, 'cases', OLD.case_id, NULL, o.clock_at, json_array('cases', NULL, OLD.case_id)
  FROM organizations AS o WHERE o.organization_id = OLD.organization_id
  ON CONFLICT (organization_id, removal_id) DO UPDATE SET updated_at = excluded.updated_at;
END;
CREATE TRIGGER memberships_removed AFTER DELETE ON memberships WHEN OLD.is_cancellation
BEGIN
  INSERT INTO removals (organization_id, collection, id, parent_id, updated_at, removal_id)
  SELECT OLD.organization_id, 'cancellation-records', OLD.membership_id, NULL, o.clock_at, json_array('cancellation-records', NULL, OLD.membership_id)
  FROM organizations AS o WHERE o.organization_id = OLD.organization_id
  ON CONFLICT (organization_id, removal_id) DO UPDATE SET updated_at = excluded.updated_at;
END;
CREATE TRIGGER memberships_hidden AFTER UPDATE OF is_cancellation ON memberships WHEN OLD.is_cancellation AND NOT NEW.is_cancellation
BEGIN
  INSERT INTO removals (organization_id, collection, id, parent_id, updated_at, removal_id)
  SELECT OLD.organization_id, 'cancellation-records', OLD.membership_id, NULL, o.clock_at, json_array('cancellation-records', NULL, OLD.membership_id)
  FROM organizations AS o WHERE o.organization_id = OLD.organization_id
  ON CONFLICT (organization_id, removal_id) DO UPDATE SET updated_at = excluded.updated_at;
END;
CREATE TRIGGER visible_reviews_removed AFTER DELETE ON visible_reviews
BEGIN
  INSERT INTO removals (organization_id, collection, id, parent_id, updated_at, removal_id)
  SELECT OLD.organization_id, 'reviews', OLD.review_id, OLD.owner_id, o.clock_at, json_array('reviews', OLD.owner_id, OLD.review_id)
  FROM organizations AS o WHERE o.organization_id = OLD.organization_id
  ON CONFLICT (organization_id, removal_id) DO UPDATE SET updated_at = excluded.updated_at;
END;
