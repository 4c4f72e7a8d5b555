-- What visitors typed where their answers do not say all of it, as JSON of field id to text: see domain/resources/form-submissions.ts.
ALTER TABLE form_submissions ADD COLUMN typed TEXT;

-- What forms were after each save, without their passwords. Of each form the latest 50 are kept. A row never changes.
CREATE TABLE form_versions (
  organization_id TEXT NOT NULL,
  form_id TEXT NOT NULL,
  -- From 1 for each form.
  number INTEGER NOT NULL,
  saved_at TEXT NOT NULL,
  -- The name of who saved it; null: an import, or it was stored before there were versions.
  saved_by TEXT,
  definition TEXT NOT NULL,
  PRIMARY KEY (organization_id, form_id, number)
) STRICT, WITHOUT ROWID;
