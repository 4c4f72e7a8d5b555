-- The outbox holds only what is still to be done, so an organization's few entries are listed without an index.
DROP INDEX outbox_created;

-- A submission is saved by one insert into a view, whose trigger writes the submission and everything that belongs to it.
-- One statement replaces four, each of which was sent, prepared and answered by itself. The view holds no rows. Its
-- columns are what a submission is saved from, besides columns of form_submissions and contacts:
--   form_version       the version of the form that the answers were checked against
--   limit_per_contact  most submissions of the form by one contact; null: no limit
--   contact_id         the contact that matched, or new_contact_id; null: the submission names nobody
--   email, email_key, phone  null where a contact has that email or phone already
--   saved_at           the instant after every other write of the organization
--   due_at             when the work that follows may begin
--   outbox             that work, as a JSON array of [id, kind, payload]; null: none
--   changes_before     total_changes() before the insert; when it is the same afterwards, nothing was saved

CREATE VIEW incoming_submissions (organization_id, submission_id, form_id, form_version, limit_per_contact, contact_id,
  new_contact_id, email, email_key, phone, first_name, last_name, license_plate, source, attribution, answers,
  submitted_at, saved_at, due_at, outbox, changes_before) AS
  SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    NULL, NULL, NULL
  WHERE false;

-- Nothing is saved when the form is no longer as the answers were checked against it, when the submission was saved before,
-- or when the contact has submitted the form as often as it allows, which is counted at most as far as that.
CREATE TRIGGER incoming_submissions_saved INSTEAD OF INSERT ON incoming_submissions
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

  UPDATE organizations SET clock_at = NEW.saved_at WHERE organization_id = NEW.organization_id;

  INSERT INTO outbox (organization_id, outbox_id, submission_id, kind, payload, next_attempt_at, created_at, updated_at)
  SELECT NEW.organization_id, entry.value ->> 0, NEW.submission_id, entry.value ->> 1, entry.value ->> 2,
    NEW.due_at, NEW.due_at, NEW.due_at
  FROM json_each(NEW.outbox) AS entry WHERE true
  ON CONFLICT (organization_id, outbox_id) DO NOTHING;

  -- A run of each automation that the form triggers at this very moment.
  INSERT INTO outbox (organization_id, outbox_id, submission_id, kind, payload, next_attempt_at, created_at, updated_at)
  SELECT NEW.organization_id, 'run_' || NEW.submission_id || '_' || row_number() OVER (ORDER BY a.automation_id),
    NEW.submission_id, 'automation_run', json_object('automationId', a.automation_id),
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
    first_name = coalesce(nullif(first_name, ''), NEW.first_name, first_name),
    last_name = coalesce(nullif(last_name, ''), NEW.last_name, last_name),
    license_plate = coalesce(nullif(license_plate, ''), NEW.license_plate, license_plate),
    email = coalesce(email, NEW.email), email_key = coalesce(email_key, NEW.email_key),
    phone = coalesce(phone, NEW.phone), updated_at = NEW.saved_at
  WHERE organization_id = NEW.organization_id AND contact_id = NEW.contact_id
    AND ((NEW.first_name IS NOT NULL AND coalesce(first_name, '') = '')
      OR (NEW.last_name IS NOT NULL AND coalesce(last_name, '') = '')
      OR (NEW.license_plate IS NOT NULL AND coalesce(license_plate, '') = '')
      OR (NEW.email IS NOT NULL AND email IS NULL)
      OR (NEW.phone IS NOT NULL AND phone IS NULL));
END;
