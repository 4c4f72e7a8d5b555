-- What else is known of a contact, as a JSON object of texts.
ALTER TABLE contacts ADD COLUMN attributes TEXT NOT NULL DEFAULT '{}';

-- How columns that are no field are read, and whether all problems are listed.
ALTER TABLE import_sessions ADD COLUMN takes_attributes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE import_sessions ADD COLUMN lists_problems INTEGER NOT NULL DEFAULT 0;
-- Whether rows are matched to contacts when they are written: 0 no, 1 by their ids, 2 by email and phone too.
ALTER TABLE import_sessions ADD COLUMN matching INTEGER NOT NULL DEFAULT 0;
ALTER TABLE import_sessions ADD COLUMN new_rows INTEGER NOT NULL DEFAULT 0;
ALTER TABLE import_sessions ADD COLUMN merged_rows INTEGER NOT NULL DEFAULT 0;

-- The contacts that an import which matches has met, so that it counts each once: 0 unchanged, 1 changed, 2 new. Those to
-- which it gave their ids are not here.
CREATE TABLE import_contacts (
  organization_id TEXT NOT NULL,
  import_id TEXT NOT NULL,
  contact_id TEXT NOT NULL,
  touch INTEGER NOT NULL,
  PRIMARY KEY (organization_id, import_id, contact_id)
) STRICT, WITHOUT ROWID;
