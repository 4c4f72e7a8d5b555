-- Automations write to whom strangers name, so their messages are bounded: for each recipient within 24 hours, and for each
-- organization within an hour.

-- The bound of an organization.
ALTER TABLE organizations ADD COLUMN automation_hourly INTEGER NOT NULL DEFAULT 500;

-- Since when an entry has been waiting for a message to be within the bounds; null: it does not wait for that.
ALTER TABLE outbox ADD COLUMN waiting_since TEXT;

-- What the operator who imports a file should know of it, as a JSON array of sentences.
ALTER TABLE import_sessions ADD COLUMN warnings TEXT NOT NULL DEFAULT '[]';

-- The messages of the last day, and those that wait:
--   at           when the message was admitted; while it waits, when it may ask again
--   waits_until  until when it may wait, which is later for messages that began to wait later
--   is_sent      whether it was admitted
--   is_counted   whether it counts for its organization: 0 while it waits for the bound of its recipient
CREATE TABLE automation_messages (
  organization_id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  recipient TEXT NOT NULL,
  at TEXT NOT NULL,
  waits_until TEXT NOT NULL,
  is_sent INTEGER NOT NULL,
  is_counted INTEGER NOT NULL,
  PRIMARY KEY (organization_id, message_id)
) STRICT;
CREATE INDEX automation_messages_recipient
  ON automation_messages (organization_id, recipient, at, message_id, waits_until, is_sent);
CREATE INDEX automation_messages_at ON automation_messages (organization_id, is_counted, at, message_id, waits_until, is_sent);
