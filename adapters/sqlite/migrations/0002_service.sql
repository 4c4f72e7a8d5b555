-- The tables of the service itself, and the triggers that no record of `domain/resources` describes. Everything else is in
-- 0001_records.sql. `adapters/sqlite/schema/difference.ts` lists what is written here, with the reasons. Instants are UTC ISO
-- 8601 text with milliseconds.

-- Work that must happen after a receipt. A crash at any point leaves the row, and a sweep finds it.
CREATE TABLE outbox (
  organization_id TEXT NOT NULL,
  outbox_id TEXT NOT NULL,
  submission_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  payload TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'pending',
  attempts INTEGER NOT NULL DEFAULT 0,
  next_attempt_at TEXT NOT NULL,
  last_error TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  lease_token TEXT,
  -- Since when the entry has been waiting for a message to be within the bounds; null: it does not wait for that.
  waiting_since TEXT,
  PRIMARY KEY (organization_id, outbox_id)
) STRICT, WITHOUT ROWID;

-- The sweep takes turns among the organizations that have work to do. With the organization first in the index, it steps
-- from one organization to the next, and through the entries of each in the order in which they are due, so that an
-- organization with thousands of entries costs it no more than the entries that it takes.
CREATE INDEX outbox_turns ON outbox (organization_id, next_attempt_at, outbox_id) WHERE status = 'pending';

-- What was sent to whom. The empty organization stands for the operator's own sends.
CREATE TABLE sends (
  organization_id TEXT NOT NULL,
  send_id TEXT NOT NULL,
  channel TEXT NOT NULL,
  sender TEXT NOT NULL,
  recipient TEXT NOT NULL,
  provider_id TEXT,
  outcome TEXT NOT NULL,
  error TEXT,
  at TEXT NOT NULL,
  PRIMARY KEY (organization_id, send_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX sends_at ON sends (organization_id, at, send_id);

-- The messages of the last day, and those that wait:
--   at           when the message was admitted; while it waits, when it may ask again
--   waits_until  until when it may wait, which is later for messages that began to wait later
--   is_sent      whether it was admitted
--   is_counted   whether it counts for its organization: 0 while it waits for the bound of its recipient
CREATE TABLE automation_messages (
  organization_id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  recipient TEXT NOT NULL,
  at TEXT NOT NULL,
  waits_until TEXT NOT NULL,
  is_sent INTEGER NOT NULL,
  is_counted INTEGER NOT NULL,
  PRIMARY KEY (organization_id, message_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX automation_messages_recipient
  ON automation_messages (organization_id, recipient, at, message_id, waits_until, is_sent);

CREATE INDEX automation_messages_at
  ON automation_messages (organization_id, is_counted, at, message_id, waits_until, is_sent);

-- A submission is saved by one insert into a view, whose trigger writes the submission and everything that belongs to it.
-- The view holds no rows. Its columns are what a submission is saved from, besides columns of form_submissions and
-- contacts:
--   form_version       the version of the form that the answers were checked against
--   limit_per_contact  the most submissions of the form by one contact; null: no limit
--   contact_id         the contact that matched, or new_contact_id; null: the submission names nobody
--   email, email_key, phone  null where a contact has that email or phone already
--   saved_at           the organization's clock, after it was moved
--   due_at             when the work that follows may begin
--   outbox             that work: a JSON object of payloads, as texts, by id, in an object by kind; null: none
--
-- The trigger calls no function. SQLite keeps a journal of its own for each statement that writes by triggers and might
-- fail in the middle, as one may that calls a function, or has to undo its own writes; it copies every page of every index
-- before the page is changed, which took a third of the time. The executor undoes a whole batch when a statement fails,
-- so the statement need not undo itself: `INSERT OR FAIL`, and RAISE(FAIL). The clock needs functions, so it is moved by a
-- statement before this one. Triggers of the tables that are written here inherit OR FAIL: an INSERT OR IGNORE in one
-- would fail, where ON CONFLICT DO NOTHING holds.
CREATE VIEW accepted_submissions (organization_id, submission_id, form_id, form_version, limit_per_contact, contact_id,
  new_contact_id, email, email_key, phone, first_name, last_name, license_plate, source, attribution, answers,
  submitted_at, saved_at, due_at, outbox) AS
  SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    NULL, NULL
  WHERE false;

-- Nothing is saved when the form is no longer as the answers were checked against it, when the submission was saved
-- before, or when the contact has submitted the form as often as it allows, which is counted at most as far as that.
CREATE TRIGGER accepted_submissions_saved INSTEAD OF INSERT ON accepted_submissions
WHEN EXISTS (SELECT 1 FROM forms AS f WHERE f.organization_id = NEW.organization_id AND f.form_id = NEW.form_id
    AND f.is_published = 1 AND f.version = NEW.form_version)
  AND NOT EXISTS (SELECT 1 FROM form_submissions AS s
    WHERE s.organization_id = NEW.organization_id AND s.submission_id = NEW.submission_id)
  AND (NEW.limit_per_contact IS NULL OR NEW.contact_id IS NULL OR NEW.limit_per_contact > (
    SELECT count(*) FROM (SELECT 1 FROM form_submissions AS s
      WHERE s.organization_id = NEW.organization_id AND s.form_id = NEW.form_id AND s.contact_id = NEW.contact_id
      LIMIT +NEW.limit_per_contact)))
BEGIN
  INSERT INTO form_submissions (organization_id, submission_id, form_id, contact_id, attribution, source,
    submitted_at, updated_at, answers)
  VALUES (NEW.organization_id, NEW.submission_id, NEW.form_id, NEW.contact_id, NEW.attribution, NEW.source,
    NEW.submitted_at, NEW.saved_at, NEW.answers);

  INSERT INTO outbox (organization_id, outbox_id, submission_id, kind, payload, next_attempt_at, created_at, updated_at)
  SELECT NEW.organization_id, entry.key, NEW.submission_id, kind.key, entry.value, NEW.due_at, NEW.due_at, NEW.due_at
  FROM json_each(NEW.outbox) AS kind CROSS JOIN json_each(kind.value) AS entry WHERE true
  ON CONFLICT (organization_id, outbox_id) DO NOTHING;

  -- A run of each automation that the form triggers at this very moment. An aggregate over one row makes the payload,
  -- because json_object would be a function.
  INSERT INTO outbox (organization_id, outbox_id, submission_id, kind, payload, next_attempt_at, created_at, updated_at)
  SELECT NEW.organization_id, 'run_' || NEW.submission_id || '_' || row_number() OVER (ORDER BY a.automation_id),
    NEW.submission_id, 'automation_run',
    (SELECT json_group_object('automationId', one.id) FROM (SELECT a.automation_id AS id) AS one),
    NEW.due_at, NEW.due_at, NEW.due_at
  FROM automations AS a INDEXED BY automations_trigger_form_id_status
  WHERE a.organization_id = NEW.organization_id AND a.trigger_form_id = NEW.form_id AND a.status = 'active'
  ON CONFLICT (organization_id, outbox_id) DO NOTHING;

  INSERT INTO contacts (organization_id, contact_id, first_name, last_name, email, email_key, phone, license_plate,
    tags, email_consent, sms_consent, source, created_at, updated_at)
  SELECT NEW.organization_id, NEW.contact_id, NEW.first_name, NEW.last_name, NEW.email, NEW.email_key, NEW.phone,
    NEW.license_plate, '[]', 'unknown', 'unknown', 'form', NEW.submitted_at, NEW.saved_at
  WHERE NEW.contact_id = NEW.new_contact_id
  ON CONFLICT (organization_id, contact_id) DO NOTHING;

  -- The empty attributes of a contact that matched are filled. A match with nothing to fill is not touched. A consent that
  -- was given before there was an address was not given for this one. A refusal stays, whatever the address.
  UPDATE contacts SET
    first_name = coalesce(iif(first_name = '', NULL, first_name), NEW.first_name, first_name),
    last_name = coalesce(iif(last_name = '', NULL, last_name), NEW.last_name, last_name),
    license_plate = coalesce(iif(license_plate = '', NULL, license_plate), NEW.license_plate, license_plate),
    email = coalesce(email, NEW.email), email_key = coalesce(email_key, NEW.email_key),
    email_consent = iif(email IS NULL AND NEW.email IS NOT NULL AND email_consent = 'subscribed', 'unknown', email_consent),
    phone = coalesce(phone, NEW.phone),
    sms_consent = iif(phone IS NULL AND NEW.phone IS NOT NULL AND sms_consent = 'subscribed', 'unknown', sms_consent),
    updated_at = NEW.saved_at
  WHERE organization_id = NEW.organization_id AND contact_id = NEW.contact_id
    AND ((NEW.first_name IS NOT NULL AND coalesce(first_name, '') = '')
      OR (NEW.last_name IS NOT NULL AND coalesce(last_name, '') = '')
      OR (NEW.license_plate IS NOT NULL AND coalesce(license_plate, '') = '')
      OR (NEW.email IS NOT NULL AND email IS NULL)
      OR (NEW.phone IS NOT NULL AND phone IS NULL));
END;

-- A submission of an organization that lives elsewhere, or whose writes are paused, is refused. That undoes the whole
-- batch, the moved clock included. SQLite runs the trigger that was created last first, so this one follows the other.
CREATE TRIGGER accepted_submissions_guarded INSTEAD OF INSERT ON accepted_submissions
WHEN EXISTS (SELECT 1 FROM placed_organizations AS p WHERE p.organization_id = NEW.organization_id)
  OR EXISTS (SELECT 1 FROM write_pauses AS w WHERE w.organization_id = NEW.organization_id)
BEGIN
  SELECT RAISE(FAIL, 'placement: elsewhere')
  WHERE EXISTS (SELECT 1 FROM placed_organizations AS p WHERE p.organization_id = NEW.organization_id);

  DELETE FROM write_pauses WHERE organization_id = NEW.organization_id AND until <= NEW.due_at;

  SELECT RAISE(FAIL, 'placement: paused')
  WHERE EXISTS (SELECT 1 FROM write_pauses AS w WHERE w.organization_id = NEW.organization_id);
END;

-- Reviews as they are read (visible_reviews) are copies of those that were imported (reviews): an organization's own, and
-- those of its child organizations, which carry their owner. So a page of them is a range of one index like any other.
-- Each reader's row changes at that reader's clock. The batch that fires these triggers has moved both clocks before.
CREATE TRIGGER reviews_shown AFTER INSERT ON reviews WHEN NOT NEW.is_deleted AND NOT NEW.is_preview
BEGIN
  INSERT INTO visible_reviews (organization_id, row_id, owner_id, review_id, google_review_id, site_id, site_name,
    rating, comment, reviewer_name, reviewer_photo_url, replied, reply, created_at, updated_at)
  SELECT o.organization_id, NEW.review_id || ' ' || NEW.organization_id, NEW.organization_id, NEW.review_id,
    NEW.google_review_id, NEW.site_id,
    (SELECT s.name FROM sites AS s WHERE s.organization_id = NEW.organization_id AND s.site_id = NEW.site_id),
    NEW.rating, NEW.comment, NEW.reviewer_name, NEW.reviewer_photo_url, NEW.replied, NEW.reply, NEW.created_at,
    o.clock_at
  FROM organizations AS o WHERE o.organization_id IN (NEW.organization_id,
    (SELECT parent_id FROM organizations WHERE organization_id = NEW.organization_id));
END;

CREATE TRIGGER reviews_shown_again AFTER UPDATE ON reviews
WHEN (OLD.is_deleted OR OLD.is_preview) AND NOT NEW.is_deleted AND NOT NEW.is_preview
BEGIN
  INSERT INTO visible_reviews (organization_id, row_id, owner_id, review_id, google_review_id, site_id, site_name,
    rating, comment, reviewer_name, reviewer_photo_url, replied, reply, created_at, updated_at)
  SELECT o.organization_id, NEW.review_id || ' ' || NEW.organization_id, NEW.organization_id, NEW.review_id,
    NEW.google_review_id, NEW.site_id,
    (SELECT s.name FROM sites AS s WHERE s.organization_id = NEW.organization_id AND s.site_id = NEW.site_id),
    NEW.rating, NEW.comment, NEW.reviewer_name, NEW.reviewer_photo_url, NEW.replied, NEW.reply, NEW.created_at,
    o.clock_at
  FROM organizations AS o WHERE o.organization_id IN (NEW.organization_id,
    (SELECT parent_id FROM organizations WHERE organization_id = NEW.organization_id));
END;

CREATE TRIGGER reviews_changed AFTER UPDATE ON reviews
WHEN NOT OLD.is_deleted AND NOT OLD.is_preview AND NOT NEW.is_deleted AND NOT NEW.is_preview
BEGIN
  UPDATE visible_reviews SET google_review_id = NEW.google_review_id, site_id = NEW.site_id,
    site_name = (SELECT s.name FROM sites AS s
      WHERE s.organization_id = NEW.organization_id AND s.site_id = NEW.site_id),
    rating = NEW.rating, comment = NEW.comment, reviewer_name = NEW.reviewer_name,
    reviewer_photo_url = NEW.reviewer_photo_url, replied = NEW.replied, reply = NEW.reply,
    created_at = NEW.created_at,
    updated_at = (SELECT o.clock_at FROM organizations AS o
      WHERE o.organization_id = visible_reviews.organization_id)
  WHERE organization_id IN (NEW.organization_id,
      (SELECT parent_id FROM organizations WHERE organization_id = NEW.organization_id))
    AND row_id = NEW.review_id || ' ' || NEW.organization_id;
END;

CREATE TRIGGER reviews_hidden AFTER UPDATE ON reviews WHEN NEW.is_deleted OR NEW.is_preview
BEGIN
  DELETE FROM visible_reviews
  WHERE organization_id IN (NEW.organization_id,
      (SELECT parent_id FROM organizations WHERE organization_id = NEW.organization_id))
    AND row_id = NEW.review_id || ' ' || NEW.organization_id;
END;

CREATE TRIGGER reviews_removed AFTER DELETE ON reviews
BEGIN
  DELETE FROM visible_reviews
  WHERE organization_id IN (OLD.organization_id,
      (SELECT parent_id FROM organizations WHERE organization_id = OLD.organization_id))
    AND row_id = OLD.review_id || ' ' || OLD.organization_id;
END;

-- Reviews may be imported before their site. The reviews of the site name the rows, so that neither a parent's other
-- reviews nor those of its other children are looked at.
CREATE TRIGGER sites_named_in_reviews AFTER INSERT ON sites
BEGIN
  UPDATE visible_reviews SET site_name = NEW.name,
    updated_at = (SELECT o.clock_at FROM organizations AS o
      WHERE o.organization_id = visible_reviews.organization_id)
  WHERE organization_id IN (NEW.organization_id,
      (SELECT parent_id FROM organizations WHERE organization_id = NEW.organization_id))
    AND row_id IN (SELECT r.review_id || ' ' || r.organization_id FROM reviews AS r
      WHERE r.organization_id = NEW.organization_id AND r.site_id = NEW.site_id);
END;

CREATE TRIGGER sites_renamed_in_reviews AFTER UPDATE OF name ON sites WHEN OLD.name <> NEW.name
BEGIN
  UPDATE visible_reviews SET site_name = NEW.name,
    updated_at = (SELECT o.clock_at FROM organizations AS o
      WHERE o.organization_id = visible_reviews.organization_id)
  WHERE organization_id IN (NEW.organization_id,
      (SELECT parent_id FROM organizations WHERE organization_id = NEW.organization_id))
    AND row_id IN (SELECT r.review_id || ' ' || r.organization_id FROM reviews AS r
      WHERE r.organization_id = NEW.organization_id AND r.site_id = NEW.site_id);
END;

CREATE TRIGGER sites_unnamed_in_reviews AFTER DELETE ON sites
BEGIN
  UPDATE visible_reviews SET site_name = NULL,
    updated_at = coalesce((SELECT o.clock_at FROM organizations AS o
      WHERE o.organization_id = visible_reviews.organization_id), updated_at)
  WHERE organization_id IN (OLD.organization_id,
      (SELECT parent_id FROM organizations WHERE organization_id = OLD.organization_id))
    AND row_id IN (SELECT r.review_id || ' ' || r.organization_id FROM reviews AS r
      WHERE r.organization_id = OLD.organization_id AND r.site_id = OLD.site_id);
END;

-- A child organization takes its reviews from one parent to the other.
CREATE TRIGGER organizations_moved AFTER UPDATE OF parent_id ON organizations
WHEN OLD.parent_id IS NOT NEW.parent_id
BEGIN
  DELETE FROM visible_reviews WHERE organization_id = OLD.parent_id AND owner_id = NEW.organization_id;
  INSERT INTO visible_reviews (organization_id, row_id, owner_id, review_id, google_review_id, site_id, site_name,
    rating, comment, reviewer_name, reviewer_photo_url, replied, reply, created_at, updated_at)
  SELECT p.organization_id, v.row_id, v.owner_id, v.review_id, v.google_review_id, v.site_id, v.site_name, v.rating,
    v.comment, v.reviewer_name, v.reviewer_photo_url, v.replied, v.reply, v.created_at, p.clock_at
  FROM organizations AS p CROSS JOIN visible_reviews AS v
  WHERE p.organization_id = NEW.parent_id
    AND v.organization_id = NEW.organization_id AND v.owner_id = NEW.organization_id;
END;

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

CREATE TRIGGER memberships_cohort_left AFTER DELETE ON memberships
BEGIN
  INSERT INTO membership_cohorts
  SELECT OLD.organization_id, d.column1, coalesce(substr(OLD.signup_date, 1, 7), ''),
    json_quote(iif(d.column1 = 'plan', OLD.plan_name, iif(d.column1 = 'site', OLD.billing_site_code, NULL))),
    -1, -(OLD.status = 'churned'),
    -(OLD.status = 'churned' AND OLD.churn_type IS 'voluntary'), -(OLD.status = 'churned' AND OLD.churn_type IS 'involuntary'),
    -(coalesce(OLD.tenure_days, 999) <= 30), -(coalesce(OLD.tenure_days, 999) <= 60), -(coalesce(OLD.tenure_days, 999) <= 90),
    -(coalesce(OLD.tenure_days, 999) <= 180), -(coalesce(OLD.tenure_days, 999) <= 365)
  FROM (VALUES ('none'), ('plan'), ('site')) AS d WHERE true
  ON CONFLICT (organization_id, dimension, month, value) DO UPDATE SET
    members = members + excluded.members, churned = churned + excluded.churned,
    voluntary = voluntary + excluded.voluntary, involuntary = involuntary + excluded.involuntary,
    within30 = within30 + excluded.within30, within60 = within60 + excluded.within60,
    within90 = within90 + excluded.within90, within180 = within180 + excluded.within180,
    within365 = within365 + excluded.within365;
END;

-- What operators did, or were refused. Rows are added and never changed.
CREATE TABLE audit (
  audit_id TEXT NOT NULL PRIMARY KEY,
  at TEXT NOT NULL,
  operator_key_id TEXT,
  operator TEXT NOT NULL,
  action TEXT NOT NULL,
  organization_id TEXT,
  outcome TEXT NOT NULL,
  -- What the change was about, as JSON.
  subject TEXT
) STRICT;

CREATE INDEX audit_at ON audit (at, audit_id);

CREATE INDEX audit_of_organization ON audit (organization_id, at, audit_id);

-- Lists of records are narrowed by the key, the action or the organization. When several are given, one of them selects
-- the records, and the others are tested record by record.
CREATE INDEX audit_of_key ON audit (operator_key_id, at, audit_id);

CREATE INDEX audit_of_action ON audit (action, at, audit_id);

-- How organizations were restored from archives. While `ended_at` is null, the organization's own row is not there, so that
-- its keys and forms are unknown, and nobody may create it. So is an organization that is being deleted: its `archive` is
-- empty.
CREATE TABLE restores (
  organization_id TEXT NOT NULL,
  restore_id TEXT NOT NULL,
  archive TEXT NOT NULL,
  digest TEXT NOT NULL,
  next_part INTEGER NOT NULL,
  progress TEXT NOT NULL,
  started_at TEXT NOT NULL,
  ended_at TEXT,
  PRIMARY KEY (organization_id, restore_id)
) STRICT;

-- For how many days an organization keeps its submissions (kind 'submissions') and the log of what it sent ('sends').
-- Without a row, for ever.
CREATE TABLE retention (
  organization_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  days INTEGER NOT NULL,
  -- When what is older is removed next.
  due_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, kind)
) STRICT;

CREATE INDEX retention_due ON retention (due_at, organization_id);

-- An import is a session: the rows of a file are staged here, beside the data that they will join, and are written from
-- here after the whole file was checked. All of it is gone a day after the import ended.
CREATE TABLE import_sessions (
  organization_id TEXT NOT NULL,
  import_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  format TEXT NOT NULL,
  total_bytes INTEGER NOT NULL,
  digest TEXT NOT NULL,
  -- The fields of a staged row in order, as a JSON array, because another version of the service may write what this one
  -- staged. Null: rows are staged as JSON objects.
  fields TEXT,
  state TEXT NOT NULL,
  opened_at TEXT NOT NULL,
  touched_at TEXT NOT NULL,
  next_part INTEGER NOT NULL,
  received_bytes INTEGER NOT NULL,
  read_rows INTEGER NOT NULL,
  problems TEXT NOT NULL,
  reading TEXT NOT NULL,
  chunks INTEGER NOT NULL,
  written_chunks INTEGER NOT NULL,
  written_rows INTEGER NOT NULL,
  changed_rows INTEGER NOT NULL,
  -- What the operator who imports the file should know of it, as a JSON array of sentences.
  warnings TEXT NOT NULL DEFAULT '[]',
  PRIMARY KEY (organization_id, import_id)
) STRICT;

-- At most one import of a kind at a time: two never mix.
CREATE UNIQUE INDEX import_sessions_open ON import_sessions (organization_id, kind)
  WHERE state IN ('receiving', 'writing');

CREATE INDEX import_sessions_state ON import_sessions (state, touched_at);

-- The imports of an organization are listed in pages, the latest first.
CREATE INDEX import_sessions_opened ON import_sessions (organization_id, opened_at, import_id);

-- The parts that were taken, so that one that is sent again is recognised.
CREATE TABLE import_parts (
  organization_id TEXT NOT NULL,
  import_id TEXT NOT NULL,
  part INTEGER NOT NULL,
  digest TEXT NOT NULL,
  PRIMARY KEY (organization_id, import_id, part)
) STRICT, WITHOUT ROWID;

-- Rows to write, a JSON array in each chunk. A chunk is deleted in the step that writes its rows.
CREATE TABLE import_chunks (
  organization_id TEXT NOT NULL,
  import_id TEXT NOT NULL,
  chunk INTEGER NOT NULL,
  row_count INTEGER NOT NULL,
  "rows" TEXT NOT NULL,
  PRIMARY KEY (organization_id, import_id, chunk)
) STRICT;

-- The keys of a file's lines, in buckets by their hash. A key that stands in two lines stands twice in one bucket.
CREATE TABLE import_keys (
  organization_id TEXT NOT NULL,
  import_id TEXT NOT NULL,
  bucket INTEGER NOT NULL,
  part INTEGER NOT NULL,
  "keys" TEXT NOT NULL,
  lines TEXT NOT NULL,
  PRIMARY KEY (organization_id, import_id, bucket, part)
) STRICT;

-- Where families live that have a database of their own, and the names that their organizations hold. Only the shared
-- database uses these tables. In the database of a family they are empty.
CREATE TABLE families (
  family_id TEXT NOT NULL PRIMARY KEY,
  -- 'own': in a database of its own; 'shared': in this one again, after a move.
  place TEXT NOT NULL,
  -- Counts the databases that the family has had, so that each has a name that no other one had.
  generation INTEGER NOT NULL,
  region TEXT,
  jurisdiction TEXT,
  -- When its database is to be asked for work that nobody waits for; null: it has none.
  work_since TEXT,
  -- Counts the notes of work, so that whoever looked at the database knows whether more came meanwhile.
  work_notes INTEGER NOT NULL DEFAULT 0,
  -- 1: when it was last asked, it had no work.
  was_idle INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE INDEX families_work_since ON families (work_since, family_id) WHERE work_since IS NOT NULL;

-- An organization that is named here is not in this database, whatever rows of it are left.
CREATE TABLE placed_organizations (
  organization_id TEXT NOT NULL PRIMARY KEY,
  family_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX placed_organizations_family ON placed_organizations (family_id, organization_id);

CREATE TABLE placed_slugs (
  slug TEXT NOT NULL PRIMARY KEY,
  organization_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX placed_slugs_organization ON placed_slugs (organization_id, slug);

CREATE TABLE placed_keys (
  key_id TEXT NOT NULL PRIMARY KEY,
  organization_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX placed_keys_organization ON placed_keys (organization_id, key_id);

CREATE TABLE placed_forms (
  form_id TEXT NOT NULL PRIMARY KEY,
  organization_id TEXT NOT NULL,
  -- Until the form is stored: since when its id is reserved.
  reserved_at TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX placed_forms_organization ON placed_forms (organization_id, form_id);

-- Organizations of this database whose writes are paused, because their family is about to be moved. A pause that has
-- passed is removed by the first write after it, so a move that still finds its pause knows that nothing was written.
CREATE TABLE write_pauses (
  organization_id TEXT NOT NULL PRIMARY KEY,
  token TEXT NOT NULL,
  until TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Takes no rows. A batch that writes inserts into it first what must not be: see adapters/sqlite/placement/guard.ts.
CREATE VIEW refused_writes (organization_id, now) AS SELECT NULL, NULL WHERE false;

CREATE TRIGGER refused_writes_raised INSTEAD OF INSERT ON refused_writes
BEGIN
  SELECT RAISE(ABORT, 'placement: elsewhere')
  WHERE EXISTS (SELECT 1 FROM placed_organizations AS p WHERE p.organization_id = NEW.organization_id);

  DELETE FROM write_pauses WHERE organization_id = NEW.organization_id AND until <= NEW.now;

  SELECT RAISE(ABORT, 'placement: paused')
  WHERE EXISTS (SELECT 1 FROM write_pauses AS w WHERE w.organization_id = NEW.organization_id);
END;

-- Every move, ended ones too. Only the shared database uses this table.
CREATE TABLE moves (
  move_id TEXT NOT NULL PRIMARY KEY,
  family_id TEXT NOT NULL,
  -- Places, as JSON.
  source TEXT NOT NULL,
  target TEXT NOT NULL,
  phase TEXT NOT NULL,
  -- Names the present try to switch; null: there is none.
  token TEXT,
  -- Names the journal of the source; null until it has begun.
  journal_id TEXT,
  -- The tables that move, as JSON; null until they are known.
  "tables" TEXT,
  -- How far the move is, as JSON, for whoever watches it.
  shown TEXT,
  -- Tries to switch that were given back, and when the next one may begin.
  tries INTEGER NOT NULL DEFAULT 0,
  not_before TEXT,
  abort_asked INTEGER NOT NULL DEFAULT 0,
  failure TEXT,
  -- Who works on it, since when, and until when nobody else does.
  mover TEXT,
  taken_at TEXT,
  leased_until TEXT,
  started_at TEXT NOT NULL,
  ended_at TEXT
) STRICT;

-- A family makes one move at a time.
CREATE UNIQUE INDEX moves_running ON moves (family_id) WHERE ended_at IS NULL;

CREATE INDEX moves_family ON moves (family_id, started_at, move_id);

-- A call of a move may take effect after the move has ended. So each move is tidied up some time after its end, at its
-- `not_before`, which is null again afterwards. The sweep looks for such moves every minute.
CREATE INDEX moves_untidied ON moves (not_before) WHERE ended_at IS NOT NULL AND not_before IS NOT NULL;

-- The organizations whose rows move, on both sides. The id is that of the journal on the side of the source.
CREATE TABLE move_organizations (
  move_id TEXT NOT NULL,
  organization_id TEXT NOT NULL,
  PRIMARY KEY (move_id, organization_id)
) STRICT, WITHOUT ROWID;

-- On the side of the source: rows that were written since a move began, as JSON arrays of their keys. Triggers write it
-- that exist as long as the move. No number is used twice, so forgetting up to a number never forgets a later entry.
CREATE TABLE move_journal (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  journal_id TEXT NOT NULL,
  table_name TEXT NOT NULL,
  key TEXT NOT NULL
) STRICT;

CREATE INDEX move_journal_seq ON move_journal (journal_id, seq);

-- On the side of the target: how far it is filled. Whoever fills it names the version that it has read, so that of two
-- who fill it at once only one goes on.
CREATE TABLE move_targets (
  move_id TEXT NOT NULL PRIMARY KEY,
  version INTEGER NOT NULL,
  -- JSON of domain/placement/move.
  progress TEXT NOT NULL,
  -- The try to switch for which filling has ended; null: it goes on.
  finished_by TEXT
) STRICT;

-- Never has rows. A batch inserts what must not be, and fails with the name of the check.
CREATE TABLE move_guards (
  broken TEXT NOT NULL CONSTRAINT move_is_current CHECK (broken <> 'version')
    CONSTRAINT move_knows_triggers CHECK (broken <> 'triggers')
) STRICT;
