import { sql, type Expression } from 'kysely'
import type { JournalEntry, MovedTable } from '../../../ports/placement/move.ts'
import { glob } from '../statement/words.ts'
import { atMost, bind, db, slot, template } from '../statement/compiler.ts'
import { rowsOf, type Executor, type Statement } from '../statement/executor.ts'
import { parsed } from '../database/json-text.ts'
import { readMovedTables } from './moved-tables.ts'

const fixOrganizations = template(
  db
    .withRecursive('family(organization_id)', (family) =>
      family
        .selectNoFrom(slot<string>('familyId').as('organization_id'))
        .union(
          family
            .selectFrom('organizations as o')
            .innerJoin('family as f', 'o.parent_id', 'f.organization_id')
            .select('o.organization_id'),
        ),
    )
    .insertInto('move_organizations')
    .columns(['move_id', 'organization_id'])
    .expression((eb) =>
      eb
        .selectFrom('family')
        .select([slot('journalId').as('move_id'), 'family.organization_id'])
        .where(sql.lit(true)),
    )
    .onConflict((conflict) => conflict.doNothing()),
)

/** The family's organizations, as a subquery in the text of a trigger. */
function family(journalId: string): Expression<unknown> {
  return sql`(select organization_id from move_organizations where move_id = ${sql.lit(journalId)})`
}

/** The statement by which a trigger notes the key of a row. */
function note(journalId: string, table: MovedTable, row: 'new' | 'old', condition = sql`true`) {
  const key = sql.join(table.key.map((column) => sql.id(row, column)))
  return sql`insert into move_journal (journal_id, table_name, key)
    select ${sql.lit(journalId)}, ${sql.lit(table.name)}, json_array(${key}) where ${condition};`
}

/** A trigger that exists only during a move: its name, and the text of its definition from the name on. */
interface JournalTrigger {
  readonly name: string
  readonly definition: string
}

function journalTrigger(
  journalId: string,
  table: MovedTable,
  suffix: string,
  rest: Expression<unknown>,
): JournalTrigger {
  const of = `move_${journalId}_${table.name}_${suffix}`
  return { name: of, definition: template(sql`${sql.id(of)} ${rest}`).sql }
}

/** The triggers that note all writes to a table, including those that other triggers make. */
function tableTriggers(journalId: string, table: MovedTable): readonly JournalTrigger[] {
  const owned = (row: 'new' | 'old') => sql`${sql.id(row, 'organization_id')} in ${family(journalId)}`
  const on = sql.id(table.name)
  const key = (row: 'new' | 'old') => sql`(${sql.join(table.key.map((column) => sql.id(row, column)))})`
  const isOtherKey = sql`${key('old')} is not ${key('new')}`
  return [
    journalTrigger(
      journalId,
      table,
      'updated',
      sql`after update on ${on} when ${owned('new')} or ${owned('old')} begin
        ${note(journalId, table, 'new')} ${note(journalId, table, 'old', isOtherKey)} end`,
    ),
    journalTrigger(
      journalId,
      table,
      'deleted',
      sql`after delete on ${on} when ${owned('old')} begin ${note(journalId, table, 'old')} end`,
    ),
    ...(table.name === 'organizations'
      ? organizationTriggers(journalId, table)
      : [
          journalTrigger(
            journalId,
            table,
            'inserted',
            sql`after insert on ${on} when ${owned('new')} begin ${note(journalId, table, 'new')} end`,
          ),
        ]),
  ]
}

/**
 * The triggers of the table of organizations. A new child belongs to the family at once. Otherwise no organization may
 * join or leave the family until the move has ended.
 */
function organizationTriggers(journalId: string, table: MovedTable): readonly JournalTrigger[] {
  const all = family(journalId)
  return [
    journalTrigger(
      journalId,
      table,
      'inserted',
      sql`after insert on organizations when new.organization_id in ${all} or new.parent_id in ${all} begin
        insert into move_organizations (move_id, organization_id)
        select ${sql.lit(journalId)}, new.organization_id where new.organization_id not in ${all};
        ${note(journalId, table, 'new')} end`,
    ),
    journalTrigger(
      journalId,
      table,
      'kept',
      sql`before update of parent_id on organizations when old.parent_id is not new.parent_id
        and (old.organization_id in ${all}) is not (coalesce(new.parent_id in ${all}, 0))
        begin select raise(abort, 'placement: moving'); end`,
    ),
  ]
}

/** Starts the journal, in one batch. */
export async function startJournal(
  executor: Executor,
  journalId: string,
  familyId: string,
  tables: readonly MovedTable[],
): Promise<void> {
  const create = ({ definition }: JournalTrigger): Statement => ({
    sql: `CREATE TRIGGER IF NOT EXISTS ${definition}`,
    parameters: [],
  })
  await executor.batch([
    bind(fixOrganizations, { journalId, familyId }),
    ...tables.flatMap((table) => tableTriggers(journalId, table)).map(create),
  ])
}

const readTriggers = template(
  db
    .selectFrom('sqlite_master')
    .select(['name', 'sql'])
    .where('type', '=', sql.lit('trigger'))
    .where(({ ref }) => glob(ref('name'), slot('pattern'))),
)

/** Whether the journal is still complete: all its triggers exist, and the tables are those of its start. */
export async function isJournaling(
  executor: Executor,
  journalId: string,
  tables: readonly MovedTable[],
): Promise<boolean> {
  const found = await rowsOf(executor, bind(readTriggers, { pattern: `move_${journalId}_*` }))
  const wanted = tables.flatMap((table) => tableTriggers(journalId, table))
  // SQLite stores the text of a trigger unchanged from the trigger's name on.
  const texts = new Set(found.map((trigger) => trigger.sql))
  if (!wanted.every(({ definition }) => texts.has(`CREATE TRIGGER ${definition}`))) return false
  return JSON.stringify(await readMovedTables(executor)) === JSON.stringify(tables)
}

const clearJournal = template(
  db.deleteFrom('move_journal').where(({ ref }) => glob(ref('journal_id'), slot('pattern'))),
)
const clearOrganizations = template(
  db.deleteFrom('move_organizations').where(({ ref }) => glob(ref('move_id'), slot('pattern'))),
)

/**
 * The statement that removes the lists of a family's organizations that a journal, or all journals of a move, noted.
 * @param id of the journal, or of the move: the ids of a move's journals begin with it
 */
export function forgetOrganizations(id: string): Statement {
  return bind(clearOrganizations, { pattern: `${id}*` })
}

/**
 * Ends a journal, or all journals of a move. The list of the family's organizations is kept, unless `isForgotten` asks
 * to remove it.
 */
export async function stopJournal(
  executor: Executor,
  id: string,
  { isForgotten }: { readonly isForgotten: boolean },
): Promise<void> {
  const found = await rowsOf(executor, bind(readTriggers, { pattern: `move_${id}*` }))
  await executor.batch([
    ...found.map(({ name: trigger }) => bind(template(sql`drop trigger if exists ${sql.id(trigger)}`), {})),
    bind(clearJournal, { pattern: `${id}*` }),
    ...(isForgotten ? [forgetOrganizations(id)] : []),
  ])
}

const readEntries = template(
  db
    .selectFrom('move_journal')
    .select(['seq', 'table_name as table', 'key'])
    .where('journal_id', '=', slot('journalId'))
    .orderBy('seq')
    .limit(atMost('limit')),
)

const forgetEntries = template(
  db.deleteFrom('move_journal').where('journal_id', '=', slot('journalId')).where('seq', '<=', slot('upTo')),
)

/** The oldest entries of the journal. */
export async function readJournal(
  executor: Executor,
  journalId: string,
  limit: number,
): Promise<readonly JournalEntry[]> {
  const rows = await rowsOf(executor, bind(readEntries, { journalId, limit }))
  return rows.map(({ seq, table, key }) => ({ seq, table, key: parsed(key) }))
}

/** Removes the entries up to a number. */
export async function forgetJournal(executor: Executor, journalId: string, upTo: number): Promise<void> {
  await executor.batch([bind(forgetEntries, { journalId, upTo })])
}
