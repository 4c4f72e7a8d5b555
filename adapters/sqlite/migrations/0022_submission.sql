-- A submission is saved by an insert into another view than that of 0013, whose trigger calls no function. SQLite keeps a
-- journal of its own for each statement that writes by triggers and might fail in the middle, as one may that calls a
-- function, or has to undo its own writes. Here it copied every page of every index before the page was changed, which took
-- a third of the time. The executor undoes a whole batch when a statement fails, so the statement need not undo itself:
-- `INSERT OR FAIL`, and RAISE(FAIL). The clock needs functions, so it is moved by a statement before this one. Triggers of
-- the tables that are written here inherit OR FAIL: an INSERT OR IGNORE in one would fail, where ON CONFLICT DO NOTHING holds.
--
-- The columns mean what they mean in 0013, apart from these:
--   saved_at  the organization's clock, after it was moved
--   outbox    the work that follows: a JSON object of payloads, as texts, by id, in an object by kind; null: none
-- The view of 0013 and its triggers stay for a Worker that was built before this migration.

CREATE VIEW accepted_submissions (organization_id, submission_id, form_id, form_version, limit_per_contact, contact_id,
  new_contact_id, email, email_key, phone, first_name, last_name, license_plate, source, attribution, answers,
  submitted_at, saved_at, due_at, outbox) AS
  SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    NULL, NULL
  WHERE false;

-- As in 0013: nothing is saved when the form is no longer as the answers were checked against it, when the submission was
-- saved before, or when the contact has submitted the form as often as it allows.
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

  -- The empty attributes of a contact that matched are filled. A match with nothing to fill is not touched.
  UPDATE contacts SET
    first_name = coalesce(iif(first_name = '', NULL, first_name), NEW.first_name, first_name),
    last_name = coalesce(iif(last_name = '', NULL, last_name), NEW.last_name, last_name),
    license_plate = coalesce(iif(license_plate = '', NULL, license_plate), NEW.license_plate, license_plate),
    email = coalesce(email, NEW.email), email_key = coalesce(email_key, NEW.email_key),
    phone = coalesce(phone, NEW.phone), updated_at = NEW.saved_at
  WHERE organization_id = NEW.organization_id AND contact_id = NEW.contact_id
    AND ((NEW.first_name IS NOT NULL AND coalesce(first_name, '') = '')
      OR (NEW.last_name IS NOT NULL AND coalesce(last_name, '') = '')
      OR (NEW.license_plate IS NOT NULL AND coalesce(license_plate, '') = '')
      OR (NEW.email IS NOT NULL AND email IS NULL)
      OR (NEW.phone IS NOT NULL AND phone IS NULL));
END;

-- As in 0019: a submission of an organization that lives elsewhere, or whose writes are paused, is refused. That undoes
-- the whole batch, the moved clock included.
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
