import ts from 'typescript'

/** A token of SQL, with its place in the file. An interpolated piece is one token, whose text is `${}`. */
export interface SqlToken {
  /** The text in lower case. */
  readonly text: string
  readonly start: number
  readonly end: number
  /** How many parentheses are open. A parenthesis itself has the depth of what is outside. */
  readonly depth: number
}

/** The text of a token that is an interpolated piece. */
export const HOLE = '${}'

const TOKEN = /'(?:[^']|'')*'|"[^"]*"|\w+|<=|>=|<>|!=|\|\||->>?|[^\s\w]/g

/** The tokens of the SQL in a text or template. */
export function sqlTokens(
  node: ts.StringLiteralLike | ts.TemplateExpression,
  source: ts.SourceFile,
): readonly SqlToken[] {
  const tokens: SqlToken[] = []
  let depth = 0
  const add = (text: string, start: number, end: number): void => {
    if (text === ')') depth -= 1
    tokens.push({ text, start, end, depth })
    if (text === '(') depth += 1
  }
  const read = (start: number, end: number): void => {
    for (const { 0: text, index } of source.text.slice(start, end).matchAll(TOKEN))
      add(text.toLowerCase(), start + index, start + index + text.length)
  }
  const first = ts.isTemplateExpression(node) ? node.head : node
  let end = first.getEnd() - (ts.isTemplateExpression(node) ? 2 : 1)
  read(first.getStart(source) + 1, end)
  if (!ts.isTemplateExpression(node)) return tokens
  for (const { literal } of node.templateSpans) {
    const start = literal.getStart(source) + 1
    add(HOLE, end, start)
    end = literal.getEnd() - (literal.kind === ts.SyntaxKind.TemplateTail ? 1 : 2)
    read(start, end)
  }
  return tokens
}
