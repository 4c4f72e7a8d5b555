/** A place in SQL whose value is known only when the statement is bound. */
export interface Slot {
  readonly slot: string
}

/**
 * A piece of SQL. It holds no values: what is interpolated is another piece, so text from outside can only enter through
 * a slot. `Row` is the type of the rows that the SQL is declared to give.
 */
export interface RawBuilder<Row> {
  readonly parts: readonly (string | Slot)[]
  /** Never set: it carries the type. */
  readonly rowType?: Row
}

function written<Row = unknown>(
  texts: TemplateStringsArray,
  ...pieces: readonly RawBuilder<unknown>[]
): RawBuilder<Row> {
  return {
    parts: texts.flatMap((text, index) => {
      const piece = pieces[index]
      return piece === undefined ? [text] : [text, ...piece.parts]
    }),
  }
}

/** Text as it stands. Never for anything that a caller or a file may have written. */
function raw(text: string): RawBuilder<unknown> {
  return { parts: [text] }
}

/** A quoted identifier, behind those that it belongs to: `id('t', 'name')` is `"t"."name"`. */
function id(...path: readonly string[]): RawBuilder<unknown> {
  return raw(path.map((name) => `"${name.replaceAll('"', '""')}"`).join('.'))
}

/** A constant of the statement. Its value is part of the SQL's text, so that SQLite plans with it. */
function lit(value: string | number): RawBuilder<unknown> {
  return raw(typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`)
}

/** Pieces one after another, with a comma or another piece between them. */
function join(
  pieces: readonly RawBuilder<unknown>[],
  between: RawBuilder<unknown> = raw(', '),
): RawBuilder<unknown> {
  return { parts: pieces.flatMap(({ parts }, index) => (index === 0 ? parts : [...between.parts, ...parts])) }
}

/** Writes SQL: sql`select ${sql.id('name')} from contacts`. */
export const sql = Object.assign(written, { raw, id, lit, join })
