-- An import is a session: the rows of a file are staged here, beside the data that they will join, and are written from
-- here after the whole file was checked. All of it is gone a day after the import ended.
CREATE TABLE import_sessions (
  organization_id TEXT NOT NULL,
  import_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  format TEXT NOT NULL,
  total_bytes INTEGER NOT NULL,
  digest TEXT NOT NULL,
  -- The fields of a staged row in order, as a JSON array: another version of the service may write what this one staged.
  -- Null: rows are staged as JSON objects.
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
  PRIMARY KEY (organization_id, import_id)
) STRICT;

-- At most one import of a kind at a time: two never mix.
CREATE UNIQUE INDEX import_sessions_open ON import_sessions (organization_id, kind)
  WHERE state IN ('receiving', 'writing');
CREATE INDEX import_sessions_state ON import_sessions (state, touched_at);

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
