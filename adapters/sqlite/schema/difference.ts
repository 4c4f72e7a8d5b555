import type { ColumnShape, IndexShape, Schema, TableShape, TriggerShape } from './actual.ts'
import type { serviceTables } from '../statement/database.ts'

/**
 * The statements that bring a database to the schema of the records; empty when nothing is missing. Where no statement
 * can or should do it, there is a comment (`--`) instead: SQLite cannot change a column, and dropping anything would
 * lose its data.
 */
export function difference(expected: Schema, actual: Schema): readonly string[] {
  return [
    ...tables(expected.tables, actual.tables),
    ...indexes(expected, actual),
    ...triggers(expected.triggers, actual.triggers),
  ]
}

function tables(expected: readonly TableShape[], actual: readonly TableShape[]): readonly string[] {
  const found = new Map(actual.map((table) => [table.name, table]))
  const known = new Set([...expected.map(({ name }) => name), ...Object.keys(tablesByHand)])
  return [
    ...expected.flatMap((table) => {
      const there = found.get(table.name)
      return there === undefined ? [createTable(table)] : tableDifference(table, there)
    }),
    ...Object.keys(tablesByHand).flatMap((name) => (found.has(name) ? [] : [`-- ${name} is missing.`])),
    ...actual.flatMap(({ name }) =>
      known.has(name) ? [] : [`-- No record has ${name}: DROP TABLE ${name};`],
    ),
  ]
}

function createTable(table: TableShape): string {
  const lines = [...table.columns.map(columnDefinition), `PRIMARY KEY (${table.key.join(', ')})`]
  return `CREATE TABLE ${table.name} (\n  ${lines.join(',\n  ')}\n) ${kindOf(table)};`
}

function kindOf({ strict, withoutRowid }: TableShape): string {
  return [...(strict ? ['STRICT'] : []), ...(withoutRowid ? ['WITHOUT ROWID'] : [])].join(', ')
}

function columnDefinition({ name, type, notNull, byDefault }: ColumnShape): string {
  return `${name} ${type}${notNull ? ' NOT NULL' : ''}${byDefault === null ? '' : ` DEFAULT ${byDefault}`}`
}

function tableDifference(expected: TableShape, actual: TableShape): readonly string[] {
  const { name } = expected
  const there = new Map(actual.columns.map((column) => [column.name, column]))
  const wanted = new Set(expected.columns.map((column) => column.name))
  return [
    ...expected.columns.flatMap((column) => columnDifference(name, column, there.get(column.name))),
    ...actual.columns
      .filter((column) => !wanted.has(column.name))
      .map(
        (column) =>
          `-- No record has ${name}.${column.name}: ALTER TABLE ${name} DROP COLUMN ${column.name};`,
      ),
    ...(kindOf(expected) === kindOf(actual) ? [] : [`-- ${name} is not ${kindOf(expected)}: make it anew.`]),
    ...(expected.key.join() === actual.key.join()
      ? []
      : [
          `-- ${name} is keyed by ${actual.key.join(', ')}, not by ${expected.key.join(', ')}: make it anew.`,
        ]),
  ]
}

/** A stored default that no record asks for is accepted: it was needed when the column was added to existing rows. */
function columnDifference(
  table: string,
  column: ColumnShape,
  there: ColumnShape | undefined,
): readonly string[] {
  if (there === undefined) {
    const add = `ALTER TABLE ${table} ADD COLUMN ${columnDefinition(withValue(column))};`
    const chosen = column.notNull && column.byDefault === null
    return chosen ? [`-- Choose what the rows of ${table} have that are there already.\n${add}`] : [add]
  }
  const sought = { ...there, byDefault: column.byDefault ?? there.byDefault }
  const [is, should] = [columnDefinition(there), columnDefinition({ ...column, byDefault: sought.byDefault })]
  return is === should ? [] : [`-- ${table} has ${is}, not ${should}: make it anew.`]
}

function withValue(column: ColumnShape): ColumnShape {
  if (!column.notNull || column.byDefault !== null) return column
  return { ...column, byDefault: column.type === 'TEXT' ? "''" : '0' }
}

/** Compares indexes, except those of tables that are written by hand. */
function indexes(expected: Schema, actual: Schema): readonly string[] {
  const found = new Map(actual.indexes.map((index) => [index.name, createIndex(index)]))
  const wanted = new Map(expected.indexes.map((index) => [index.name, createIndex(index)]))
  const missing = [...wanted].flatMap(([name, statement]) => {
    const there = found.get(name)
    if (there === statement) return []
    return there === undefined ? [statement] : [`DROP INDEX ${name};`, statement]
  })
  const superfluous = actual.indexes.filter(
    ({ name, table }) => !wanted.has(name) && !(table in tablesByHand),
  )
  return [...missing, ...superfluous.map(({ name }) => `DROP INDEX ${name};`)]
}

function createIndex({ name, table, columns, unique, where }: IndexShape): string {
  const condition = where === null ? '' : ` WHERE ${where}`
  return `CREATE ${unique ? 'UNIQUE ' : ''}INDEX ${name} ON ${table} (${columns.join(', ')})${condition};`
}

function triggers(expected: readonly TriggerShape[], actual: readonly TriggerShape[]): readonly string[] {
  const found = new Map(actual.map(({ name, sql }) => [name, normal(sql)]))
  const known = new Set([...expected.map(({ name }) => name), ...Object.keys(triggersByHand)])
  return [
    ...actual.flatMap(({ name }) => (known.has(name) ? [] : [`DROP TRIGGER ${name};`])),
    ...expected.flatMap(({ name, sql }) => {
      const there = found.get(name)
      if (there === normal(sql)) return []
      return there === undefined ? [`${sql};`] : [`DROP TRIGGER ${name};`, `${sql};`]
    }),
    ...Object.keys(triggersByHand).flatMap((name) => (found.has(name) ? [] : [`-- ${name} is missing.`])),
  ]
}

/** A trigger's text with white space normalised, for comparison. */
function normal(sql: string): string {
  return sql
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\( | (?=\))/g, (match) => match.trim())
    .trim()
}

/** Why the migrations contain something that no record requires. */
export type Reason = string

/** Tables that do not belong to a resource. */
const tablesByHand: Readonly<Record<keyof typeof serviceTables, Reason>> = {
  audit: 'what operators did',
  families: 'where families live that have a database of their own',
  placed_organizations: 'the organizations of such families',
  placed_slugs: 'slugs that they hold',
  placed_keys: 'the ids of their keys',
  placed_forms: 'the ids of their forms',
  write_pauses: 'organizations whose writes wait for a move',
  moves: 'moves of families between databases',
  move_organizations: 'of moves by an earlier version',
  move_journal: 'of moves by an earlier version',
  move_targets: 'who fills the target of a move',
  move_guards: 'what a batch must not find',
  form_versions: 'what forms were after each save',
  outbox: 'work that follows a receipt',
  sends: 'the log of what was sent',
  send_requests: 'requests to send that carried an idempotency key',
  form_signs: 'what came to forms lately, so that a flood is noticed',
  spam_models: 'what the marks of people taught',
  submission_marks: 'what people said of submissions, which is no part of them',
  people: 'who signs in, and what they may do',
  sign_in_links: 'links that were sent to sign in',
  sessions: 'who is signed in',
  automation_messages: 'the messages of automations that are counted against their bounds',
  webhooks: 'whom an organization tells of what happens in it',
  webhook_deliveries: 'deliveries to them that were tried',
  import_sessions: 'imports, which are checked as a whole before anything of them is written',
  import_parts: 'the parts of a file that an import took',
  import_chunks: 'the rows that an import is going to write',
  import_keys: 'what tells the lines of an imported file apart',
  import_contacts: 'the contacts that an import has met',
  restores: 'how organizations were restored from archives',
  retention: 'for how long organizations keep what',
  erasures: 'who was erased, so that no older archive brings them back',
  membership_cohorts: 'members by month of signup, plan and site',
}

/** Triggers for purposes that no record describes. */
const triggersByHand: Readonly<Record<string, Reason>> = {
  accepted_submissions_saved:
    'the version 1.0.0 saves submissions by the view accepted_submissions; so it may run on this database too',
  accepted_submissions_guarded:
    'a submission that it saves for an organization that lives elsewhere is refused',
  refused_writes_raised: 'so are its other writes',
  form_submissions_unmarked: 'a mark goes with its submission',
  memberships_cohort_joined: 'cohorts are kept as counts',
  memberships_cohort_changed: 'cohorts',
  memberships_cohort_left: 'cohorts',
  reviews_shown: 'a review is copied to each organization that may read it',
  reviews_shown_again: 'copies of reviews',
  reviews_changed: 'copies of reviews',
  reviews_hidden: 'copies of reviews',
  reviews_removed: 'copies of reviews',
  sites_named_in_reviews: 'copies of reviews carry the name of the site',
  sites_renamed_in_reviews: 'copies of reviews carry the name of the site',
  sites_unnamed_in_reviews: 'copies of reviews carry the name of the site',
  organizations_moved: 'the copies of an organization go with it to another parent',
}
