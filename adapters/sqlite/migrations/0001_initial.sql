-- A table is a stored collection (dashes become underscores), a column a stored field in snake case.
-- Every table of tenant data is keyed by (organization_id, id), and every index on it starts with the
-- organization. The one exception is the service-wide uniqueness of form ids. Instants are UTC ISO 8601 text with
-- milliseconds.
-- Indexes, per collection: one for the natural order, one for the sync order (updated_at), and for every filter by
-- equality one of each, so that a filtered page is read in its order without sorting. They are named after the
-- table and the columns between organization and id, and the reads name them (INDEXED BY): left to itself, the
-- planner takes a narrower index for a page within a window and tests the filter row by row.

CREATE TABLE organizations (
  organization_id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  slug TEXT,
  parent_id TEXT,
  sms_number TEXT,
  phone_country TEXT NOT NULL,
  pos_kind TEXT,
  pos_tenant TEXT,
  billing_events INTEGER NOT NULL,
  analytics INTEGER NOT NULL,
  retention_offer_analytics INTEGER NOT NULL,
  -- The latest updated_at given out in this organization. Every batch that writes moves it strictly forward.
  clock_at TEXT NOT NULL DEFAULT '0000-01-01T00:00:00.000Z'
) STRICT;

CREATE UNIQUE INDEX organizations_slug ON organizations (slug);

CREATE TABLE api_keys (
  key_id TEXT NOT NULL PRIMARY KEY,
  kind TEXT NOT NULL,
  organization_id TEXT,
  hash TEXT NOT NULL,
  secret_version TEXT NOT NULL,
  created_at TEXT NOT NULL,
  revoked_at TEXT
) STRICT;

CREATE INDEX api_keys_created ON api_keys (organization_id, created_at, key_id);

CREATE TABLE sites (
  organization_id TEXT NOT NULL,
  site_id TEXT NOT NULL,
  name TEXT NOT NULL,
  common_name TEXT,
  site_code TEXT,
  status TEXT NOT NULL,
  phone TEXT,
  email TEXT,
  timezone TEXT NOT NULL,
  address TEXT NOT NULL,
  latitude REAL,
  longitude REAL,
  google_place_id TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, site_id)
) STRICT;

CREATE INDEX sites_created_at ON sites (organization_id, created_at, site_id);
CREATE INDEX sites_updated_at ON sites (organization_id, updated_at, site_id);
CREATE INDEX sites_status_created_at ON sites (organization_id, status, created_at, site_id);
CREATE INDEX sites_status_updated_at ON sites (organization_id, status, updated_at, site_id);
CREATE INDEX sites_site_code_created_at ON sites (organization_id, site_code, created_at, site_id);
CREATE INDEX sites_site_code_updated_at ON sites (organization_id, site_code, updated_at, site_id);

CREATE TABLE contacts (
  organization_id TEXT NOT NULL,
  contact_id TEXT NOT NULL,
  first_name TEXT,
  last_name TEXT,
  email TEXT,
  phone TEXT,
  license_plate TEXT,
  tags TEXT NOT NULL,
  email_consent TEXT NOT NULL,
  sms_consent TEXT NOT NULL,
  source TEXT,
  site_id TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  email_key TEXT,
  PRIMARY KEY (organization_id, contact_id)
) STRICT;

CREATE INDEX contacts_created_at ON contacts (organization_id, created_at, contact_id);
CREATE INDEX contacts_updated_at ON contacts (organization_id, updated_at, contact_id);
-- These two also find the contact that a submission identifies, the oldest first.
CREATE INDEX contacts_email_key_created_at ON contacts (organization_id, email_key, created_at, contact_id);
CREATE INDEX contacts_phone_created_at ON contacts (organization_id, phone, created_at, contact_id);
CREATE INDEX contacts_email_key_updated_at ON contacts (organization_id, email_key, updated_at, contact_id);
CREATE INDEX contacts_phone_updated_at ON contacts (organization_id, phone, updated_at, contact_id);
CREATE INDEX contacts_site_id_created_at ON contacts (organization_id, site_id, created_at, contact_id);
CREATE INDEX contacts_site_id_updated_at ON contacts (organization_id, site_id, updated_at, contact_id);

CREATE TABLE forms (
  organization_id TEXT NOT NULL,
  form_id TEXT NOT NULL,
  name TEXT NOT NULL,
  is_published INTEGER NOT NULL,
  published_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  definition TEXT NOT NULL,
  password_hash TEXT,
  version INTEGER NOT NULL,
  PRIMARY KEY (organization_id, form_id)
) STRICT;

-- A form id is public and says nothing of its organization, so it is unique across the service.
CREATE UNIQUE INDEX forms_form_id ON forms (form_id);
CREATE INDEX forms_created_at ON forms (organization_id, created_at, form_id);
CREATE INDEX forms_updated_at ON forms (organization_id, updated_at, form_id);
CREATE INDEX forms_is_published_created_at ON forms (organization_id, is_published, created_at, form_id);
CREATE INDEX forms_is_published_updated_at ON forms (organization_id, is_published, updated_at, form_id);

CREATE TABLE form_submissions (
  organization_id TEXT NOT NULL,
  submission_id TEXT NOT NULL,
  form_id TEXT NOT NULL,
  contact_id TEXT,
  attribution TEXT NOT NULL,
  source TEXT NOT NULL,
  submitted_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  answers TEXT NOT NULL,
  PRIMARY KEY (organization_id, submission_id)
) STRICT;

CREATE INDEX form_submissions_submitted_at ON form_submissions (organization_id, submitted_at, submission_id);
CREATE INDEX form_submissions_updated_at ON form_submissions (organization_id, updated_at, submission_id);
CREATE INDEX form_submissions_form_id_submitted_at
  ON form_submissions (organization_id, form_id, submitted_at, submission_id);
CREATE INDEX form_submissions_form_id_updated_at
  ON form_submissions (organization_id, form_id, updated_at, submission_id);
CREATE INDEX form_submissions_contact_id_submitted_at
  ON form_submissions (organization_id, contact_id, submitted_at, submission_id);
CREATE INDEX form_submissions_contact_id_updated_at
  ON form_submissions (organization_id, contact_id, updated_at, submission_id);
-- Counts a contact's submissions of a form for the per-contact limit, and serves the nested collection by contact.
CREATE INDEX form_submissions_form_id_contact_id_submitted_at
  ON form_submissions (organization_id, form_id, contact_id, submitted_at, submission_id);
CREATE INDEX form_submissions_form_id_contact_id_updated_at
  ON form_submissions (organization_id, form_id, contact_id, updated_at, submission_id);

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
  PRIMARY KEY (organization_id, outbox_id)
) STRICT;

CREATE INDEX outbox_created ON outbox (organization_id, created_at, outbox_id);
-- Holds only what is still to be done, so a sweep over all organizations reads nothing else.
CREATE INDEX outbox_pending ON outbox (organization_id, next_attempt_at, outbox_id) WHERE status = 'pending';
