-- What an operator may say of a key: what it is called, what it may be used for, when it ends and how many requests a
-- minute it has; the hour in which it was last used, and the key that replaced it. Keys that exist may do everything,
-- as they could before, and have no end.
ALTER TABLE api_keys ADD COLUMN label TEXT;
ALTER TABLE api_keys ADD COLUMN scope TEXT NOT NULL DEFAULT 'all';
ALTER TABLE api_keys ADD COLUMN expires_at TEXT;
ALTER TABLE api_keys ADD COLUMN rate_per_minute INTEGER;
ALTER TABLE api_keys ADD COLUMN last_used_at TEXT;
ALTER TABLE api_keys ADD COLUMN successor_id TEXT;
