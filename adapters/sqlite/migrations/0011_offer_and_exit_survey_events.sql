-- What members were offered when they wanted to leave, and the reasons they picked. Imported only; the analytics read
-- them by their indexes alone, but for the latest event of each offer.

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

-- Counts the events of each offer within a range, and finds its latest one.
CREATE INDEX retention_offer_events_occurred_at_offer_id_event
  ON retention_offer_events (organization_id, occurred_at, offer_id, event, event_id);
-- Finds each member's last decision within a range.
CREATE INDEX retention_offer_events_event_occurred_at_membership_id
  ON retention_offer_events (organization_id, event, occurred_at, membership_id, event_id);

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

-- Counts the reasons within a range.
CREATE INDEX exit_survey_events_occurred_at_reason_code
  ON exit_survey_events (organization_id, occurred_at, reason_code, event_id);
