/** A file of `adapters/sqlite/migrations`. */
export interface Migration {
  readonly name: string
  readonly sql: string
}

/** Matches the parts of SQL in which a semicolon does not end a statement: strings, quoted names and comments. */
const OPAQUE = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[^]*?\*\//g

/** Matches a statement. A trigger ends with its END, not with the statements in it. */
const STATEMENT = /CREATE\s+TRIGGER\b[^]*?\bEND\s*;|[^;\s][^;]*;?/gi

/** The statements of a migration, without comments. */
export function splitStatements(sql: string): readonly string[] {
  const kept: string[] = []
  // Strings and names are replaced by placeholders first, so that their content is not read as SQL.
  const bare = sql.replaceAll(OPAQUE, (part) => {
    if (part.startsWith('--') || part.startsWith('/*')) return ' '
    kept.push(part)
    return `"${kept.length - 1}"`
  })
  const statements = bare.match(STATEMENT) ?? []
  return statements.map((statement) =>
    statement.replaceAll(/"(\d+)"/g, (_all, index: string) => kept[Number(index)] ?? '').trim(),
  )
}
