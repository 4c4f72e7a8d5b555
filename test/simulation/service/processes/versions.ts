import { migrationTexts } from '../../../../adapters/durable-object/object/migration-texts.ts'
import type { Migration } from '../../../../adapters/sqlite/migration.ts'

/** A version of the service: its migrations, and the text of its statements. */
export interface Version {
  readonly name: 'present' | 'next'
  readonly migrations: readonly Migration[]
  /** Returns this version's form of a statement of the present version. */
  readonly statement: (sql: string) => string
}

/**
 * The migration of the next version: a column, an index that its statements name, and a table that is filled from the
 * existing rows and then by a trigger.
 */
export const nextMigration: Migration = {
  name: '9999_next.sql',
  sql: `
    ALTER TABLE contacts ADD COLUMN nickname TEXT;
    CREATE TABLE contact_greetings (
      organization_id TEXT NOT NULL,
      contact_id TEXT NOT NULL,
      greeting TEXT NOT NULL,
      PRIMARY KEY (organization_id, contact_id)
    ) STRICT, WITHOUT ROWID;
    CREATE TRIGGER contacts_greeted AFTER INSERT ON contacts BEGIN
      INSERT INTO contact_greetings (organization_id, contact_id, greeting)
      VALUES (NEW.organization_id, NEW.contact_id, 'Hello') ON CONFLICT (organization_id, contact_id) DO NOTHING;
    END;
    INSERT INTO contact_greetings (organization_id, contact_id, greeting)
    SELECT organization_id, contact_id, 'Hello' FROM contacts;
    CREATE INDEX contacts_updated_again ON contacts (organization_id, updated_at, contact_id);`,
}

const present = migrationTexts()

export const presentVersion: Version = { name: 'present', migrations: present, statement: (sql) => sql }

export const nextVersion: Version = {
  name: 'next',
  migrations: [...present, nextMigration],
  statement: (sql) =>
    sql.replaceAll('indexed by "contacts_updated_at"', 'indexed by "contacts_updated_again"'),
}
