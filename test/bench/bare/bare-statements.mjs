/**
 * The statements that both bare workers run: the reads and the insert of the measured requests. The inserted row names
 * a contact, as the service's row does, so it enters all indexes of its table.
 */
export const LIST = `SELECT contact_id, first_name, last_name, email, phone, license_plate, tags, email_consent, sms_consent,
  source, site_id, created_at, updated_at
  FROM contacts WHERE organization_id = ? ORDER BY created_at DESC, contact_id DESC LIMIT 101`
export const DETAIL = `SELECT contact_id, first_name, last_name, email, phone, license_plate, tags, email_consent, sms_consent,
  source, site_id, created_at, updated_at
  FROM contacts WHERE organization_id = ? AND contact_id = ?`
export const INSERT = `INSERT INTO form_submissions
  (organization_id, submission_id, form_id, contact_id, answers, attribution, source, submitted_at, updated_at)
  VALUES (?, ?, ?, 'contact', ?, '{}', 'headless', ?, ?)`
