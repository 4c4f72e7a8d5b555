/** A place in SQL whose value is known only when the statement is bound. */
export interface Slot {
  readonly slot: string
}

/**
 * A piece of SQL. It contains no values: only other pieces can be interpolated, so text from outside can only enter
 * through a slot. `Row` is the type of the rows that the SQL is declared to return.
 */
export interface Sql<Row = unknown> {
  readonly parts: readonly (string | Slot)[]
  /** Never set. It carries the type of the rows. */
  readonly rowType?: Row
}

function written<Row = unknown>(texts: TemplateStringsArray, ...pieces: readonly Sql[]): Sql<Row> {
  return {
    parts: texts.flatMap((text, index) => {
      const piece = pieces[index]
      return piece === undefined ? [text] : [text, ...piece.parts]
    }),
  }
}

/** A piece with this exact text. Never use it for text that may come from a caller or a file. */
function raw(text: string): Sql {
  return { parts: [text] }
}

/** A quoted identifier, qualified by the names before it: `id('t', 'name')` is `"t"."name"`. */
function id(...path: readonly string[]): Sql {
  return raw(path.map((name) => `"${name.replaceAll('"', '""')}"`).join('.'))
}

/** A constant of the statement. It is part of the SQL's text, so that SQLite can plan with it. */
function lit(value: string | number): Sql {
  return raw(typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`)
}

/** Joins pieces, with a comma or another piece between them. */
function join(pieces: readonly Sql[], between: Sql = raw(', ')): Sql {
  return { parts: pieces.flatMap(({ parts }, index) => (index === 0 ? parts : [...between.parts, ...parts])) }
}

/** Writes SQL: sql`select ${sql.id('name')} from contacts`. */
export const sql = Object.assign(written, { raw, id, lit, join })
