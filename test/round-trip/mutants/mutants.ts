/** A mistake, as another text of one place in the code. */
export interface Mutant {
  readonly name: string
  /** The file, from the project's root. */
  readonly file: string
  readonly from: string
  readonly to: string
}

/**
 * Plausible mistakes in how values are read from files, bound, decoded, put together and written. If the law finds none
 * of a kind, it would not find a similar mistake in the product either.
 */
export const mutants: readonly Mutant[] = [
  {
    name: 'a fraction that is null is written as 0',
    file: 'adapters/sqlite/read/page-select.ts',
    from: "iif(${value} is null, 'null', format('%!.17g', ${value}))",
    to: "ifnull(format('%!.17g', ${value}), 'null')",
  },
  {
    name: 'a fraction is written with 15 digits',
    file: 'adapters/sqlite/read/page-select.ts',
    from: "format('%!.17g'",
    to: "format('%!.15g'",
  },
  {
    name: 'a text is written with its quotes escaped, and nothing else',
    file: 'adapters/sqlite/read/page-select.ts',
    from: 'sql`json_quote(${value})`',
    to: "sql`ifnull('\"' || replace(${value}, '\"', '\\\\\"') || '\"', 'null')`",
  },
  {
    name: 'the lines of a page are also split where a text has a line separator',
    file: 'domain/read/page.ts',
    from: "split('\\n')",
    to: 'split(/[\\n\\u2028]/)',
  },
  {
    name: 'rows with fractions are published as storage writes them',
    file: 'domain/record/resource.ts',
    from: "origin !== 'computed' && field.storage !== 'real'",
    to: "origin !== 'computed'",
  },
  {
    name: 'a published value that is empty, 0 or false becomes null',
    file: 'domain/record/resource.ts',
    from: '(row[name] ?? null)',
    to: '(row[name] || null)',
  },
  {
    name: 'lists in the rows of a large page are not parsed',
    file: 'adapters/sqlite/tables.ts',
    from: "if (typeof text === 'string')",
    to: "if (typeof text === 'string' && text.startsWith('{'))",
  },
  {
    name: 'an object answers null in place of an empty text',
    file: 'adapters/durable-object/protocol.ts',
    from: '= values[index]',
    to: '= values[index] || null',
  },
  {
    name: 'an empty text is bound as null',
    file: 'adapters/sqlite/write/tenant-writer.ts',
    from: 'if (value === null || value === undefined) return null',
    to: "if (value === null || value === undefined || value === '') return null",
  },
  {
    name: 'texts are bound in their composed form',
    file: 'adapters/sqlite/write/tenant-writer.ts',
    from: 'value.toWellFormed()',
    to: 'value.normalize()',
  },
  {
    name: 'a text cell loses the spaces around it',
    file: 'domain/imports/file/csv.ts',
    from: "case 'text':\n    case null:\n      return cell",
    to: "case 'text':\n    case null:\n      return cell.trim()",
  },
  {
    name: 'a line break in a quoted cell becomes a space',
    file: 'domain/imports/file/csv.ts',
    from: 'next.parts.join(lineEnd)',
    to: "next.parts.join(' ')",
  },
  {
    name: 'the export of members shows an unknown amount as 0',
    file: 'domain/analytics/members.ts',
    from: 'amountCents === null ? null : amountCents / 100',
    to: '(amountCents ?? 0) / 100',
  },
]
