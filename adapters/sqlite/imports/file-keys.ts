import { sql } from 'kysely'
import type { RepeatedKey } from '../../../ports/records/import-sessions.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Executor } from '../statement/executor.ts'
import { rowsOf } from '../statement/executor.ts'
import { ofSession } from './session-row.ts'

const bucket = sql`import_keys as k, json_each(k."keys") as entry
  where ${ofSession} and k.bucket = ${slot('bucket')}`

const repeated = template(sql<{ readonly key: string }>`
  select entry.value as key from ${bucket} group by entry.value having count(*) > 1 limit +${slot('limit')}`)

/** In a stored row, `keys` and `lines` are parallel lists. */
const linesOfKeys = template(sql<{ readonly key: string; readonly line: number }>`
  select entry.value as key, k.lines ->> entry.key as line from ${bucket}
    and (${slot('wanted')} is null or entry.value in (select value from json_each(${slot('wanted')})))
  order by line`)

export interface Bucket {
  readonly organizationId: string
  readonly importId: string
  readonly bucket: number
}

/** The keys of a bucket that occur in several lines. The lines are looked up for those keys only. */
export async function repeatedKeys(
  executor: Executor,
  of: Bucket,
  limit: number,
): Promise<readonly RepeatedKey[]> {
  const found = await rowsOf(executor, bind(repeated, { ...of, limit }))
  if (found.length === 0) return []
  return keysWithLines(executor, of, JSON.stringify(found.map(({ key }) => key)))
}

/**
 * The keys of a bucket with their lines.
 * @param wanted only these keys, as a JSON array; null: all
 */
export async function keysWithLines(
  executor: Executor,
  of: Bucket,
  wanted: string | null,
): Promise<readonly RepeatedKey[]> {
  const lines = new Map<string, number[]>()
  for (const { key, line } of await rowsOf(executor, bind(linesOfKeys, { ...of, wanted }))) {
    const known = lines.get(key)
    if (known === undefined) lines.set(key, [line])
    else known.push(line)
  }
  return [...lines].map(([key, held]) => ({ key, lines: held }))
}
