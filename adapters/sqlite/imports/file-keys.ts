import { sql } from 'kysely'
import type { RepeatedKey } from '../../../ports/import-sessions.ts'
import type { Database } from '../database/database.ts'
import { atMost, bind, db, slot, template } from '../statement/compiler.ts'
import { rowsOf, type Executor } from '../statement/executor.ts'
import { jsonEach, textsOf } from '../statement/words.ts'
import { ofSession } from './session-row.ts'

/** The keys of a row of `import_keys` with the alias k, as rows with the alias entry. */
export const keysInFile = jsonEach<string, 'entry'>(
  sql.id('k', 'keys' satisfies keyof Database['import_keys']),
  'entry',
)

const bucket = db
  .selectFrom(['import_keys as k', keysInFile])
  .select('entry.value as key')
  .where(ofSession)
  .where('k.bucket', '=', slot('bucket'))

const repeated = template(
  bucket
    .groupBy('entry.value')
    .having(({ fn }) => fn.countAll(), '>', sql.lit(1))
    .limit(atMost('limit')),
)

/** In a stored row, `keys` and `lines` are parallel lists. */
const linesOfKeys = template(
  bucket
    .select(({ ref }) => sql<number>`${ref('k.lines')} ->> ${ref('entry.key')}`.as('line'))
    .where(({ eb, or }) =>
      or([eb(slot<string | null>('wanted'), 'is', null), eb('entry.value', 'in', textsOf(slot('wanted')))]),
    )
    .orderBy('line'),
)

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
