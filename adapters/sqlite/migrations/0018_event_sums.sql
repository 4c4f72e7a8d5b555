-- Sums of offers, decisions and reasons, kept of whole periods as 0014_analytics_sums.sql does for memberships: periods
-- have the same names, and views without rows take what is to be added.

-- 1. The events of each offer, by month and by day.

CREATE TABLE retention_offer_counts (
  organization_id TEXT NOT NULL,
  period TEXT NOT NULL,
  offer_id TEXT NOT NULL,
  viewed INTEGER NOT NULL,
  accepted INTEGER NOT NULL,
  declined INTEGER NOT NULL,
  PRIMARY KEY (organization_id, period, offer_id)
) STRICT, WITHOUT ROWID;

-- Finds the latest event of an offer within a range, and counts its events of a partial day.
CREATE INDEX retention_offer_events_offer_id_occurred_at_event_id_event
  ON retention_offer_events (organization_id, offer_id, occurred_at, event_id, event);
DROP INDEX retention_offer_events_occurred_at_offer_id_event;

CREATE TRIGGER retention_offer_events_counted AFTER INSERT ON retention_offer_events
BEGIN
  INSERT INTO retention_offer_counts
  SELECT NEW.organization_id, p.column1 || substr(NEW.occurred_at, 1, p.column2), NEW.offer_id, NEW.event = 'viewed',
    NEW.event = 'accepted', NEW.event = 'declined'
  FROM (VALUES ('M', 7), ('D', 10)) AS p WHERE true
  ON CONFLICT (organization_id, period, offer_id) DO UPDATE SET viewed = viewed + excluded.viewed,
    accepted = accepted + excluded.accepted, declined = declined + excluded.declined;
END;

CREATE TRIGGER retention_offer_events_recounted AFTER UPDATE OF offer_id, event, occurred_at ON retention_offer_events
WHEN (OLD.offer_id, OLD.event, OLD.occurred_at) IS NOT (NEW.offer_id, NEW.event, NEW.occurred_at)
BEGIN
  INSERT INTO retention_offer_counts
  SELECT NEW.organization_id, p.column1 || substr(e.occurred_at, 1, p.column2), e.offer_id,
    e.weight * (e.event = 'viewed'), e.weight * (e.event = 'accepted'), e.weight * (e.event = 'declined')
  FROM (
    SELECT 1 AS weight, NEW.offer_id AS offer_id, NEW.event AS event, NEW.occurred_at AS occurred_at
    UNION ALL SELECT -1, OLD.offer_id, OLD.event, OLD.occurred_at
  ) AS e CROSS JOIN (VALUES ('M', 7), ('D', 10)) AS p WHERE true
  ON CONFLICT (organization_id, period, offer_id) DO UPDATE SET viewed = viewed + excluded.viewed,
    accepted = accepted + excluded.accepted, declined = declined + excluded.declined;
END;

INSERT INTO retention_offer_counts
SELECT e.organization_id, p.column1 || substr(e.occurred_at, 1, p.column2) AS period, e.offer_id,
  sum(e.event = 'viewed'), sum(e.event = 'accepted'), sum(e.event = 'declined')
FROM retention_offer_events AS e CROSS JOIN (VALUES ('M', 7), ('D', 10)) AS p GROUP BY 1, 2, 3;

-- 2. What members decided on their offers, with the revenue from each member. The sums, by year, month and day, are of
-- each member's last decision. A decision that was superseded counts in a range that ends before the next one.

CREATE TABLE member_decisions (
  organization_id TEXT NOT NULL,
  membership_id TEXT NOT NULL,
  decided_at TEXT NOT NULL,
  event_id TEXT NOT NULL,
  decision TEXT NOT NULL,
  superseded_at TEXT,
  billing_events INTEGER NOT NULL,
  revenue_cents INTEGER NOT NULL,
  -- A number of days within which it was superseded, one of few; null for the last decision.
  held_days_max INTEGER AS (iif(superseded_at IS NULL, NULL, iif(julianday(superseded_at) - julianday(decided_at) <= 8, 8,
    iif(julianday(superseded_at) - julianday(decided_at) <= 64, 64,
      iif(julianday(superseded_at) - julianday(decided_at) <= 512, 512, 4000000))))) VIRTUAL,
  PRIMARY KEY (organization_id, membership_id, decided_at, event_id)
) STRICT, WITHOUT ROWID;

-- Finds the last decisions of a partial day, and those of a range that were superseded after it: a decision that held for
-- at most 8 days when the range ended was made in the last 8 days of the range. All that is read of them is in the index.
CREATE INDEX member_decisions_held_days_max_decided_at ON member_decisions
  (organization_id, held_days_max, decided_at, superseded_at, decision, billing_events, revenue_cents);

CREATE TABLE member_decision_totals (
  organization_id TEXT NOT NULL,
  period TEXT NOT NULL,
  decision TEXT NOT NULL,
  members INTEGER NOT NULL,
  with_revenue INTEGER NOT NULL,
  revenue_cents INTEGER NOT NULL,
  PRIMARY KEY (organization_id, period, decision)
) STRICT, WITHOUT ROWID;

CREATE VIEW last_decisions AS
SELECT '' AS organization_id, 0 AS weight, '' AS decision, '' AS decided_at, 0 AS billing_events, 0 AS revenue_cents
WHERE false;

CREATE TRIGGER last_decisions_counted INSTEAD OF INSERT ON last_decisions
BEGIN
  INSERT INTO member_decision_totals
  SELECT NEW.organization_id, p.column1 || substr(NEW.decided_at, 1, p.column2), NEW.decision, NEW.weight,
    NEW.weight * (NEW.billing_events > 0), NEW.weight * NEW.revenue_cents
  FROM (VALUES ('Y', 4), ('M', 7), ('D', 10)) AS p WHERE true
  ON CONFLICT (organization_id, period, decision) DO UPDATE SET members = members + excluded.members,
    with_revenue = with_revenue + excluded.with_revenue, revenue_cents = revenue_cents + excluded.revenue_cents;
  INSERT INTO member_spreads
  SELECT NEW.organization_id, NEW.decision, p.column1 || substr(NEW.decided_at, 1, p.column2), s.column1,
    NEW.revenue_cents >> s.column1, NEW.weight
  FROM (VALUES ('Y', 4), ('M', 7), ('D', 10)) AS p CROSS JOIN (VALUES (14), (7), (0)) AS s WHERE NEW.billing_events > 0
  ON CONFLICT (organization_id, subject, period, shift, bucket) DO UPDATE SET members = members + excluded.members;
END;

CREATE TRIGGER member_decisions_counted AFTER INSERT ON member_decisions
WHEN NEW.superseded_at IS NULL
BEGIN
  INSERT INTO last_decisions
  VALUES (NEW.organization_id, 1, NEW.decision, NEW.decided_at, NEW.billing_events, NEW.revenue_cents);
END;

CREATE TRIGGER member_decisions_recounted
AFTER UPDATE OF decision, superseded_at, billing_events, revenue_cents ON member_decisions
BEGIN
  INSERT INTO last_decisions
  SELECT NEW.organization_id, 1, NEW.decision, NEW.decided_at, NEW.billing_events, NEW.revenue_cents
  WHERE NEW.superseded_at IS NULL
  UNION ALL
  SELECT OLD.organization_id, -1, OLD.decision, OLD.decided_at, OLD.billing_events, OLD.revenue_cents
  WHERE OLD.superseded_at IS NULL;
END;

CREATE TRIGGER member_decisions_discounted AFTER DELETE ON member_decisions
WHEN OLD.superseded_at IS NULL
BEGIN
  INSERT INTO last_decisions
  VALUES (OLD.organization_id, -1, OLD.decision, OLD.decided_at, OLD.billing_events, OLD.revenue_cents);
END;

-- The decision before this one is superseded by it; and by the next one when this one goes.
CREATE TRIGGER member_decisions_linked AFTER INSERT ON member_decisions
BEGIN
  UPDATE member_decisions SET superseded_at = NEW.decided_at
  WHERE organization_id = NEW.organization_id AND membership_id = NEW.membership_id AND (decided_at, event_id) = (
    SELECT decided_at, event_id FROM member_decisions
    WHERE organization_id = NEW.organization_id AND membership_id = NEW.membership_id
      AND (decided_at, event_id) < (NEW.decided_at, NEW.event_id) ORDER BY decided_at DESC, event_id DESC LIMIT 1);
END;

CREATE TRIGGER member_decisions_unlinked AFTER DELETE ON member_decisions
BEGIN
  UPDATE member_decisions SET superseded_at = OLD.superseded_at
  WHERE organization_id = OLD.organization_id AND membership_id = OLD.membership_id AND (decided_at, event_id) = (
    SELECT decided_at, event_id FROM member_decisions
    WHERE organization_id = OLD.organization_id AND membership_id = OLD.membership_id
      AND (decided_at, event_id) < (OLD.decided_at, OLD.event_id) ORDER BY decided_at DESC, event_id DESC LIMIT 1);
END;

CREATE VIEW new_decisions AS
SELECT '' AS organization_id, '' AS membership_id, '' AS decided_at, '' AS event_id, '' AS decision WHERE false;

CREATE TRIGGER new_decisions_made INSTEAD OF INSERT ON new_decisions
WHEN NEW.membership_id IS NOT NULL AND NEW.decision IN ('accepted', 'declined')
BEGIN
  INSERT INTO member_decisions
  SELECT NEW.organization_id, NEW.membership_id, NEW.decided_at, NEW.event_id, NEW.decision, (
      SELECT decided_at FROM member_decisions
      WHERE organization_id = NEW.organization_id AND membership_id = NEW.membership_id
        AND (decided_at, event_id) > (NEW.decided_at, NEW.event_id) ORDER BY decided_at, event_id LIMIT 1),
    count(*), coalesce(sum(iif(type = 'payment', amount_cents, iif(type = 'refund', -amount_cents, 0))), 0)
  FROM billing_events WHERE organization_id = NEW.organization_id AND membership_id = NEW.membership_id;
END;

CREATE TRIGGER retention_offer_events_decided AFTER INSERT ON retention_offer_events
WHEN NEW.event <> 'viewed'
BEGIN
  INSERT INTO new_decisions
  VALUES (NEW.organization_id, NEW.membership_id, NEW.occurred_at, NEW.event_id, NEW.event);
END;

CREATE TRIGGER retention_offer_events_decided_anew
AFTER UPDATE OF membership_id, event, occurred_at ON retention_offer_events
WHEN (OLD.membership_id, OLD.event, OLD.occurred_at) IS NOT (NEW.membership_id, NEW.event, NEW.occurred_at)
BEGIN
  DELETE FROM member_decisions
  WHERE organization_id = OLD.organization_id AND membership_id = OLD.membership_id
    AND decided_at = OLD.occurred_at AND event_id = OLD.event_id;
  INSERT INTO new_decisions
  VALUES (NEW.organization_id, NEW.membership_id, NEW.occurred_at, NEW.event_id, NEW.event);
END;

CREATE TRIGGER billing_events_earned AFTER INSERT ON billing_events
BEGIN
  UPDATE member_decisions SET billing_events = billing_events + 1,
    revenue_cents = revenue_cents
      + coalesce(iif(NEW.type = 'payment', NEW.amount_cents, iif(NEW.type = 'refund', -NEW.amount_cents, 0)), 0)
  WHERE organization_id = NEW.organization_id AND membership_id = NEW.membership_id;
END;

CREATE TRIGGER billing_events_earned_anew AFTER UPDATE OF membership_id, type, amount_cents ON billing_events
WHEN (OLD.membership_id, OLD.type, OLD.amount_cents) IS NOT (NEW.membership_id, NEW.type, NEW.amount_cents)
BEGIN
  UPDATE member_decisions SET
    billing_events = billing_events + (membership_id = NEW.membership_id) - (membership_id = OLD.membership_id),
    revenue_cents = revenue_cents
      + iif(membership_id <> NEW.membership_id, 0,
        coalesce(iif(NEW.type = 'payment', NEW.amount_cents, iif(NEW.type = 'refund', -NEW.amount_cents, 0)), 0))
      - iif(membership_id <> OLD.membership_id, 0,
        coalesce(iif(OLD.type = 'payment', OLD.amount_cents, iif(OLD.type = 'refund', -OLD.amount_cents, 0)), 0))
  WHERE organization_id = NEW.organization_id AND membership_id IN (OLD.membership_id, NEW.membership_id);
END;

INSERT INTO new_decisions
SELECT organization_id, membership_id, occurred_at, event_id, event FROM retention_offer_events WHERE event <> 'viewed';

DROP INDEX retention_offer_events_event_occurred_at_membership_id;

-- 3. The reasons picked in the exit survey, by month and by day.

CREATE TABLE exit_survey_counts (
  organization_id TEXT NOT NULL,
  period TEXT NOT NULL,
  reason_code TEXT NOT NULL,
  events INTEGER NOT NULL,
  PRIMARY KEY (organization_id, period, reason_code)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER exit_survey_events_counted AFTER INSERT ON exit_survey_events
BEGIN
  INSERT INTO exit_survey_counts
  SELECT NEW.organization_id, p.column1 || substr(NEW.occurred_at, 1, p.column2), NEW.reason_code, 1
  FROM (VALUES ('M', 7), ('D', 10)) AS p WHERE true
  ON CONFLICT (organization_id, period, reason_code) DO UPDATE SET events = events + 1;
END;

CREATE TRIGGER exit_survey_events_recounted AFTER UPDATE OF reason_code, occurred_at ON exit_survey_events
WHEN (OLD.reason_code, OLD.occurred_at) IS NOT (NEW.reason_code, NEW.occurred_at)
BEGIN
  INSERT INTO exit_survey_counts
  SELECT NEW.organization_id, p.column1 || substr(e.occurred_at, 1, p.column2), e.reason_code, e.weight
  FROM (
    SELECT 1 AS weight, NEW.reason_code AS reason_code, NEW.occurred_at AS occurred_at
    UNION ALL SELECT -1, OLD.reason_code, OLD.occurred_at
  ) AS e CROSS JOIN (VALUES ('M', 7), ('D', 10)) AS p WHERE true
  ON CONFLICT (organization_id, period, reason_code) DO UPDATE SET events = events + excluded.events;
END;

INSERT INTO exit_survey_counts
SELECT e.organization_id, p.column1 || substr(e.occurred_at, 1, p.column2) AS period, e.reason_code, count(*)
FROM exit_survey_events AS e CROSS JOIN (VALUES ('M', 7), ('D', 10)) AS p GROUP BY 1, 2, 3;
