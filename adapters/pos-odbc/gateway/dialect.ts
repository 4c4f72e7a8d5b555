import type { BoundValue, Fragment } from './sql.ts'
import { bound, raw, sql } from './sql.ts'

/** The kinds of databases whose SQL the gateway writes. */
export type DialectName = 'postgresql' | 'sqlite'

/** What a column holds, which decides how it is read as text and compared. */
export type ColumnType = 'text' | 'instant' | 'decimal' | 'integer'

/** The rows of the newest few children of each parent. */
export interface LatestChildren {
  readonly table: string
  /** The condition that a child `x` belongs to the parent whose id is `p.value`. */
  readonly condition: Fragment
  readonly orderColumns: readonly string[]
  readonly count: number
}

/** The differences between databases that matter to the gateway's statements. */
export interface Dialect {
  readonly name: DialectName
  /** A column as text, the same for every driver: instants in UTC ISO 8601 with milliseconds. */
  column(name: string, type: ColumnType): string
  /** A placeholder that compares with, or is stored into, a column of this type. */
  value(value: BoundValue, type: ColumnType): Fragment
  /** The condition that a column has a value, which bounds a search of an index. */
  isRecorded(name: string, type: ColumnType): string
  /** A table of the ids in a JSON array, as `p` with the column `value`. */
  idList(ids: readonly string[]): Fragment
  /** `idList` joined with the newest few children of each id, as `e`; only those are read from the index. */
  latest(ids: readonly string[], children: LatestChildren): Fragment
  /** Statements that are run first on each connection. They make it read-only and limit how long a statement runs. */
  session(deadlineMs: number): readonly string[]
}

const postgresql: Dialect = {
  name: 'postgresql',
  column(name, type) {
    if (type === 'instant') return `to_char(${name}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    // The driver would turn numeric into a floating-point number.
    return type === 'decimal' ? `cast(${name} as varchar)` : name
  },
  value(value, type) {
    const cast = {
      text: (mark: string) => `cast(${mark} as varchar)`,
      // When a placeholder is cast directly to a timestamp, psqlODBC binds it as one and drops its time of day.
      instant: (mark: string) => `cast(cast(${mark} as varchar) as timestamp(3))`,
      decimal: (mark: string) => `cast(cast(${mark} as varchar) as numeric)`,
      integer: (mark: string) => `cast(${mark} as integer)`,
    }
    return bound(value, cast[type])
  },
  isRecorded: (name) => `${name} is not null`,
  idList: (ids) =>
    bound(
      JSON.stringify(ids),
      (mark) => `json_array_elements_text(cast(cast(${mark} as varchar) as json)) as p(value)`,
    ),
  latest(ids, { table, condition, orderColumns, count }) {
    return sql`${this.idList(ids)} cross join lateral (select x.* from ${raw(table)} as x where ${condition}
      order by ${newestFirst(orderColumns)} limit ${raw(String(count))}) as e`
  },
  session: (deadlineMs) => [
    'set session characteristics as transaction read only',
    `set statement_timeout = ${deadlineMs}`,
  ],
}

const sqlite: Dialect = {
  name: 'sqlite',
  column: (name) => name,
  value: (value) => bound(value),
  // `is not null` bounds no search here: a page would read on through all rows without a value.
  isRecorded: (name, type) => (type === 'integer' ? `${name} is not null` : `${name} >= ''`),
  idList: (ids) => bound(JSON.stringify(ids), (mark) => `json_each(${mark}) as p`),
  // SQLite has no lateral join; a correlated list of row ids stops at the count just as well.
  latest(ids, { table, condition, orderColumns, count }) {
    return sql`${this.idList(ids)} cross join ${raw(table)} as e on e.rowid in (
      select x.rowid from ${raw(table)} as x where ${condition}
      order by ${newestFirst(orderColumns)} limit ${raw(String(count))})`
  },
  session: () => ['pragma query_only = on', 'pragma busy_timeout = 1000'],
}

function newestFirst(columns: readonly string[]): Fragment {
  return raw(columns.map((name) => `x.${name} desc`).join(', '))
}

export const DIALECTS: Readonly<Record<DialectName, Dialect>> = { postgresql, sqlite }
