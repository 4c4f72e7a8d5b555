import type { NodeSqlite } from '../../../adapters/node-sqlite/index.ts'
import { migratedImage, tablesOf } from './migrated-image.ts'

/** A value of a database, and where it is. */
export interface StoredValue {
  readonly table: string
  readonly column: string
  readonly text: string
}

/** Every text and every blob that a database stores, in any table. */
export async function everyText(database: NodeSqlite): Promise<readonly StoredValue[]> {
  const tables = tablesOf(migratedImage())
  const results = await database.batch(
    tables.map((table) => ({ sql: `select * from "${table}"`, parameters: [] })),
  )
  return results.flatMap(({ rows }, index) =>
    rows.flatMap((row) =>
      Object.entries(row).flatMap(([column, value]) => {
        const text = value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value
        return typeof text === 'string' ? [{ table: tables[index] ?? '', column, text }] : []
      }),
    ),
  )
}

/** Base64 of any alphabet, long enough to hold a part of a secret. */
const BASE64 = /[\w+/-]{8,}/g

/** Whether a text contains one of these words, as it is, or somewhere in base64. */
export function reveals(text: string, words: readonly string[]): boolean {
  const texts = [text, ...(text.match(BASE64) ?? []).flatMap(decodings)]
  return words.some((word) => texts.some((candidate) => candidate.includes(word)))
}

/** A run of base64 may begin anywhere, so it is decoded from each of its first four characters on. */
function decodings(run: string): readonly string[] {
  return [0, 1, 2, 3].map((start) => Buffer.from(run.slice(start), 'base64').toString('latin1'))
}
