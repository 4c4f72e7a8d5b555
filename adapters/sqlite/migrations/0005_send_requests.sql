-- The requests to send that carried an idempotency key, by a hash of the key and its endpoint. The empty organization
-- stands for the operator's own. Neither the key nor the body is kept, and results are those of the sends.
--   send_prefix  what the ids of its sends begin with, before `_` and their number
--   holder       the request that may hand messages over: the first one, or the one that took over when it was cut off
--   released     sends with a lower number may have been handed over, all others were certainly not
--   busy_until   when another request may take over, unless all outcomes are recorded: then is_ended is 1
CREATE TABLE send_requests (
  organization_id TEXT NOT NULL,
  request_key TEXT NOT NULL,
  body_hash TEXT NOT NULL,
  send_prefix TEXT NOT NULL,
  holder TEXT NOT NULL,
  released INTEGER NOT NULL,
  busy_until TEXT NOT NULL,
  is_ended INTEGER NOT NULL DEFAULT 0,
  expires_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, request_key)
) STRICT, WITHOUT ROWID;

CREATE INDEX send_requests_expiry ON send_requests (expires_at);
