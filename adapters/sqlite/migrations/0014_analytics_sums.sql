-- Analytics of memberships whose cost does not grow with the number of members; 0018_event_sums.sql does the same for
-- events. What a range of time covers is put together from sums that triggers keep of whole periods, and from the rows of
-- the partial days at its two ends. A period is named by a letter and the beginning of its instants: 'Y2025', 'M2025-03',
-- 'D2025-03-31'; by the letter alone for rows without a date. A sum may go down to zero and stay.
--
-- Some views here have no rows. They take insertions only: an INSTEAD OF trigger adds what is inserted to the sums, so
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
