-- What the analytics of memberships are read from. Figures over the whole history are kept as counts, by triggers, in the
-- step that writes the memberships: reading them takes as many rows as there are months and names, not members.

ALTER TABLE memberships ADD COLUMN tenure_days INTEGER;

UPDATE memberships SET
  tenure_days = unixepoch(substr(canceled_at, 1, 10)) / 86400 - unixepoch(signup_date) / 86400
WHERE signup_date <= substr(canceled_at, 1, 10);

-- The order of the members export, alone and after the filter on status. In descending order, unknown signups come
-- last.
CREATE INDEX memberships_signup_date ON memberships (organization_id, signup_date DESC, membership_id);
CREATE INDEX memberships_status_signup_date
  ON memberships (organization_id, status, signup_date DESC, membership_id);

-- Members by the month of their signup ('' when unknown), once for everybody (dimension 'none'), once for each plan and
-- once for each site. A value is JSON text, so that an unknown one (null) is told from any name. A count may go down to
-- zero and stay.
CREATE TABLE membership_cohorts (
  organization_id TEXT NOT NULL,
  dimension TEXT NOT NULL,
  month TEXT NOT NULL,
  value TEXT NOT NULL,
  members INTEGER NOT NULL,
  churned INTEGER NOT NULL,
  voluntary INTEGER NOT NULL,
  involuntary INTEGER NOT NULL,
  within30 INTEGER NOT NULL,
  within60 INTEGER NOT NULL,
  within90 INTEGER NOT NULL,
  within180 INTEGER NOT NULL,
  within365 INTEGER NOT NULL,
  PRIMARY KEY (organization_id, dimension, month, value)
) STRICT, WITHOUT ROWID;

-- Churned members by the month of their cancellation ('' when unknown), why they left (JSON text, as above), and how long
-- they had stayed (-1 when unknown).
CREATE TABLE membership_cancellations (
  organization_id TEXT NOT NULL,
  month TEXT NOT NULL,
  churn_type TEXT NOT NULL,
  reason TEXT NOT NULL,
  members INTEGER NOT NULL,
  PRIMARY KEY (organization_id, month, churn_type, reason)
) STRICT, WITHOUT ROWID;

CREATE TABLE membership_tenures (
  organization_id TEXT NOT NULL,
  month TEXT NOT NULL,
  tenure_days INTEGER NOT NULL,
  members INTEGER NOT NULL,
  PRIMARY KEY (organization_id, month, tenure_days)
) STRICT, WITHOUT ROWID;

-- What a membership adds to the counts, once for each dimension. The triggers take an old one out with a weight of -1.
CREATE TRIGGER memberships_cohort_joined AFTER INSERT ON memberships
BEGIN
  INSERT INTO membership_cohorts
  SELECT NEW.organization_id, d.column1, coalesce(substr(NEW.signup_date, 1, 7), ''),
    json_quote(iif(d.column1 = 'plan', NEW.plan_name, iif(d.column1 = 'site', NEW.billing_site_code, NULL))),
    1, NEW.status = 'churned',
    NEW.status = 'churned' AND NEW.churn_type IS 'voluntary', NEW.status = 'churned' AND NEW.churn_type IS 'involuntary',
    coalesce(NEW.tenure_days, 999) <= 30, coalesce(NEW.tenure_days, 999) <= 60, coalesce(NEW.tenure_days, 999) <= 90,
    coalesce(NEW.tenure_days, 999) <= 180, coalesce(NEW.tenure_days, 999) <= 365
  FROM (VALUES ('none'), ('plan'), ('site')) AS d WHERE true
  ON CONFLICT (organization_id, dimension, month, value) DO UPDATE SET
    members = members + excluded.members, churned = churned + excluded.churned,
    voluntary = voluntary + excluded.voluntary, involuntary = involuntary + excluded.involuntary,
    within30 = within30 + excluded.within30, within60 = within60 + excluded.within60,
    within90 = within90 + excluded.within90, within180 = within180 + excluded.within180,
    within365 = within365 + excluded.within365;
END;

CREATE TRIGGER memberships_cohort_changed
AFTER UPDATE OF status, signup_date, churn_type, plan_name, billing_site_code, tenure_days ON memberships
WHEN (OLD.status, OLD.signup_date, OLD.churn_type, OLD.plan_name, OLD.billing_site_code, OLD.tenure_days)
  IS NOT (NEW.status, NEW.signup_date, NEW.churn_type, NEW.plan_name, NEW.billing_site_code, NEW.tenure_days)
BEGIN
  INSERT INTO membership_cohorts
  SELECT NEW.organization_id, d.column1, coalesce(substr(m.signup_date, 1, 7), ''),
    json_quote(iif(d.column1 = 'plan', m.plan_name, iif(d.column1 = 'site', m.site_code, NULL))),
    m.weight, m.weight * (m.status = 'churned'),
    m.weight * (m.status = 'churned' AND m.churn_type IS 'voluntary'),
    m.weight * (m.status = 'churned' AND m.churn_type IS 'involuntary'),
    m.weight * (coalesce(m.tenure_days, 999) <= 30), m.weight * (coalesce(m.tenure_days, 999) <= 60),
    m.weight * (coalesce(m.tenure_days, 999) <= 90), m.weight * (coalesce(m.tenure_days, 999) <= 180),
    m.weight * (coalesce(m.tenure_days, 999) <= 365)
  FROM (
    SELECT -1 AS weight, OLD.status AS status, OLD.signup_date AS signup_date, OLD.churn_type AS churn_type,
      OLD.plan_name AS plan_name, OLD.billing_site_code AS site_code, OLD.tenure_days AS tenure_days
    UNION ALL
    SELECT 1, NEW.status, NEW.signup_date, NEW.churn_type, NEW.plan_name, NEW.billing_site_code, NEW.tenure_days
  ) AS m CROSS JOIN (VALUES ('none'), ('plan'), ('site')) AS d WHERE true
  ON CONFLICT (organization_id, dimension, month, value) DO UPDATE SET
    members = members + excluded.members, churned = churned + excluded.churned,
    voluntary = voluntary + excluded.voluntary, involuntary = involuntary + excluded.involuntary,
    within30 = within30 + excluded.within30, within60 = within60 + excluded.within60,
    within90 = within90 + excluded.within90, within180 = within180 + excluded.within180,
    within365 = within365 + excluded.within365;
END;

CREATE TRIGGER memberships_churned AFTER INSERT ON memberships
WHEN NEW.status = 'churned'
BEGIN
  INSERT INTO membership_cancellations
  VALUES (NEW.organization_id, coalesce(substr(NEW.canceled_at, 1, 7), ''), json_quote(NEW.churn_type),
    json_quote(NEW.cancel_reason), 1)
  ON CONFLICT (organization_id, month, churn_type, reason) DO UPDATE SET members = members + 1;
  INSERT INTO membership_tenures
  VALUES (NEW.organization_id, coalesce(substr(NEW.canceled_at, 1, 7), ''), coalesce(NEW.tenure_days, -1), 1)
  ON CONFLICT (organization_id, month, tenure_days) DO UPDATE SET members = members + 1;
END;

CREATE TRIGGER memberships_churn_changed
AFTER UPDATE OF status, canceled_at, churn_type, cancel_reason, tenure_days ON memberships
WHEN (OLD.status, OLD.canceled_at, OLD.churn_type, OLD.cancel_reason, OLD.tenure_days)
  IS NOT (NEW.status, NEW.canceled_at, NEW.churn_type, NEW.cancel_reason, NEW.tenure_days)
BEGIN
  INSERT INTO membership_cancellations
  SELECT NEW.organization_id, coalesce(substr(m.canceled_at, 1, 7), ''), json_quote(m.churn_type),
    json_quote(m.cancel_reason), m.weight
  FROM (
    SELECT -1 AS weight, OLD.status AS status, OLD.canceled_at AS canceled_at, OLD.churn_type AS churn_type,
      OLD.cancel_reason AS cancel_reason
    UNION ALL SELECT 1, NEW.status, NEW.canceled_at, NEW.churn_type, NEW.cancel_reason
  ) AS m WHERE m.status = 'churned'
  ON CONFLICT (organization_id, month, churn_type, reason) DO UPDATE SET members = members + excluded.members;
  INSERT INTO membership_tenures
  SELECT NEW.organization_id, coalesce(substr(m.canceled_at, 1, 7), ''), coalesce(m.tenure_days, -1), m.weight
  FROM (
    SELECT -1 AS weight, OLD.status AS status, OLD.canceled_at AS canceled_at, OLD.tenure_days AS tenure_days
    UNION ALL SELECT 1, NEW.status, NEW.canceled_at, NEW.tenure_days
  ) AS m WHERE m.status = 'churned'
  ON CONFLICT (organization_id, month, tenure_days) DO UPDATE SET members = members + excluded.members;
END;

-- The memberships that are stored already.
INSERT INTO membership_cohorts
SELECT m.organization_id, d.column1, coalesce(substr(m.signup_date, 1, 7), ''),
  json_quote(iif(d.column1 = 'plan', m.plan_name, iif(d.column1 = 'site', m.billing_site_code, NULL))) AS named,
  count(*), sum(m.status = 'churned'),
  sum(m.status = 'churned' AND m.churn_type IS 'voluntary'), sum(m.status = 'churned' AND m.churn_type IS 'involuntary'),
  sum(coalesce(m.tenure_days, 999) <= 30), sum(coalesce(m.tenure_days, 999) <= 60),
  sum(coalesce(m.tenure_days, 999) <= 90), sum(coalesce(m.tenure_days, 999) <= 180),
  sum(coalesce(m.tenure_days, 999) <= 365)
FROM memberships AS m CROSS JOIN (VALUES ('none'), ('plan'), ('site')) AS d
GROUP BY 1, 2, 3, named;

INSERT INTO membership_cancellations
SELECT organization_id, coalesce(substr(canceled_at, 1, 7), ''), json_quote(churn_type), json_quote(cancel_reason), count(*)
FROM memberships WHERE status = 'churned' GROUP BY 1, 2, 3, 4;

INSERT INTO membership_tenures
SELECT organization_id, coalesce(substr(canceled_at, 1, 7), ''), coalesce(tenure_days, -1), count(*)
FROM memberships WHERE status = 'churned' GROUP BY 1, 2, 3;
