/** A column of a table. */
export interface ColumnShape {
  readonly name: string
  readonly type: string
  readonly notNull: boolean
  /** An SQL literal; null: there is none. */
  readonly byDefault: string | null
}

export interface TableShape {
  readonly name: string
  readonly columns: readonly ColumnShape[]
  /** The columns of the primary key, in order. */
  readonly key: readonly string[]
  /** Whether the table is `WITHOUT ROWID`, so that rows are stored in the order of the key. */
  readonly withoutRowid: boolean
  /** Whether the table is `STRICT`, so that a column accepts only values of its type. */
  readonly strict: boolean
}

export interface IndexShape {
  readonly name: string
  readonly table: string
  /** In order; a column that is indexed downwards ends in ` DESC`. */
  readonly columns: readonly string[]
  readonly unique: boolean
  /** The condition of the rows that are in the index, in SQL; null: all are. */
  readonly where: string | null
}

export interface TriggerShape {
  readonly name: string
  readonly sql: string
}

/** The schema that a database has, or should have. */
export interface Schema {
  readonly tables: readonly TableShape[]
  readonly indexes: readonly IndexShape[]
  readonly triggers: readonly TriggerShape[]
}
