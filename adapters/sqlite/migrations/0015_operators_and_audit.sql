-- Keys of operators. They belong to no organization, so nothing of a tenant is read by one.
CREATE TABLE operator_keys (
  key_id TEXT NOT NULL PRIMARY KEY,
  operator TEXT NOT NULL,
  role TEXT NOT NULL,
  hash TEXT NOT NULL,
  secret_version TEXT NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT,
  revoked_at TEXT,
  last_used_at TEXT,
  -- Names the proof of the root secret on which the key was issued, so that no proof is used twice.
  proof TEXT
) STRICT;

CREATE INDEX operator_keys_created ON operator_keys (created_at, key_id);
CREATE UNIQUE INDEX operator_keys_proof ON operator_keys (proof);

-- What operators did, or were refused. Rows are added and never changed.
CREATE TABLE audit (
  audit_id TEXT NOT NULL PRIMARY KEY,
  at TEXT NOT NULL,
  operator_key_id TEXT,
  operator TEXT NOT NULL,
  action TEXT NOT NULL,
  organization_id TEXT,
  outcome TEXT NOT NULL
) STRICT;

CREATE INDEX audit_at ON audit (at, audit_id);
CREATE INDEX audit_of_organization ON audit (organization_id, at, audit_id);
