import type { DatabaseSync, Session } from 'node:sqlite'

/** A row: its values by the names of the columns. */
export type Row = Readonly<Record<string, unknown>>

/** The change of one row by a write. */
export interface RowChange {
  readonly table: string
  /** The row before; null: it was inserted. */
  readonly before: Row | null
  /** The row afterwards; null: it was deleted. */
  readonly after: Row | null
  /** The columns whose values differ. For a row that was inserted or deleted, all columns. */
  readonly columns: readonly string[]
}

/** Follows the rows of a database, whatever writes them. */
export interface ChangeFollower {
  /** The changes since the last call. */
  take(): readonly RowChange[]
  /** The rows of a table at the time of the last `take`. */
  rows(table: string): Iterable<Row>
  /** One of these rows, by the values of its primary key. */
  row(table: string, ...key: readonly unknown[]): Row | undefined
  close(): void
}

/** Codes of SQLite's format of changesets (sqlite3changeset_new). */
const INSERT = 18
const DELETE = 9
const INTEGER = 1
const FLOAT = 2
const TEXT = 3
const BLOB = 4
const NULL = 5

interface TableHeader {
  readonly table: string
  /** The indexes of the columns of the primary key, in the order of the key's columns. */
  readonly key: readonly number[]
  readonly columns: readonly string[]
}

/**
 * Follows a database from now on, by SQLite's session extension. Without changes, `take` costs almost nothing; else it
 * costs as much as the rows that changed. Tables without a primary key are not followed.
 */
export function followChanges(database: DatabaseSync): ChangeFollower {
  let session: Session = database.createSession()
  const tables = new Map<string, Map<string, Row>>()
  const known = new Map<string, readonly string[]>()
  const columnsOf = (table: string, count: number): readonly string[] => {
    const before = known.get(table)
    if (before?.length === count) return before
    const rows = database.prepare(`select name from pragma_table_info(?)`).all(table)
    const columns = rows.map(({ name }) => String(name))
    known.set(table, columns)
    return columns
  }
  const apply = ({ table, key, columns }: TableHeader, given: Record3): RowChange => {
    const rows = tables.get(table) ?? new Map<string, Row>()
    tables.set(table, rows)
    const values = given.before ?? given.after ?? []
    const text = keyText(key.map((index) => values[index]))
    const before = rows.get(text) ?? null
    if (given.after === null) {
      rows.delete(text)
      return { table, before, after: null, columns }
    }
    const changed = columns.filter((_, index) => given.after?.[index] !== undefined)
    const after: Record<string, unknown> = { ...before }
    for (const [index, column] of columns.entries()) {
      const value = given.after[index]
      if (value !== undefined) after[column] = value
    }
    rows.set(text, after)
    return { table, before, after, columns: given.before === null ? columns : changed }
  }
  /** The changes of all tables, found by reading every row. */
  const compareAll = (): readonly RowChange[] => {
    const found: RowChange[] = []
    const names = database.prepare(`select name from sqlite_schema where type = 'table'`).all()
    for (const table of names.map(({ name }) => String(name))) {
      const info = database.prepare(`select name, pk from pragma_table_info(?) order by cid`).all(table)
      const columns = info.map(({ name }) => String(name))
      // In the order of the key's columns, as a changeset has them.
      const key = info
        .filter(({ pk }) => pk !== 0)
        .sort((left, right) => Number(left.pk) - Number(right.pk))
        .map(({ name }) => String(name))
      if (key.length === 0) continue
      known.set(table, columns)
      const before = tables.get(table) ?? new Map<string, Row>()
      const rows = database.prepare(`select * from "${table}"`).all()
      const after = new Map(rows.map((row) => [keyText(key.map((column) => row[column])), { ...row }]))
      tables.set(table, after)
      for (const text of new Set([...before.keys(), ...after.keys()])) {
        const [was, is] = [before.get(text) ?? null, after.get(text) ?? null]
        const changed = columns.filter((column) => was?.[column] !== is?.[column])
        if (was === null || is === null) found.push({ table, before: was, after: is, columns })
        else if (changed.length > 0) found.push({ table, before: was, after: is, columns: changed })
      }
    }
    return found
  }
  const changeset = (): Uint8Array | null => {
    try {
      return session.changeset()
    } catch {
      // A session cannot tell its changes of a table that has got another column since then.
      return null
    }
  }
  return {
    take() {
      const bytes = changeset()
      if (bytes?.length === 0) return []
      session.close()
      session = database.createSession()
      if (bytes === null) return compareAll()
      return readChangeset(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), columnsOf, apply)
    },
    rows: (table) => tables.get(table)?.values() ?? [],
    row: (table, ...key) => tables.get(table)?.get(keyText(key)),
    close: () => {
      session.close()
    },
  }
}

function keyText(key: readonly unknown[]): string {
  return key.length === 1 ? String(key[0]) : JSON.stringify(key)
}

/** One change as a changeset has it. A value that did not change is undefined. */
interface Record3 {
  readonly before: readonly unknown[] | null
  readonly after: readonly unknown[] | null
}

function readChangeset(
  bytes: Buffer,
  columnsOf: (table: string, count: number) => readonly string[],
  apply: (header: TableHeader, change: Record3) => RowChange,
): readonly RowChange[] {
  const changes: RowChange[] = []
  let at = 0
  const varint = (): number => {
    let value = 0
    for (;;) {
      const byte = bytes.readUInt8(at++)
      value = value * 128 + (byte & 0x7f)
      if (byte < 0x80) return value
    }
  }
  const value = (): unknown => {
    const type = bytes.readUInt8(at++)
    switch (type) {
      case INTEGER:
        at += 8
        return Number(bytes.readBigInt64BE(at - 8))
      case FLOAT:
        at += 8
        return bytes.readDoubleBE(at - 8)
      case TEXT:
      case BLOB: {
        const length = varint()
        at += length
        return type === TEXT
          ? bytes.toString('utf8', at - length, at)
          : bytes.toString('hex', at - length, at)
      }
      case NULL:
        return null
      default:
        return undefined
    }
  }
  const header = (): TableHeader => {
    const count = varint()
    const places = [...bytes.subarray(at, at + count)]
    at += count
    const end = bytes.indexOf(0, at)
    const table = bytes.toString('utf8', at, end)
    at = end + 1
    const key = places
      .map((place, index) => ({ place, index }))
      .filter(({ place }) => place > 0)
      .sort((left, right) => left.place - right.place)
      .map(({ index }) => index)
    return { table, key, columns: columnsOf(table, count) }
  }
  let present: TableHeader | null = null
  while (at < bytes.length) {
    const operation = bytes.readUInt8(at++)
    if (operation === 'T'.charCodeAt(0)) {
      present = header()
      continue
    }
    if (present === null) throw new Error('A changeset begins without a table')
    const { columns } = present
    at += 1
    const before = operation === INSERT ? null : columns.map(value)
    const after = operation === DELETE ? null : columns.map(value)
    changes.push(apply(present, { before, after }))
  }
  return changes
}
