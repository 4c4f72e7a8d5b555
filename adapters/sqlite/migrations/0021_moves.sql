-- Moves of families from one database to another. The shared database holds the record of each move; what belongs to one
-- side of a move lies in the database of that side, so that it is written in one step with the rows that it is about.

-- Every move, ended ones too. Only the shared database uses this table.
CREATE TABLE moves (
  move_id TEXT NOT NULL PRIMARY KEY,
  family_id TEXT NOT NULL,
  -- Places, as JSON.
  source TEXT NOT NULL,
  target TEXT NOT NULL,
  phase TEXT NOT NULL,
  -- Names the present try to switch; null: there is none.
  token TEXT,
  -- Names the journal of the source; null until it has begun.
  journal_id TEXT,
  -- The tables that move, as JSON; null until they are known.
  "tables" TEXT,
  -- How far the move is, as JSON, for whoever watches it.
  shown TEXT,
  -- Tries to switch that were given back, and when the next one may begin.
  tries INTEGER NOT NULL DEFAULT 0,
  not_before TEXT,
  abort_asked INTEGER NOT NULL DEFAULT 0,
  failure TEXT,
  -- Who works on it, and until when nobody else does.
  mover TEXT,
  leased_until TEXT,
  started_at TEXT NOT NULL,
  ended_at TEXT
) STRICT;

-- A family makes one move at a time.
CREATE UNIQUE INDEX moves_running ON moves (family_id) WHERE ended_at IS NULL;
CREATE INDEX moves_family ON moves (family_id, started_at, move_id);

-- The organizations whose rows move, on both sides. The id is that of the journal on the side of the source.
CREATE TABLE move_organizations (
  move_id TEXT NOT NULL,
  organization_id TEXT NOT NULL,
  PRIMARY KEY (move_id, organization_id)
) STRICT, WITHOUT ROWID;

-- On the side of the source: rows that were written since a move began, as JSON arrays of their keys. Triggers write it
-- that exist as long as the move. No number is used twice, so forgetting up to a number never forgets a later entry.
CREATE TABLE move_journal (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  journal_id TEXT NOT NULL,
  table_name TEXT NOT NULL,
  key TEXT NOT NULL
) STRICT;

CREATE INDEX move_journal_seq ON move_journal (journal_id, seq);

-- On the side of the target: how far it is filled. Whoever fills it names the version that it has read, so that of two
-- who fill it at once only one goes on.
CREATE TABLE move_targets (
  move_id TEXT NOT NULL PRIMARY KEY,
  version INTEGER NOT NULL,
  -- JSON of domain/placement/move.
  progress TEXT NOT NULL,
  -- The try to switch for which filling has ended; null: it goes on.
  finished_by TEXT
) STRICT;

-- Never has rows. A batch inserts what must not be, and fails with the name of the check.
CREATE TABLE move_guards (
  broken TEXT NOT NULL CONSTRAINT move_is_current CHECK (broken <> 'version')
    CONSTRAINT move_knows_triggers CHECK (broken <> 'triggers')
) STRICT;
