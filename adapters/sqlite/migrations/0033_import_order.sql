-- The imports of an organization are listed in pages, the latest first.
CREATE INDEX import_sessions_opened ON import_sessions (organization_id, opened_at, import_id);
