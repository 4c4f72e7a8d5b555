-- Which operator key issued a key; null: the holder of the root secret did. Of the keys that other keys issued before,
-- and of those that an earlier version of the service still adds, nobody knows.
ALTER TABLE operator_keys ADD COLUMN issued_by TEXT DEFAULT 'unknown';
UPDATE operator_keys SET issued_by = NULL WHERE proof IS NOT NULL;
CREATE INDEX operator_keys_issued_by ON operator_keys (issued_by);

-- What a change was about, as JSON. Earlier records do not say.
ALTER TABLE audit ADD COLUMN subject TEXT;

-- Lists of records are narrowed by the key, the action or the organization, or by two of them.
CREATE INDEX audit_of_key ON audit (operator_key_id, at, audit_id);
CREATE INDEX audit_of_action ON audit (action, at, audit_id);
CREATE INDEX audit_of_organization_and_key ON audit (organization_id, operator_key_id, at, audit_id);
CREATE INDEX audit_of_organization_and_action ON audit (organization_id, action, at, audit_id);
CREATE INDEX audit_of_key_and_action ON audit (operator_key_id, action, at, audit_id);
