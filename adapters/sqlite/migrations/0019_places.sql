-- Where families live that have a database of their own, and the names that their organizations hold. Only the shared
-- database uses these tables. In the database of a family they are empty.

CREATE TABLE families (
  family_id TEXT NOT NULL PRIMARY KEY,
  -- 'own': in a database of its own; 'shared': in this one again, after a move.
  place TEXT NOT NULL,
  -- Counts the databases that the family has had, so that each has a name that no other one had.
  generation INTEGER NOT NULL,
  region TEXT,
  jurisdiction TEXT,
  -- When its database is to be asked for work that nobody waits for; null: it has none.
  work_since TEXT,
  -- Counts the notes of work, so that whoever looked at the database knows whether more came meanwhile.
  work_notes INTEGER NOT NULL DEFAULT 0,
  -- 1: when it was last asked, it had no work.
  was_idle INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX families_work_since ON families (work_since, family_id) WHERE work_since IS NOT NULL;

-- An organization that is named here is not in this database, whatever rows of it are left.
CREATE TABLE placed_organizations (
  organization_id TEXT NOT NULL PRIMARY KEY,
  family_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX placed_organizations_family ON placed_organizations (family_id, organization_id);

CREATE TABLE placed_slugs (
  slug TEXT NOT NULL PRIMARY KEY,
  organization_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX placed_slugs_organization ON placed_slugs (organization_id, slug);

CREATE TABLE placed_keys (
  key_id TEXT NOT NULL PRIMARY KEY,
  organization_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX placed_keys_organization ON placed_keys (organization_id, key_id);

CREATE TABLE placed_forms (
  form_id TEXT NOT NULL PRIMARY KEY,
  organization_id TEXT NOT NULL,
  -- Until the form is stored: since when its id is reserved.
  reserved_at TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX placed_forms_organization ON placed_forms (organization_id, form_id);

-- Organizations of this database whose writes are paused, because their family is about to be moved. A pause that has
-- passed is removed by the first write after it, so a move that still finds its pause knows that nothing was written.
CREATE TABLE write_pauses (
  organization_id TEXT NOT NULL PRIMARY KEY,
  token TEXT NOT NULL,
  until TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- A submission is one statement, so this trigger refuses it where other writes have a statement of their own before them.
CREATE TRIGGER incoming_submissions_guarded INSTEAD OF INSERT ON incoming_submissions
WHEN EXISTS (SELECT 1 FROM placed_organizations AS p WHERE p.organization_id = NEW.organization_id)
  OR EXISTS (SELECT 1 FROM write_pauses AS w WHERE w.organization_id = NEW.organization_id)
BEGIN
  SELECT RAISE(ABORT, 'placement: elsewhere')
  WHERE EXISTS (SELECT 1 FROM placed_organizations AS p WHERE p.organization_id = NEW.organization_id);

  DELETE FROM write_pauses WHERE organization_id = NEW.organization_id AND until <= NEW.due_at;

  SELECT RAISE(ABORT, 'placement: paused')
  WHERE EXISTS (SELECT 1 FROM write_pauses AS w WHERE w.organization_id = NEW.organization_id);
END;

-- Takes no rows. A batch that writes inserts into it first what must not be: see adapters/sqlite/placement/guard.ts.
CREATE VIEW refused_writes (organization_id, now) AS SELECT NULL, NULL WHERE false;

CREATE TRIGGER refused_writes_raised INSTEAD OF INSERT ON refused_writes
BEGIN
  SELECT RAISE(ABORT, 'placement: elsewhere')
  WHERE EXISTS (SELECT 1 FROM placed_organizations AS p WHERE p.organization_id = NEW.organization_id);

  DELETE FROM write_pauses WHERE organization_id = NEW.organization_id AND until <= NEW.now;

  SELECT RAISE(ABORT, 'placement: paused')
  WHERE EXISTS (SELECT 1 FROM write_pauses AS w WHERE w.organization_id = NEW.organization_id);
END;
