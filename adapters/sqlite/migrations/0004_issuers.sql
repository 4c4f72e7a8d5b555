-- Which operator key issued a key of an organization or of the platform. Keys from before, and those that an earlier
-- version of the service still issues, are of an issuer that nobody recorded.
ALTER TABLE api_keys ADD COLUMN issued_by TEXT DEFAULT 'unknown';
CREATE INDEX api_keys_issued_by ON api_keys (issued_by, organization_id);

-- When all that descends from an operator key was ended. A key that it issued, and that comes back in an archive, stays
-- ended.
ALTER TABLE operator_keys ADD COLUMN descent_ended_at TEXT;

-- Which operator key issued a key of a family with a database of its own, until that key was ended with its issuer.
ALTER TABLE placed_keys ADD COLUMN issued_by TEXT;
CREATE INDEX placed_keys_issued_by ON placed_keys (issued_by, organization_id);
