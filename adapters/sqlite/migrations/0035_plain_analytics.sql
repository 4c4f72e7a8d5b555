-- Figures of members and of events are counted when they are asked for, by indexes that hold all that is counted of a
-- row. Only cohorts are still kept as counts, of months (0010_membership_analytics.sql). What kept the others goes.

DROP TRIGGER memberships_placed;
DROP TRIGGER memberships_placed_anew;
DROP TRIGGER membership_blocks_cut;
DROP TRIGGER memberships_churned;
DROP TRIGGER memberships_churn_changed;
DROP TRIGGER retention_offer_events_counted;
DROP TRIGGER retention_offer_events_recounted;
DROP TRIGGER retention_offer_events_decided;
DROP TRIGGER retention_offer_events_decided_anew;
DROP TRIGGER billing_events_earned;
DROP TRIGGER billing_events_earned_anew;
DROP TRIGGER exit_survey_events_counted;
DROP TRIGGER exit_survey_events_recounted;

-- With a view or a table go the triggers on it.
DROP VIEW membership_places;
DROP VIEW membership_churns;
DROP VIEW last_decisions;
DROP VIEW new_decisions;
DROP TABLE membership_blocks;
DROP TABLE membership_cancellations;
DROP TABLE member_spreads;
DROP TABLE member_decisions;
DROP TABLE member_decision_totals;
DROP TABLE retention_offer_counts;
DROP TABLE exit_survey_counts;

DROP INDEX memberships_signup_order;
DROP INDEX memberships_status_signup_order;
CREATE INDEX memberships_signup_date ON memberships (organization_id, signup_date DESC, membership_id);
CREATE INDEX memberships_status_signup_date ON memberships (organization_id, status, signup_date DESC, membership_id);
CREATE INDEX memberships_status_canceled_at_churn_type_cancel_reason_tenure_days
  ON memberships (organization_id, status, canceled_at, churn_type, cancel_reason, tenure_days);

DROP INDEX billing_events_membership_id_occurred_at;
CREATE INDEX billing_events_membership_id_occurred_at_event_id_type_amount_cents
  ON billing_events (organization_id, membership_id, occurred_at, event_id, type, amount_cents);
CREATE INDEX retention_offer_events_membership_id_occurred_at_event_id_event
  ON retention_offer_events (organization_id, membership_id, occurred_at, event_id, event);
