-- Whoever submits a form chooses the email or phone that fills an empty attribute of a contact. A consent `subscribed` for
-- that channel was given for no such address, so it becomes `unknown`, in the write that fills the attribute.
-- `unsubscribed` stays. Apart from that, the triggers are those of 0022, and so is the order in which they are created.
DROP TRIGGER accepted_submissions_saved;
DROP TRIGGER accepted_submissions_guarded;

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
