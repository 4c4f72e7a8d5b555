-- The addresses of other systems that an organization tells of what happens in it.
--   events          their words, as JSON: domain/record/resource.ts says which there are
--   form_ids        of submissions only those of these forms, as a JSON array; null: of all
--   off_reason      why the service itself switched it off; null: it is on, or somebody switched it off
--   failing_since   when it failed for the first time since it last succeeded; null: it has not failed since
--   secret          what signs its deliveries, encrypted; null: it was restored, and has none yet
--   previous_secret what signs besides until `previous_until`
--   version         grows with each change that a person makes
CREATE TABLE webhooks (
  organization_id TEXT NOT NULL,
  webhook_id TEXT NOT NULL,
  url TEXT NOT NULL,
  events TEXT NOT NULL,
  form_ids TEXT,
  description TEXT NOT NULL,
  is_on INTEGER NOT NULL DEFAULT 0,
  off_reason TEXT,
  failing_since TEXT,
  secret TEXT,
  previous_secret TEXT,
  previous_until TEXT,
  created_at TEXT NOT NULL,
  version INTEGER NOT NULL DEFAULT 1,
  PRIMARY KEY (organization_id, webhook_id)
) STRICT, WITHOUT ROWID;

-- Deliveries that were tried, without what was delivered. What was not tried yet is in the outbox under the same id.
--   subject_id  the id of the row that the event tells of
--   at          when that happened
--   answers     the latest answers, oldest first: a JSON array of [at, status, duration in ms, text, reason]
--   changed_at  by the clock of whoever delivers
CREATE TABLE webhook_deliveries (
  organization_id TEXT NOT NULL,
  delivery_id TEXT NOT NULL,
  webhook_id TEXT NOT NULL,
  event TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  at TEXT NOT NULL,
  status TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  answers TEXT NOT NULL,
  changed_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, delivery_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX webhook_deliveries_at ON webhook_deliveries (organization_id, webhook_id, at, delivery_id);

CREATE INDEX webhook_deliveries_undelivered ON webhook_deliveries (organization_id, webhook_id, at, delivery_id)
  WHERE status <> 'delivered';

CREATE INDEX webhook_deliveries_expiry ON webhook_deliveries (expires_at);
