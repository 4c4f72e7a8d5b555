-- How the file of an import is to be read and what becomes of it, and the rows of it that are empty.
ALTER TABLE import_sessions ADD COLUMN is_dry_run INTEGER NOT NULL DEFAULT 0;
-- The fields of columns by the names of the columns, as a JSON object.
ALTER TABLE import_sessions ADD COLUMN mapping TEXT NOT NULL DEFAULT '{}';
ALTER TABLE import_sessions ADD COLUMN skipped_rows INTEGER NOT NULL DEFAULT 0;
