import { sql, type Expression } from 'kysely'
import type { StorageType } from '../../../domain/record/field.ts'
import { ARGUMENTS_MAX } from '../statement/hosted-limits.ts'

/** One column of a row that is written as JSON: the member's name and the SQL of its value. */
export interface JsonMember {
  readonly field: string
  readonly storage: StorageType
  readonly value: Expression<unknown>
}

/** The maximum number of members for one call of the function, of which one argument is the format. */
const MEMBERS_MAX = ARGUMENTS_MAX - 1

/**
 * The SQL for a row as the text of a JSON object. SQLite escapes text as `JSON.stringify` does, and JSON values are
 * stored as `JSON.stringify` wrote them. Fractions are written with 17 digits, which identify every double exactly.
 */
export function jsonLine(members: readonly JsonMember[]): Expression<unknown> {
  const parts: Expression<unknown>[] = []
  for (let start = 0; start < members.length; start += MEMBERS_MAX) {
    parts.push(formatted(members.slice(start, start + MEMBERS_MAX), start > 0))
  }
  return sql`'{' || ${sql.join(parts, sql` || `)} || '}'`
}

function formatted(members: readonly JsonMember[], continues: boolean): Expression<unknown> {
  const names = members.map(({ field }) => `"${field}":%s`).join()
  const format = sql.lit(continues ? `,${names}` : names)
  return sql`format(${format}, ${sql.join(members.map(written))})`
}

function written({ storage, value }: JsonMember): Expression<unknown> {
  switch (storage) {
    case 'text':
      return sql`json_quote(${value})`
    case 'integer':
    case 'json':
      return sql`ifnull(${value}, 'null')`
    case 'real':
      // format() takes null for the number 0.
      return sql`iif(${value} is null, 'null', format('%!.17g', ${value}))`
    case 'boolean':
      return sql`case ${value} when 1 then 'true' when 0 then 'false' else 'null' end`
  }
}
