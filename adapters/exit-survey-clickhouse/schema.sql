-- The table of exit-survey events, for the default values of CLICKHOUSE_DATABASE and CLICKHOUSE_TABLE.

-- An event may be written twice. Rows with the same organization, instant and event id are one event, and the row
-- received last counts. The sorting key matches the query: one organization, a range of time.
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

-- The user of CLICKHOUSE_USER: it can read these columns, cannot change settings, and its queries have a time limit.
CREATE USER IF NOT EXISTS tenant_data_api IDENTIFIED WITH sha256_password BY 'replace me'
  SETTINGS readonly = 1, max_execution_time = 4, max_result_rows = 100000;
GRANT SELECT(organization_id, event_id, reason_code, occurred_at, received_at) ON default.exit_survey_events TO tenant_data_api;
