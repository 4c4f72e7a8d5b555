-- A row in which a filter's column is null is never found by that filter, since a filter compares with a value. So such a
-- row need not be in the filter's indexes: a contact without a site or a purchase without a contact costs them no write
-- and no room. SQLite knows that `column = ?` holds for no null, so statements use these indexes as before. An index is
-- dropped and made anew under its name, because statements name the index that they need. Each takes a moment on a large
-- table, and until it is there again its pages are read without it.

DROP INDEX sites_site_code_created_at;
CREATE INDEX sites_site_code_created_at ON sites (organization_id, site_code, created_at, site_id)
  WHERE site_code IS NOT NULL;
DROP INDEX sites_site_code_updated_at;
CREATE INDEX sites_site_code_updated_at ON sites (organization_id, site_code, updated_at, site_id)
  WHERE site_code IS NOT NULL;
DROP INDEX checkout_links_site_id_created_at;
CREATE INDEX checkout_links_site_id_created_at ON checkout_links (organization_id, site_id, created_at, checkout_link_id)
  WHERE site_id IS NOT NULL;
DROP INDEX checkout_links_site_id_updated_at;
CREATE INDEX checkout_links_site_id_updated_at ON checkout_links (organization_id, site_id, updated_at, checkout_link_id)
  WHERE site_id IS NOT NULL;
DROP INDEX purchases_contact_id_purchased_at;
CREATE INDEX purchases_contact_id_purchased_at ON purchases (organization_id, contact_id, purchased_at, purchase_id)
  WHERE contact_id IS NOT NULL;
DROP INDEX purchases_site_id_purchased_at;
CREATE INDEX purchases_site_id_purchased_at ON purchases (organization_id, site_id, purchased_at, purchase_id)
  WHERE site_id IS NOT NULL;
DROP INDEX purchases_contact_id_updated_at;
CREATE INDEX purchases_contact_id_updated_at ON purchases (organization_id, contact_id, updated_at, purchase_id)
  WHERE contact_id IS NOT NULL;
DROP INDEX purchases_site_id_updated_at;
CREATE INDEX purchases_site_id_updated_at ON purchases (organization_id, site_id, updated_at, purchase_id)
  WHERE site_id IS NOT NULL;
DROP INDEX contacts_email_key_created_at;
CREATE INDEX contacts_email_key_created_at ON contacts (organization_id, email_key, created_at, contact_id)
  WHERE email_key IS NOT NULL;
DROP INDEX contacts_phone_created_at;
CREATE INDEX contacts_phone_created_at ON contacts (organization_id, phone, created_at, contact_id)
  WHERE phone IS NOT NULL;
DROP INDEX contacts_site_id_created_at;
CREATE INDEX contacts_site_id_created_at ON contacts (organization_id, site_id, created_at, contact_id)
  WHERE site_id IS NOT NULL;
DROP INDEX contacts_email_key_updated_at;
CREATE INDEX contacts_email_key_updated_at ON contacts (organization_id, email_key, updated_at, contact_id)
  WHERE email_key IS NOT NULL;
DROP INDEX contacts_phone_updated_at;
CREATE INDEX contacts_phone_updated_at ON contacts (organization_id, phone, updated_at, contact_id)
  WHERE phone IS NOT NULL;
DROP INDEX contacts_site_id_updated_at;
CREATE INDEX contacts_site_id_updated_at ON contacts (organization_id, site_id, updated_at, contact_id)
  WHERE site_id IS NOT NULL;
DROP INDEX marketing_signups_site_id_signed_up_at;
CREATE INDEX marketing_signups_site_id_signed_up_at ON marketing_signups (organization_id, site_id, signed_up_at, signup_id)
  WHERE site_id IS NOT NULL;
DROP INDEX marketing_signups_source_signed_up_at;
CREATE INDEX marketing_signups_source_signed_up_at ON marketing_signups (organization_id, source, signed_up_at, signup_id)
  WHERE source IS NOT NULL;
DROP INDEX marketing_signups_site_id_updated_at;
CREATE INDEX marketing_signups_site_id_updated_at ON marketing_signups (organization_id, site_id, updated_at, signup_id)
  WHERE site_id IS NOT NULL;
DROP INDEX marketing_signups_source_updated_at;
CREATE INDEX marketing_signups_source_updated_at ON marketing_signups (organization_id, source, updated_at, signup_id)
  WHERE source IS NOT NULL;
DROP INDEX form_submissions_contact_id_submitted_at;
CREATE INDEX form_submissions_contact_id_submitted_at ON form_submissions (organization_id, contact_id, submitted_at, submission_id)
  WHERE contact_id IS NOT NULL;
DROP INDEX form_submissions_form_id_contact_id_submitted_at;
CREATE INDEX form_submissions_form_id_contact_id_submitted_at ON form_submissions (organization_id, form_id, contact_id, submitted_at, submission_id)
  WHERE contact_id IS NOT NULL;
DROP INDEX form_submissions_contact_id_updated_at;
CREATE INDEX form_submissions_contact_id_updated_at ON form_submissions (organization_id, contact_id, updated_at, submission_id)
  WHERE contact_id IS NOT NULL;
DROP INDEX form_submissions_form_id_contact_id_updated_at;
CREATE INDEX form_submissions_form_id_contact_id_updated_at ON form_submissions (organization_id, form_id, contact_id, updated_at, submission_id)
  WHERE contact_id IS NOT NULL;
DROP INDEX vouchers_contact_id_created_at;
CREATE INDEX vouchers_contact_id_created_at ON vouchers (organization_id, contact_id, created_at, voucher_id)
  WHERE contact_id IS NOT NULL;
DROP INDEX vouchers_contact_id_updated_at;
CREATE INDEX vouchers_contact_id_updated_at ON vouchers (organization_id, contact_id, updated_at, voucher_id)
  WHERE contact_id IS NOT NULL;
DROP INDEX voucher_redemptions_group_id_redeemed_at;
CREATE INDEX voucher_redemptions_group_id_redeemed_at ON voucher_redemptions (organization_id, group_id, redeemed_at, redemption_id)
  WHERE group_id IS NOT NULL;
DROP INDEX voucher_redemptions_site_id_redeemed_at;
CREATE INDEX voucher_redemptions_site_id_redeemed_at ON voucher_redemptions (organization_id, site_id, redeemed_at, redemption_id)
  WHERE site_id IS NOT NULL;
DROP INDEX vouchers_group_id_created_at;
CREATE INDEX vouchers_group_id_created_at ON vouchers (organization_id, group_id, created_at, voucher_id)
  WHERE group_id IS NOT NULL;
DROP INDEX vouchers_group_id_status_created_at;
CREATE INDEX vouchers_group_id_status_created_at ON vouchers (organization_id, group_id, status, created_at, voucher_id)
  WHERE group_id IS NOT NULL;
DROP INDEX vouchers_group_id_contact_id_created_at;
CREATE INDEX vouchers_group_id_contact_id_created_at ON vouchers (organization_id, group_id, contact_id, created_at, voucher_id)
  WHERE group_id IS NOT NULL AND contact_id IS NOT NULL;
DROP INDEX vouchers_group_id_updated_at;
CREATE INDEX vouchers_group_id_updated_at ON vouchers (organization_id, group_id, updated_at, voucher_id)
  WHERE group_id IS NOT NULL;
DROP INDEX vouchers_group_id_status_updated_at;
CREATE INDEX vouchers_group_id_status_updated_at ON vouchers (organization_id, group_id, status, updated_at, voucher_id)
  WHERE group_id IS NOT NULL;
DROP INDEX vouchers_group_id_contact_id_updated_at;
CREATE INDEX vouchers_group_id_contact_id_updated_at ON vouchers (organization_id, group_id, contact_id, updated_at, voucher_id)
  WHERE group_id IS NOT NULL AND contact_id IS NOT NULL;
DROP INDEX automation_runs_contact_id_started_at;
CREATE INDEX automation_runs_contact_id_started_at ON automation_runs (organization_id, contact_id, started_at, run_id)
  WHERE contact_id IS NOT NULL;
DROP INDEX automation_runs_automation_id_contact_id_started_at;
CREATE INDEX automation_runs_automation_id_contact_id_started_at ON automation_runs (organization_id, automation_id, contact_id, started_at, run_id)
  WHERE contact_id IS NOT NULL;
DROP INDEX automation_runs_contact_id_updated_at;
CREATE INDEX automation_runs_contact_id_updated_at ON automation_runs (organization_id, contact_id, updated_at, run_id)
  WHERE contact_id IS NOT NULL;
DROP INDEX automation_runs_automation_id_contact_id_updated_at;
CREATE INDEX automation_runs_automation_id_contact_id_updated_at ON automation_runs (organization_id, automation_id, contact_id, updated_at, run_id)
  WHERE contact_id IS NOT NULL;
DROP INDEX survey_responses_site_id_submitted_at;
CREATE INDEX survey_responses_site_id_submitted_at ON survey_responses (organization_id, site_id, submitted_at, response_id)
  WHERE site_id IS NOT NULL;
DROP INDEX survey_responses_category_submitted_at;
CREATE INDEX survey_responses_category_submitted_at ON survey_responses (organization_id, category, submitted_at, response_id)
  WHERE category IS NOT NULL;
DROP INDEX survey_responses_survey_id_site_id_submitted_at;
CREATE INDEX survey_responses_survey_id_site_id_submitted_at ON survey_responses (organization_id, survey_id, site_id, submitted_at, response_id)
  WHERE site_id IS NOT NULL;
DROP INDEX survey_responses_survey_id_category_submitted_at;
CREATE INDEX survey_responses_survey_id_category_submitted_at ON survey_responses (organization_id, survey_id, category, submitted_at, response_id)
  WHERE category IS NOT NULL;
DROP INDEX survey_responses_site_id_updated_at;
CREATE INDEX survey_responses_site_id_updated_at ON survey_responses (organization_id, site_id, updated_at, response_id)
  WHERE site_id IS NOT NULL;
DROP INDEX survey_responses_category_updated_at;
CREATE INDEX survey_responses_category_updated_at ON survey_responses (organization_id, category, updated_at, response_id)
  WHERE category IS NOT NULL;
DROP INDEX survey_responses_survey_id_site_id_updated_at;
CREATE INDEX survey_responses_survey_id_site_id_updated_at ON survey_responses (organization_id, survey_id, site_id, updated_at, response_id)
  WHERE site_id IS NOT NULL;
DROP INDEX survey_responses_survey_id_category_updated_at;
CREATE INDEX survey_responses_survey_id_category_updated_at ON survey_responses (organization_id, survey_id, category, updated_at, response_id)
  WHERE category IS NOT NULL;
DROP INDEX cases_site_id_submitted_at;
CREATE INDEX cases_site_id_submitted_at ON cases (organization_id, site_id, submitted_at, case_id)
  WHERE site_id IS NOT NULL;
DROP INDEX cases_request_type_submitted_at;
CREATE INDEX cases_request_type_submitted_at ON cases (organization_id, request_type, submitted_at, case_id)
  WHERE request_type IS NOT NULL;
DROP INDEX cases_category_submitted_at;
CREATE INDEX cases_category_submitted_at ON cases (organization_id, category, submitted_at, case_id)
  WHERE category IS NOT NULL;
DROP INDEX cases_assigned_to_submitted_at;
CREATE INDEX cases_assigned_to_submitted_at ON cases (organization_id, assigned_to, submitted_at, case_id)
  WHERE assigned_to IS NOT NULL;
DROP INDEX cases_site_id_updated_at;
CREATE INDEX cases_site_id_updated_at ON cases (organization_id, site_id, updated_at, case_id)
  WHERE site_id IS NOT NULL;
DROP INDEX cases_request_type_updated_at;
CREATE INDEX cases_request_type_updated_at ON cases (organization_id, request_type, updated_at, case_id)
  WHERE request_type IS NOT NULL;
DROP INDEX cases_category_updated_at;
CREATE INDEX cases_category_updated_at ON cases (organization_id, category, updated_at, case_id)
  WHERE category IS NOT NULL;
DROP INDEX cases_assigned_to_updated_at;
CREATE INDEX cases_assigned_to_updated_at ON cases (organization_id, assigned_to, updated_at, case_id)
  WHERE assigned_to IS NOT NULL;
DROP INDEX visible_reviews_site_id_created_at;
CREATE INDEX visible_reviews_site_id_created_at ON visible_reviews (organization_id, site_id, created_at, row_id)
  WHERE site_id IS NOT NULL;
DROP INDEX visible_reviews_site_id_updated_at;
CREATE INDEX visible_reviews_site_id_updated_at ON visible_reviews (organization_id, site_id, updated_at, row_id)
  WHERE site_id IS NOT NULL;
DROP INDEX memberships_is_cancellation_churn_type_canceled_at;
CREATE INDEX memberships_is_cancellation_churn_type_canceled_at ON memberships (organization_id, is_cancellation, churn_type, canceled_at, membership_id)
  WHERE churn_type IS NOT NULL;
DROP INDEX memberships_is_cancellation_site_code_canceled_at;
CREATE INDEX memberships_is_cancellation_site_code_canceled_at ON memberships (organization_id, is_cancellation, site_code, canceled_at, membership_id)
  WHERE site_code IS NOT NULL;
DROP INDEX memberships_is_cancellation_churn_type_updated_at;
CREATE INDEX memberships_is_cancellation_churn_type_updated_at ON memberships (organization_id, is_cancellation, churn_type, updated_at, membership_id)
  WHERE churn_type IS NOT NULL;
DROP INDEX memberships_is_cancellation_site_code_updated_at;
CREATE INDEX memberships_is_cancellation_site_code_updated_at ON memberships (organization_id, is_cancellation, site_code, updated_at, membership_id)
  WHERE site_code IS NOT NULL;
