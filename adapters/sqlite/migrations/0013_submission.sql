-- A submission is saved by one insert into a view, whose trigger writes the submission, what follows from it, its contact
-- and the organization's clock. One short statement replaces four long ones, whose text travelled to the database with
-- every submission. The view holds no rows; its columns are what a submission is saved from:
--   form_version       the version of the form that the answers were checked against
--   limit_per_contact  null: the form has none
--   outbox             the entries that follow it, as a JSON array of [id, kind, payload]; null: none
--   has_contact        0: the submission names nobody, and new_contact_id to license_plate are null
--   now                the time by the clock of the service that saves it

CREATE VIEW incoming_submissions (organization_id, submission_id, form_id, form_version, limit_per_contact, source,
  attribution, answers, submitted_at, outbox, has_contact, new_contact_id, email, email_key, phone, first_name, last_name,
  license_plate, now) AS
  SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
  WHERE false;

CREATE TRIGGER incoming_submissions_saved INSTEAD OF INSERT ON incoming_submissions
BEGIN
  -- The contact is the oldest one with the email; else the oldest with the phone and no other email; else a new one. Its
  -- earlier submissions are counted at most as far as the limit, and a submission without a contact is not limited.
  -- A clock of the service that runs ahead is believed for two seconds only. A clock that stands still or steps back gives
  -- an instant after the organization's last one, so that no row appears before a position that a sync has passed.
  INSERT INTO form_submissions (organization_id, submission_id, form_id, contact_id, attribution, source,
    submitted_at, updated_at, answers)
  SELECT f.organization_id, NEW.submission_id, f.form_id, m.contact_id, NEW.attribution, NEW.source,
    NEW.submitted_at, max(min(NEW.now, strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+2 seconds')),
      strftime('%Y-%m-%dT%H:%M:%fZ', o.clock_at, '+0.001 seconds')), NEW.answers
  FROM forms AS f
    JOIN organizations AS o ON o.organization_id = f.organization_id
    JOIN (SELECT CASE WHEN NEW.has_contact THEN coalesce(
      (SELECT contact_id FROM contacts WHERE organization_id = NEW.organization_id AND email_key = NEW.email_key
        ORDER BY created_at, contact_id LIMIT 1),
      (SELECT contact_id FROM contacts WHERE organization_id = NEW.organization_id AND phone = NEW.phone
        AND (email_key IS NULL OR NEW.email_key IS NULL) ORDER BY created_at, contact_id LIMIT 1),
      NEW.new_contact_id) END AS contact_id) AS m
  WHERE f.organization_id = NEW.organization_id AND f.form_id = NEW.form_id
    AND f.is_published = 1 AND f.version = NEW.form_version
    AND (NEW.limit_per_contact IS NULL OR m.contact_id IS NULL OR NEW.limit_per_contact > (
      SELECT count(*) FROM (SELECT 1 FROM form_submissions AS earlier
        WHERE earlier.organization_id = NEW.organization_id AND earlier.form_id = NEW.form_id
          AND earlier.contact_id = m.contact_id LIMIT +NEW.limit_per_contact)))
  ON CONFLICT (organization_id, submission_id) DO NOTHING;

  -- Nothing was saved: the form is no longer current, the limit is reached, or the submission was saved before. The insert
  -- into the view then returns no row, and nothing below happens.
  SELECT RAISE(IGNORE) WHERE changes() = 0;

  -- What follows is due by the clock of the service, which the organization's clock may be ahead of.
  INSERT INTO outbox (organization_id, outbox_id, submission_id, kind, payload, next_attempt_at, created_at, updated_at)
  SELECT NEW.organization_id, entry.value ->> 0, NEW.submission_id, entry.value ->> 1, entry.value ->> 2,
    due.at, due.at, due.at
  FROM json_each(NEW.outbox) AS entry,
    (SELECT min(NEW.now, strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+2 seconds')) AS at) AS due
  WHERE true
  ON CONFLICT (organization_id, outbox_id) DO NOTHING;

  -- A run of each automation that the form triggers at this very moment.
  INSERT INTO outbox (organization_id, outbox_id, submission_id, kind, payload, next_attempt_at, created_at, updated_at)
  SELECT NEW.organization_id, 'run_' || NEW.submission_id || '_' || row_number() OVER (ORDER BY a.automation_id),
    NEW.submission_id, 'automation_run', json_object('automationId', a.automation_id), due.at, due.at, due.at
  FROM automations AS a INDEXED BY automations_trigger_form_id_status,
    (SELECT min(NEW.now, strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+2 seconds')) AS at) AS due
  WHERE a.organization_id = NEW.organization_id AND a.trigger_form_id = NEW.form_id AND a.status = 'active'
  ON CONFLICT (organization_id, outbox_id) DO NOTHING;

  -- Creates the contact, or fills the empty attributes of the one that matched; a match with nothing to fill is not
  -- touched. An email or phone that any contact holds is not copied, to a new contact or an old one.
  INSERT INTO contacts (organization_id, contact_id, first_name, last_name, email, email_key, phone, license_plate,
    tags, email_consent, sms_consent, source, created_at, updated_at)
  SELECT s.organization_id, s.contact_id, NEW.first_name, NEW.last_name,
    iif(email.is_taken, NULL, NEW.email), iif(email.is_taken, NULL, NEW.email_key),
    CASE WHEN EXISTS (SELECT 1 FROM contacts AS other
      WHERE other.organization_id = NEW.organization_id AND other.phone = NEW.phone) THEN NULL ELSE NEW.phone END,
    NEW.license_plate, '[]', 'unknown', 'unknown', 'form', s.submitted_at, s.updated_at
  FROM form_submissions AS s,
    (SELECT EXISTS (SELECT 1 FROM contacts AS other
      WHERE other.organization_id = NEW.organization_id AND other.email_key = NEW.email_key) AS is_taken) AS email
  WHERE s.organization_id = NEW.organization_id AND s.submission_id = NEW.submission_id AND s.contact_id IS NOT NULL
  ON CONFLICT (organization_id, contact_id) DO UPDATE SET
    first_name = coalesce(nullif(contacts.first_name, ''), excluded.first_name, contacts.first_name),
    last_name = coalesce(nullif(contacts.last_name, ''), excluded.last_name, contacts.last_name),
    license_plate = coalesce(nullif(contacts.license_plate, ''), excluded.license_plate, contacts.license_plate),
    email = coalesce(contacts.email, excluded.email), email_key = coalesce(contacts.email_key, excluded.email_key),
    phone = coalesce(contacts.phone, excluded.phone), updated_at = excluded.updated_at
  WHERE (contacts.email IS NULL AND excluded.email IS NOT NULL)
    OR (contacts.phone IS NULL AND excluded.phone IS NOT NULL)
    OR (coalesce(contacts.first_name, '') = '' AND excluded.first_name IS NOT NULL)
    OR (coalesce(contacts.last_name, '') = '' AND excluded.last_name IS NOT NULL)
    OR (coalesce(contacts.license_plate, '') = '' AND excluded.license_plate IS NOT NULL);

  UPDATE organizations SET clock_at = (SELECT s.updated_at FROM form_submissions AS s
    WHERE s.organization_id = NEW.organization_id AND s.submission_id = NEW.submission_id)
  WHERE organization_id = NEW.organization_id;
END;
