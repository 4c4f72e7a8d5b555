-- What happens after a receipt: the outbox as a ledger of work, automations and their runs, lists, and what was sent.

-- Tells one worker's hold on an entry from another's. While it holds, next_attempt_at is the end of the hold, so that
-- an entry whose worker died is found as any other that is due.
ALTER TABLE outbox ADD COLUMN lease_token TEXT;

-- The one index of the service that starts with no organization: the sweep asks what is due, whoever owns it, and an
-- index that starts with the organization would make it walk through all of them every minute. It holds only what is
-- still to be tried, and entries that are done are deleted, so it stays small.
DROP INDEX outbox_pending;
CREATE INDEX outbox_due ON outbox (next_attempt_at, organization_id, outbox_id) WHERE status = 'pending';

-- The triggers of this file keep the counts true whoever writes the rows, an import or a
-- job, at the price of one row per row written; counting when a list is read would cost the rows it counts.
CREATE TABLE automations (
  organization_id TEXT NOT NULL,
  automation_id TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT,
  status TEXT NOT NULL,
  trigger TEXT NOT NULL,
  step_count INTEGER NOT NULL,
  run_count INTEGER NOT NULL DEFAULT 0,
  last_run_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  steps TEXT NOT NULL,
  trigger_form_id TEXT,
  PRIMARY KEY (organization_id, automation_id)
) STRICT;

CREATE INDEX automations_created_at ON automations (organization_id, created_at, automation_id);
CREATE INDEX automations_updated_at ON automations (organization_id, updated_at, automation_id);
CREATE INDEX automations_status_created_at ON automations (organization_id, status, created_at, automation_id);
CREATE INDEX automations_status_updated_at ON automations (organization_id, status, updated_at, automation_id);
-- Finds what a submission triggers.
CREATE INDEX automations_trigger_form_id_status
  ON automations (organization_id, trigger_form_id, status, automation_id);

CREATE TABLE automation_runs (
  organization_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  automation_id TEXT NOT NULL,
  contact_id TEXT,
  status TEXT NOT NULL,
  current_step INTEGER,
  step_count INTEGER NOT NULL,
  failure_reason TEXT,
  started_at TEXT NOT NULL,
  completed_at TEXT,
  updated_at TEXT NOT NULL,
  steps TEXT,
  PRIMARY KEY (organization_id, run_id)
) STRICT;

CREATE INDEX automation_runs_started_at ON automation_runs (organization_id, started_at, run_id);
CREATE INDEX automation_runs_updated_at ON automation_runs (organization_id, updated_at, run_id);
CREATE INDEX automation_runs_automation_id_started_at
  ON automation_runs (organization_id, automation_id, started_at, run_id);
CREATE INDEX automation_runs_automation_id_updated_at
  ON automation_runs (organization_id, automation_id, updated_at, run_id);
CREATE INDEX automation_runs_status_started_at ON automation_runs (organization_id, status, started_at, run_id);
CREATE INDEX automation_runs_status_updated_at ON automation_runs (organization_id, status, updated_at, run_id);
CREATE INDEX automation_runs_contact_id_started_at
  ON automation_runs (organization_id, contact_id, started_at, run_id);
CREATE INDEX automation_runs_contact_id_updated_at
  ON automation_runs (organization_id, contact_id, updated_at, run_id);
CREATE INDEX automation_runs_automation_id_status_started_at
  ON automation_runs (organization_id, automation_id, status, started_at, run_id);
CREATE INDEX automation_runs_automation_id_status_updated_at
  ON automation_runs (organization_id, automation_id, status, updated_at, run_id);
CREATE INDEX automation_runs_automation_id_contact_id_started_at
  ON automation_runs (organization_id, automation_id, contact_id, started_at, run_id);
CREATE INDEX automation_runs_automation_id_contact_id_updated_at
  ON automation_runs (organization_id, automation_id, contact_id, updated_at, run_id);

CREATE TRIGGER automation_runs_counted AFTER INSERT ON automation_runs
BEGIN
  UPDATE automations SET run_count = run_count + 1,
    last_run_at = max(coalesce(last_run_at, ''), NEW.started_at), updated_at = NEW.updated_at
  WHERE organization_id = NEW.organization_id AND automation_id = NEW.automation_id;
END;

-- Moving a run to another automation or time is rare, so both are counted afresh.
CREATE TRIGGER automation_runs_recounted AFTER UPDATE OF automation_id, started_at ON automation_runs
WHEN OLD.automation_id <> NEW.automation_id OR OLD.started_at <> NEW.started_at
BEGIN
  UPDATE automations SET
    run_count = (SELECT count(*) FROM automation_runs AS r
      WHERE r.organization_id = automations.organization_id AND r.automation_id = automations.automation_id),
    last_run_at = (SELECT max(r.started_at) FROM automation_runs AS r
      WHERE r.organization_id = automations.organization_id AND r.automation_id = automations.automation_id),
    updated_at = NEW.updated_at
  WHERE organization_id = NEW.organization_id AND automation_id IN (OLD.automation_id, NEW.automation_id);
END;

-- Runs may be imported before their automation.
CREATE TRIGGER automations_counted AFTER INSERT ON automations
WHEN EXISTS (SELECT 1 FROM automation_runs AS r
  WHERE r.organization_id = NEW.organization_id AND r.automation_id = NEW.automation_id)
BEGIN
  UPDATE automations SET
    run_count = (SELECT count(*) FROM automation_runs AS r
      WHERE r.organization_id = NEW.organization_id AND r.automation_id = NEW.automation_id),
    last_run_at = (SELECT max(r.started_at) FROM automation_runs AS r
      WHERE r.organization_id = NEW.organization_id AND r.automation_id = NEW.automation_id)
  WHERE organization_id = NEW.organization_id AND automation_id = NEW.automation_id;
END;

CREATE TABLE contact_lists (
  organization_id TEXT NOT NULL,
  list_id TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT,
  type TEXT NOT NULL,
  contact_count INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, list_id)
) STRICT;

CREATE INDEX contact_lists_created_at ON contact_lists (organization_id, created_at, list_id);
CREATE INDEX contact_lists_updated_at ON contact_lists (organization_id, updated_at, list_id);
CREATE INDEX contact_lists_type_created_at ON contact_lists (organization_id, type, created_at, list_id);
CREATE INDEX contact_lists_type_updated_at ON contact_lists (organization_id, type, updated_at, list_id);

CREATE TABLE list_members (
  organization_id TEXT NOT NULL,
  list_id TEXT NOT NULL,
  contact_id TEXT NOT NULL,
  added_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, list_id, contact_id)
) STRICT;

CREATE INDEX list_members_list_id_added_at ON list_members (organization_id, list_id, added_at, contact_id);

CREATE TRIGGER list_members_counted AFTER INSERT ON list_members
BEGIN
  UPDATE contact_lists SET contact_count = contact_count + 1, updated_at = NEW.updated_at
  WHERE organization_id = NEW.organization_id AND list_id = NEW.list_id;
END;

CREATE TRIGGER contact_lists_counted AFTER INSERT ON contact_lists
WHEN EXISTS (SELECT 1 FROM list_members AS m
  WHERE m.organization_id = NEW.organization_id AND m.list_id = NEW.list_id)
BEGIN
  UPDATE contact_lists SET contact_count = (SELECT count(*) FROM list_members AS m
    WHERE m.organization_id = NEW.organization_id AND m.list_id = NEW.list_id)
  WHERE organization_id = NEW.organization_id AND list_id = NEW.list_id;
END;

-- What was sent to whom. The empty organization stands for the operator's own sends.
CREATE TABLE sends (
  organization_id TEXT NOT NULL,
  send_id TEXT NOT NULL,
  channel TEXT NOT NULL,
  sender TEXT NOT NULL,
  recipient TEXT NOT NULL,
  provider_id TEXT,
  outcome TEXT NOT NULL,
  error TEXT,
  at TEXT NOT NULL,
  PRIMARY KEY (organization_id, send_id)
) STRICT;

CREATE INDEX sends_at ON sends (organization_id, at, send_id);
