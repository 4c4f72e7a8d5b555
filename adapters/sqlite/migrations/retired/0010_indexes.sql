-- Version 1.0.0 names some of these indexes, so they are dropped when nobody goes back to it.
--
-- A row written costs a thousand times a row read, and every entry of an index is a row. So there is an index for each
-- order of pages, and one for each field that selects rows of its own (an address, a contact, a form); every other filter
-- is tested while the order's index is walked.
DROP INDEX IF EXISTS automation_runs_automation_id_status_started_at;
DROP INDEX IF EXISTS automation_runs_automation_id_status_updated_at;
DROP INDEX IF EXISTS automation_runs_automation_id_updated_at;
DROP INDEX IF EXISTS automation_runs_status_started_at;
DROP INDEX IF EXISTS automation_runs_status_updated_at;
DROP INDEX IF EXISTS automations_status_created_at;
DROP INDEX IF EXISTS cases_assigned_to_submitted_at;
DROP INDEX IF EXISTS cases_assigned_to_updated_at;
DROP INDEX IF EXISTS cases_category_submitted_at;
DROP INDEX IF EXISTS cases_category_updated_at;
DROP INDEX IF EXISTS cases_request_type_submitted_at;
DROP INDEX IF EXISTS cases_request_type_updated_at;
DROP INDEX IF EXISTS cases_site_id_submitted_at;
DROP INDEX IF EXISTS cases_site_id_updated_at;
DROP INDEX IF EXISTS cases_status_submitted_at;
DROP INDEX IF EXISTS cases_status_updated_at;
DROP INDEX IF EXISTS checkout_links_site_id_created_at;
DROP INDEX IF EXISTS checkout_links_status_created_at;
DROP INDEX IF EXISTS contact_lists_type_created_at;
DROP INDEX IF EXISTS contacts_site_id_created_at;
DROP INDEX IF EXISTS contacts_site_id_updated_at;
DROP INDEX IF EXISTS form_submissions_form_id_updated_at;
DROP INDEX IF EXISTS forms_is_published_created_at;
DROP INDEX IF EXISTS links_archived_created_at;
DROP INDEX IF EXISTS links_archived_updated_at;
DROP INDEX IF EXISTS links_domain_created_at;
DROP INDEX IF EXISTS links_domain_updated_at;
DROP INDEX IF EXISTS marketing_signups_site_id_signed_up_at;
DROP INDEX IF EXISTS marketing_signups_site_id_updated_at;
DROP INDEX IF EXISTS marketing_signups_source_signed_up_at;
DROP INDEX IF EXISTS marketing_signups_source_updated_at;
DROP INDEX IF EXISTS memberships_is_cancellation_churn_type_canceled_at;
DROP INDEX IF EXISTS memberships_is_cancellation_churn_type_updated_at;
DROP INDEX IF EXISTS memberships_is_cancellation_site_code_canceled_at;
DROP INDEX IF EXISTS memberships_is_cancellation_site_code_updated_at;
DROP INDEX IF EXISTS products_status_created_at;
DROP INDEX IF EXISTS products_type_created_at;
DROP INDEX IF EXISTS purchases_site_id_purchased_at;
DROP INDEX IF EXISTS purchases_site_id_updated_at;
DROP INDEX IF EXISTS purchases_status_purchased_at;
DROP INDEX IF EXISTS purchases_status_updated_at;
DROP INDEX IF EXISTS removals_collection_updated_at;
DROP INDEX IF EXISTS sites_site_code_created_at;
DROP INDEX IF EXISTS sites_status_created_at;
DROP INDEX IF EXISTS survey_responses_category_submitted_at;
DROP INDEX IF EXISTS survey_responses_category_updated_at;
DROP INDEX IF EXISTS survey_responses_site_id_submitted_at;
DROP INDEX IF EXISTS survey_responses_site_id_updated_at;
DROP INDEX IF EXISTS survey_responses_survey_id_category_submitted_at;
DROP INDEX IF EXISTS survey_responses_survey_id_category_updated_at;
DROP INDEX IF EXISTS survey_responses_survey_id_site_id_submitted_at;
DROP INDEX IF EXISTS survey_responses_survey_id_site_id_updated_at;
DROP INDEX IF EXISTS survey_responses_survey_id_updated_at;
DROP INDEX IF EXISTS surveys_is_published_created_at;
DROP INDEX IF EXISTS surveys_survey_type_created_at;
DROP INDEX IF EXISTS visible_reviews_rating_created_at;
DROP INDEX IF EXISTS visible_reviews_rating_updated_at;
DROP INDEX IF EXISTS visible_reviews_replied_created_at;
DROP INDEX IF EXISTS visible_reviews_replied_updated_at;
DROP INDEX IF EXISTS visible_reviews_site_id_created_at;
DROP INDEX IF EXISTS visible_reviews_site_id_updated_at;
DROP INDEX IF EXISTS voucher_groups_status_created_at;
DROP INDEX IF EXISTS voucher_redemptions_group_id_redeemed_at;
DROP INDEX IF EXISTS voucher_redemptions_site_id_redeemed_at;
DROP INDEX IF EXISTS vouchers_group_id_status_created_at;
DROP INDEX IF EXISTS vouchers_group_id_status_updated_at;
DROP INDEX IF EXISTS vouchers_group_id_updated_at;
DROP INDEX IF EXISTS vouchers_status_created_at;
DROP INDEX IF EXISTS vouchers_status_updated_at;

-- Tables of few rows need no index beside their key: a sweep reads them whole.
DROP INDEX IF EXISTS operator_keys_created;
DROP INDEX IF EXISTS operator_keys_issued_by;
DROP INDEX IF EXISTS retention_due;
DROP INDEX IF EXISTS import_sessions_state;
DROP INDEX IF EXISTS placed_slugs_organization;
DROP INDEX IF EXISTS moves_family;
DROP INDEX IF EXISTS moves_untidied;
-- Keys are ended with their issuer so seldom that reading more then costs less than an entry for each key.
DROP INDEX IF EXISTS api_keys_issued_by;
DROP INDEX IF EXISTS placed_keys_issued_by;
-- Old removals are found by organization, in the order of the removals' pages.
DROP INDEX IF EXISTS removals_kept;
