import type { StorageType } from '../../../domain/record/field.ts'
import type { RawBuilder } from '../statement/sql.ts'
import { sql } from '../statement/sql.ts'

/** One column of a row that is written as JSON: the member's name and the SQL of its value. */
export interface JsonMember {
  readonly field: string
  readonly storage: StorageType
  readonly value: RawBuilder<unknown>
}

/** Hosted SQLite takes 32 arguments to a function; one of them is the format itself. */
const MEMBERS_MAX = 31

/**
 * A row as the text of a JSON object. SQLite escapes text as `JSON.stringify` does, and documents are stored as
 * `JSON.stringify` wrote them. Fractions are written with 17 digits, which name every double exactly.
 */
export function jsonLine(members: readonly JsonMember[]): RawBuilder<unknown> {
  const parts: RawBuilder<unknown>[] = []
  for (let start = 0; start < members.length; start += MEMBERS_MAX) {
    parts.push(formatted(members.slice(start, start + MEMBERS_MAX), start > 0))
  }
  return sql`'{' || ${sql.join(parts, sql` || `)} || '}'`
}

function formatted(members: readonly JsonMember[], continues: boolean): RawBuilder<unknown> {
  const names = members.map(({ field }) => `"${field}":%s`).join()
  const format = sql.lit(continues ? `,${names}` : names)
  return sql`format(${format}, ${sql.join(members.map(written))})`
}

function written({ storage, value }: JsonMember): RawBuilder<unknown> {
  switch (storage) {
    case 'text':
      return sql`json_quote(${value})`
    case 'integer':
    case 'json':
      return sql`ifnull(${value}, 'null')`
    case 'real':
      return sql`ifnull(format('%!.17g', ${value}), 'null')`
    case 'boolean':
      return sql`case ${value} when 1 then 'true' when 0 then 'false' else 'null' end`
  }
}
