import { bind, name, slot, template } from '../statement/compiler.ts'
import type { Executor, Statement } from '../statement/executor.ts'
import { rowsOf } from '../statement/executor.ts'
import type { JsonText } from '../statement/json-text.ts'
import { parsed } from '../statement/json-text.ts'
import { sql } from '../statement/sql.ts'

/** Names and texts of a table's triggers. */
type TriggerTexts = JsonText<readonly (readonly [name: string, sql: string])[]>

/** Those that the schema has; journals of other moves never write what a move writes. */
const lasting = sql`type = 'trigger' and name not glob 'move_*'`
const texts = sql`json_group_array(json_array(name, sql) order by name)`

const readTriggers = bind(
  template(sql<{ readonly table: string; readonly texts: TriggerTexts }>`
    select tbl_name as "table", ${texts} as texts from sqlite_master where ${lasting} group by tbl_name`),
  {},
)

const guard = template(sql`
  insert into move_guards (broken) select 'triggers' where ${slot('texts')} is not (
    select iif(count(*) > 0, ${texts}, null) from sqlite_master where ${lasting} and tbl_name = ${slot('table')})`)

/** What SQLite says when triggers are not as they were read. */
export const OTHER_TRIGGERS = /move_knows_triggers/

/** The triggers of a database, as they were read once. */
export interface KnownTriggers {
  /**
   * The statements, with those around them that take the triggers of their table away and bring them back. All are
   * statements of one transaction, so nobody else ever meets the table without its triggers. The batch fails with
   * `OTHER_TRIGGERS` when the schema has others by now.
   */
  silenced(table: string, statements: readonly Statement[]): readonly Statement[]
}

/** Reads the triggers of a database. */
export async function readKnownTriggers(executor: Executor): Promise<KnownTriggers> {
  const known = new Map((await rowsOf(executor, readTriggers)).map((row) => [row.table, row.texts]))
  return {
    silenced(table, statements) {
      const all = known.get(table)
      const triggers = all === undefined ? [] : parsed(all)
      return [
        bind(guard, { table, texts: all ?? null }),
        ...triggers.map(([trigger]) => bind(template(sql`drop trigger ${name(trigger)}`), {})),
        ...statements,
        ...triggers.map(([, text]): Statement => ({ sql: text, parameters: [] })),
      ]
    },
  }
}
