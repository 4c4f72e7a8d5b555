/** Parts of SQL text in which a semicolon ends nothing: strings, quoted names and comments. */
const OPAQUE = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[^]*?\*\//g

/** A statement; a trigger ends with its END, not with the statements in it. */
const STATEMENT = /CREATE\s+TRIGGER\b[^]*?\bEND\s*;|[^;\s][^;]*;?/gi

/** The statements of a migration, without comments. */
export function splitStatements(sql: string): readonly string[] {
  const kept: string[] = []
  // Strings and names are put aside, so that what is in them is not read as SQL.
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
