-- The exit survey in ClickHouse, for CLICKHOUSE_DATABASE and CLICKHOUSE_TABLE as they are when nothing else is said.

-- Whoever writes events may deliver one twice: rows of one organization, instant and event id are one event, and the one
-- received last counts. The order is that of the question: an organization, then a range of time.
CREATE TABLE IF NOT EXISTS default.exit_survey_events
(
  organization_id String,
  event_id String,
  membership_id Nullable(String),
  reason_code LowCardinality(String),
  comment Nullable(String),
  occurred_at DateTime64(3, 'UTC'),
  received_at DateTime64(3, 'UTC') DEFAULT now64(3)
)
ENGINE = ReplacingMergeTree(received_at)
PARTITION BY toYYYYMM(occurred_at)
ORDER BY (organization_id, occurred_at, event_id);

-- The user of CLICKHOUSE_USER: it reads three columns, changes no setting, and no query of its runs for long.
CREATE USER IF NOT EXISTS tenant_data_api IDENTIFIED WITH sha256_password BY 'replace me'
  SETTINGS readonly = 1, max_execution_time = 4, max_result_rows = 100000;
GRANT SELECT(organization_id, event_id, reason_code, occurred_at, received_at) ON default.exit_survey_events TO tenant_data_api;
