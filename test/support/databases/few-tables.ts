import { DatabaseSync } from 'node:sqlite'
import { splitStatements } from '../../../adapters/sqlite/index.ts'
import type { Migration } from '../../../adapters/sqlite/migration.ts'
import { migrations } from '../../../adapters/sqlite/schema/actual.ts'

/** The tables, with their indexes, that are enough for everything that moves do. Moving few tables takes little time. */
const TABLES = [
  'organizations api_keys operator_keys people sessions outbox sends send_requests retention import_sessions import_keys',
  'sites contacts forms form_submissions form_signs removals restores webhooks webhook_deliveries',
  'families placed_organizations placed_slugs placed_keys placed_forms write_pauses refused_writes',
  'moves move_organizations move_journal move_targets move_guards',
]
  .join(' ')
  .split(' ')
/** A trigger that changes rows as those of tallies do: at the instant of the row that it counts. */
const TRIGGER = `create trigger contacts_tallied after insert on contacts begin
  update sites set name = name || '!', updated_at = new.updated_at where organization_id = new.organization_id; end;`
const TRIGGERS = /^(?:create|drop) trigger (?:refused_writes_raised|contacts_removed)\b/i

/**
 * What a statement is about: the table or view that it creates or alters, on which it creates an index or a trigger, or
 * with whose name that of an index begins which it drops.
 */
const ABOUT =
  /^(?:alter table|create (?:table|view)|create (?:unique )?(?:index|trigger) \w+ (?:[\w ]+ )?on) (?<table>\w+)/i

function isOfFewTables(statement: string): boolean {
  const { table = '' } = ABOUT.exec(statement.replaceAll(/\s+/g, ' '))?.groups ?? {}
  if (/^(?:create|drop) trigger/i.test(statement)) return TRIGGERS.test(statement)
  const [, dropped] = /^drop index (?:if exists )?(\w+)/i.exec(statement) ?? []
  if (dropped !== undefined) return TABLES.some((name) => dropped.startsWith(`${name}_`))
  return TABLES.includes(table)
}

/** The migrations of a database with few tables. */
export const fewTables: readonly Migration[] = [
  ...migrations().map(({ name, sql }) => ({
    name,
    sql: splitStatements(sql).filter(isOfFewTables).join('\n'),
  })),
  { name: '9999', sql: TRIGGER },
]

/** Such a database without rows. */
export function fewTablesImage(): Uint8Array {
  const database = new DatabaseSync(':memory:')
  for (const { sql } of fewTables) database.exec(sql)
  return database.serialize()
}
