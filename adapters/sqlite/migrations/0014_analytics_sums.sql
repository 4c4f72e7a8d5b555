-- Analytics whose cost does not grow with the number of members. What a range of time covers is put together from sums
-- that triggers keep of whole periods, and from the rows of the partial periods at its two ends. A period is named by a
-- letter and the beginning of its instants: 'Y2025', 'M2025-03', 'D2025-03-31'; by the letter alone for rows without a
-- date. A sum may go down to zero and stay.
--
-- Some views below have no rows. They take insertions only: an INSTEAD OF trigger adds what is inserted to the sums, so
-- that what a row counts for is written once. A row is taken out again with a weight of -1.

-- 1. The members export finds the row at any offset. Members are cut, in the order of the export, into blocks of fewer
-- than 1000 neighbours, with the number of members in each. membership_cohorts has the number of each month, so only
-- the blocks of one month and the rows of one block are counted to reach an offset.

-- The order of the export as a number that ascends: the latest signup first (-20250131), the unknown ones last (0).
ALTER TABLE memberships ADD COLUMN signup_order INTEGER
  AS (-CAST(replace(coalesce(signup_date, ''), '-', '') AS INTEGER)) VIRTUAL;

DROP INDEX memberships_signup_date;
DROP INDEX memberships_status_signup_date;
CREATE INDEX memberships_signup_order ON memberships (organization_id, signup_order, membership_id);
CREATE INDEX memberships_status_signup_order ON memberships (organization_id, status, signup_order, membership_id);

-- The members from (first_order, first_id) up to the next block of the month: -202501, or 0 when unknown. The first
-- block of a month begins before all days of it, at (-20250199, '').
CREATE TABLE membership_blocks (
  organization_id TEXT NOT NULL,
  month INTEGER NOT NULL,
  first_order INTEGER NOT NULL,
  first_id TEXT NOT NULL,
  members INTEGER NOT NULL,
  churned INTEGER NOT NULL,
  PRIMARY KEY (organization_id, month, first_order, first_id)
) STRICT, WITHOUT ROWID;

CREATE VIEW membership_places AS
SELECT '' AS organization_id, 0 AS weight, 0 AS signup_order, '' AS membership_id, '' AS status WHERE false;

CREATE TRIGGER membership_places_counted INSTEAD OF INSERT ON membership_places
BEGIN
  INSERT INTO membership_blocks
  SELECT NEW.organization_id, NEW.signup_order / 100, coalesce(b.first_order, NEW.signup_order / 100 * 100 - 99),
    coalesce(b.first_id, ''), NEW.weight, NEW.weight * (NEW.status = 'churned')
  FROM (SELECT 1) LEFT JOIN (
    SELECT first_order, first_id FROM membership_blocks
    WHERE organization_id = NEW.organization_id AND month = NEW.signup_order / 100
      AND (first_order, first_id) <= (NEW.signup_order, NEW.membership_id)
    ORDER BY first_order DESC, first_id DESC LIMIT 1
  ) AS b WHERE true
  ON CONFLICT (organization_id, month, first_order, first_id) DO UPDATE SET
    members = members + excluded.members, churned = churned + excluded.churned;
END;

CREATE TRIGGER memberships_placed AFTER INSERT ON memberships
BEGIN
  INSERT INTO membership_places
  VALUES (NEW.organization_id, 1, NEW.signup_order, NEW.membership_id, NEW.status);
END;

-- The old place is left before the new one is taken: when a block is cut in two, its number is that of its rows.
CREATE TRIGGER memberships_placed_anew AFTER UPDATE OF signup_date, status ON memberships
WHEN (OLD.signup_order, OLD.status) IS NOT (NEW.signup_order, NEW.status)
BEGIN
  INSERT INTO membership_places
  VALUES (OLD.organization_id, -1, OLD.signup_order, OLD.membership_id, OLD.status);
  INSERT INTO membership_places
  VALUES (NEW.organization_id, 1, NEW.signup_order, NEW.membership_id, NEW.status);
END;

-- The second half of a full block becomes a block of its own. Beside min(), SQLite takes the other columns from the row
-- that has the least value: the first row of the half.
CREATE TRIGGER membership_blocks_cut AFTER UPDATE OF members ON membership_blocks
WHEN NEW.members = 1000
BEGIN
  INSERT INTO membership_blocks
  SELECT NEW.organization_id, NEW.month, signup_order, membership_id, count(*), sum(status = 'churned')
  FROM (
    SELECT signup_order, membership_id, status, row_number() OVER (ORDER BY signup_order, membership_id) AS place
    FROM memberships
    WHERE organization_id = NEW.organization_id AND (signup_order, membership_id) >= (NEW.first_order, NEW.first_id)
    ORDER BY signup_order, membership_id LIMIT 500 OFFSET 500
  ) HAVING min(place) > 0;
  UPDATE membership_blocks SET (members, churned) = (
    SELECT NEW.members - b.members, NEW.churned - b.churned FROM membership_blocks AS b
    WHERE b.organization_id = NEW.organization_id AND b.month = NEW.month
      AND (b.first_order, b.first_id) > (NEW.first_order, NEW.first_id)
    ORDER BY b.first_order, b.first_id LIMIT 1
  )
  WHERE organization_id = NEW.organization_id AND month = NEW.month
    AND first_order = NEW.first_order AND first_id = NEW.first_id;
END;

INSERT INTO membership_blocks
SELECT organization_id, month, iif(part = 0, month * 100 - 99, signup_order), iif(part = 0, '', membership_id), count(*),
  sum(status = 'churned')
FROM (
  SELECT organization_id, signup_order / 100 AS month, signup_order, membership_id, status, place, (place - 1) / 500 AS part
  FROM (
    SELECT organization_id, signup_order, membership_id, status, row_number() OVER (
      PARTITION BY organization_id, signup_order / 100 ORDER BY signup_order, membership_id) AS place
    FROM memberships)
) GROUP BY organization_id, month, part HAVING min(place) > 0;

-- 2. Cancellations, by month and by day, and how the lengths of stay are spread.

DROP TRIGGER memberships_churned;
DROP TRIGGER memberships_churn_changed;
DROP TABLE membership_cancellations;
DROP TABLE membership_tenures;

-- Churned members by why they left (JSON text, so that an unknown reason, null, is told from any name). Of those whose
-- tenure is known: how many they are, the sum of their days, and how many stayed at most so many days.
CREATE TABLE membership_cancellations (
  organization_id TEXT NOT NULL,
  period TEXT NOT NULL,
  churn_type TEXT NOT NULL,
  reason TEXT NOT NULL,
  members INTEGER NOT NULL,
  with_tenure INTEGER NOT NULL,
  tenure_days INTEGER NOT NULL,
  within30 INTEGER NOT NULL,
  within90 INTEGER NOT NULL,
  within180 INTEGER NOT NULL,
  within365 INTEGER NOT NULL,
  within730 INTEGER NOT NULL,
  PRIMARY KEY (organization_id, period, churn_type, reason)
) STRICT, WITHOUT ROWID;

-- How values are spread over members, from which a median is found without reading the members. Subjects and values:
-- 'tenure', days; 'accepted' and 'declined', the cents of revenue from who decided so. A bucket holds the values that
-- agree after a shift to the right by some bits: a wide bucket with the middle leads to the narrower ones within it, and
-- at a shift of 0 a bucket is a value.
CREATE TABLE member_spreads (
  organization_id TEXT NOT NULL,
  subject TEXT NOT NULL,
  period TEXT NOT NULL,
  shift INTEGER NOT NULL,
  bucket INTEGER NOT NULL,
  members INTEGER NOT NULL,
  PRIMARY KEY (organization_id, subject, period, shift, bucket)
) STRICT, WITHOUT ROWID;

-- Revenue takes a new value with each payment, so empty buckets would add up.
CREATE TRIGGER member_spreads_emptied AFTER UPDATE OF members ON member_spreads
WHEN NEW.members = 0
BEGIN
  DELETE FROM member_spreads
  WHERE organization_id = NEW.organization_id AND subject = NEW.subject AND period = NEW.period
    AND shift = NEW.shift AND bucket = NEW.bucket;
END;

CREATE VIEW membership_churns AS
SELECT '' AS organization_id, 0 AS weight, '' AS canceled_at, '' AS churn_type, '' AS reason, 0 AS tenure_days WHERE false;

CREATE TRIGGER membership_churns_counted INSTEAD OF INSERT ON membership_churns
BEGIN
  INSERT INTO membership_cancellations
  SELECT NEW.organization_id, p.column1 || coalesce(substr(NEW.canceled_at, 1, p.column2), ''),
    json_quote(NEW.churn_type), json_quote(NEW.reason), NEW.weight, NEW.weight * (NEW.tenure_days IS NOT NULL),
    NEW.weight * coalesce(NEW.tenure_days, 0), NEW.weight * (coalesce(NEW.tenure_days, 999) <= 30),
    NEW.weight * (coalesce(NEW.tenure_days, 999) <= 90), NEW.weight * (coalesce(NEW.tenure_days, 999) <= 180),
    NEW.weight * (coalesce(NEW.tenure_days, 999) <= 365), NEW.weight * (coalesce(NEW.tenure_days, 999) <= 730)
  FROM (VALUES ('M', 7), ('D', 10)) AS p WHERE true
  ON CONFLICT (organization_id, period, churn_type, reason) DO UPDATE SET
    members = members + excluded.members, with_tenure = with_tenure + excluded.with_tenure,
    tenure_days = tenure_days + excluded.tenure_days, within30 = within30 + excluded.within30,
    within90 = within90 + excluded.within90, within180 = within180 + excluded.within180,
    within365 = within365 + excluded.within365, within730 = within730 + excluded.within730;
  INSERT INTO member_spreads
  SELECT NEW.organization_id, 'tenure', p.column1 || coalesce(substr(NEW.canceled_at, 1, p.column2), ''),
    s.column1, NEW.tenure_days >> s.column1, NEW.weight
  FROM (VALUES ('M', 7), ('D', 10)) AS p CROSS JOIN (VALUES (5), (0)) AS s WHERE NEW.tenure_days IS NOT NULL
  ON CONFLICT (organization_id, subject, period, shift, bucket) DO UPDATE SET members = members + excluded.members;
END;

CREATE TRIGGER memberships_churned AFTER INSERT ON memberships
WHEN NEW.status = 'churned'
BEGIN
  INSERT INTO membership_churns
  VALUES (NEW.organization_id, 1, NEW.canceled_at, NEW.churn_type, NEW.cancel_reason, NEW.tenure_days);
END;

CREATE TRIGGER memberships_churn_changed
AFTER UPDATE OF status, canceled_at, churn_type, cancel_reason, tenure_days ON memberships
WHEN (OLD.status, OLD.canceled_at, OLD.churn_type, OLD.cancel_reason, OLD.tenure_days)
  IS NOT (NEW.status, NEW.canceled_at, NEW.churn_type, NEW.cancel_reason, NEW.tenure_days)
BEGIN
  INSERT INTO membership_churns
  SELECT NEW.organization_id, 1, NEW.canceled_at, NEW.churn_type, NEW.cancel_reason, NEW.tenure_days
  WHERE NEW.status = 'churned'
  UNION ALL
  SELECT OLD.organization_id, -1, OLD.canceled_at, OLD.churn_type, OLD.cancel_reason, OLD.tenure_days
  WHERE OLD.status = 'churned';
END;

INSERT INTO membership_cancellations
SELECT m.organization_id, p.column1 || coalesce(substr(m.canceled_at, 1, p.column2), '') AS period,
  json_quote(m.churn_type) AS churn_type, json_quote(m.cancel_reason) AS reason, count(*), count(m.tenure_days),
  coalesce(sum(m.tenure_days), 0), sum(coalesce(m.tenure_days, 999) <= 30), sum(coalesce(m.tenure_days, 999) <= 90),
  sum(coalesce(m.tenure_days, 999) <= 180), sum(coalesce(m.tenure_days, 999) <= 365),
  sum(coalesce(m.tenure_days, 999) <= 730)
FROM memberships AS m CROSS JOIN (VALUES ('M', 7), ('D', 10)) AS p
WHERE m.status = 'churned' GROUP BY 1, 2, 3, 4;

INSERT INTO member_spreads
SELECT m.organization_id, 'tenure', p.column1 || coalesce(substr(m.canceled_at, 1, p.column2), '') AS period, s.column1,
  m.tenure_days >> s.column1 AS bucket, count(*)
FROM memberships AS m CROSS JOIN (VALUES ('M', 7), ('D', 10)) AS p CROSS JOIN (VALUES (5), (0)) AS s
WHERE m.status = 'churned' AND m.tenure_days IS NOT NULL GROUP BY 1, 3, 4, 5;

-- 3. The events of each offer, by month and by day.

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

-- 4. What members decided on their offers, with the revenue from each member. The sums, by year, month and day, are of
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
  PRIMARY KEY (organization_id, membership_id, decided_at, event_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX member_decisions_superseded_at_decided_at ON member_decisions (organization_id, superseded_at, decided_at);

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

-- 5. The reasons picked in the exit survey, by month and by day.

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
