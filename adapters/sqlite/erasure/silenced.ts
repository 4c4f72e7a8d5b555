import { sql } from 'kysely'
import { bind, slot, template } from '../statement/compiler.ts'
import { rowsOf, type Executor, type Statement } from '../statement/executor.ts'
import { parsed, type JsonText } from '../statement/database.ts'

/** The names and texts of a table's triggers. */
type TriggerTexts = JsonText<readonly (readonly [name: string, sql: string])[]>

/**
 * The triggers of the schema. A move that the version 1.0.0 began may have left others, which have nothing to do with an
 * organization as a whole.
 */
const lasting = sql`type = 'trigger' and name not glob 'move_*'`
const texts = sql`json_group_array(json_array(name, sql) order by name)`

const readTriggers = template(sql<{ readonly table: string; readonly texts: TriggerTexts }>`
  select tbl_name as "table", ${texts} as texts from sqlite_master
  where ${lasting} and (${slot('only')} is null or tbl_name = ${slot('only')}) group by tbl_name`)

const guard = template(sql`
  insert into move_guards (broken) select 'triggers' where ${slot('texts')} is not (
    select iif(count(*) > 0, ${texts}, null) from sqlite_master where ${lasting} and tbl_name = ${slot('table')})`)

/** Matches SQLite's message when the triggers are no longer those that were read. */
export const OTHER_TRIGGERS = /move_knows_triggers/

/** The triggers of a database, as they were when they were read. */
export interface KnownTriggers {
  /**
   * Wraps statements in others that drop the triggers of the table and create them again. All of them must run in one
   * transaction, so that nobody else sees the table without its triggers. The batch fails with `OTHER_TRIGGERS` when
   * the table's triggers have changed since.
   */
  silenced(table: string, statements: readonly Statement[]): readonly Statement[]
}

/**
 * Reads the triggers of a database.
 * @param only the name of the only table whose triggers are needed; null: all
 */
export async function readKnownTriggers(
  executor: Executor,
  only: string | null = null,
): Promise<KnownTriggers> {
  const rows = await rowsOf(executor, bind(readTriggers, { only }))
  const known = new Map(rows.map((row) => [row.table, row.texts]))
  return {
    silenced(table, statements) {
      const all = known.get(table)
      const triggers = all === undefined ? [] : parsed(all)
      return [
        bind(guard, { table, texts: all ?? null }),
        ...triggers.map(([trigger]) => bind(template(sql`drop trigger ${sql.id(trigger)}`), {})),
        ...statements,
        ...triggers.map(([, text]): Statement => ({ sql: text, parameters: [] })),
      ]
    },
  }
}
