import type { Clock } from '../../../ports/clock.ts'
import type {
  KeyClaim,
  KeyedRead,
  KeyedReader,
  KeyedStorage,
  QueryResult,
} from '../../../ports/keyed-storage.ts'
import type { ReadQuery } from '../../../ports/query.ts'
import { isOutgrown, takeIsFollowed, TOO_LARGE } from '../read/bounded-rows.ts'
import { elsewhere } from '../placement/guard.ts'
import type { ClaimNow, KeyedAnswer, KeyedRow } from '../read/keyed-statements.ts'
import { boundedStatements, keyedStatement } from '../read/keyed-statements.ts'
import type { Reading } from '../read/reading.ts'
import { readingOf } from '../read/reading.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Executor } from '../statement/executor.ts'
import { resultsOf, rowsOf } from '../statement/executor.ts'
import { decodeRows } from '../table/decode.ts'
import { serviceTables } from '../table/table-set.ts'
import type { KeyRow } from '../table/access-rows.ts'
import { keyFromRow, organizationFromRow } from '../table/access-rows.ts'
import { sql } from '../statement/sql.ts'
import { worksNow } from '../table/working-key.ts'
import { nowOf } from '../write/write-clock.ts'

const findPlatformKey = template(sql<KeyRow>`
  select * from api_keys where key_id = ${slot('keyId')} and kind = 'platform' and ${worksNow('api_keys')}`)

/** Reads of tenant data. The key and the queries are one statement: one trip, and one state of the database. */
export function createKeyedStorage(executor: Executor, clock: Clock): KeyedStorage {
  return {
    open: (claim) => openReader(executor, clock, claim),
    async findPlatformKey(keyId) {
      const [row] = await rowsOf(executor, bind(findPlatformKey, { keyId, now: nowOf(clock) }))
      return row === undefined ? null : keyFromRow(row)
    },
  }
}

function openReader(executor: Executor, clock: Clock, claimed: KeyClaim): KeyedReader {
  return {
    async read(queries: readonly ReadQuery[]): Promise<KeyedRead> {
      const claim = { ...claimed, now: nowOf(clock) }
      const readings = queries.map((query) => readingOf(serviceTables, query))
      const row = await readAsText(executor, claim, readings)
      if (row === 'too_large') return readAsRows(executor, claim, queries, readings)
      if (row === undefined) return { authenticated: false }
      const results = readings.map((_, index): QueryResult => {
        return { kind: 'lines', text: row[`result${index}`] ?? '' }
      })
      return authenticated(claim, row, results)
    },
  }
}

function authenticated(
  { organizationId, keyId }: KeyClaim,
  row: KeyedRow,
  results: readonly QueryResult[],
): KeyedRead {
  return {
    authenticated: true,
    key: {
      keyId,
      organizationId,
      secretVersion: row.secret_version,
      scope: row.scope,
      ratePerMinute: row.rate_per_minute,
      lastUsedAt: row.last_used_at,
    },
    organization: organizationFromRow({ ...row, organization_id: organizationId }),
    results,
  }
}

/** Most reads of one statement: hosted SQLite binds 100 parameters, and a read has at most some twenty. */
const READS_MAX = 4

/** A row with the key, its organization and every `result…`. Undefined: the key is not proven. */
async function readAsText(
  executor: Executor,
  claim: ClaimNow,
  readings: readonly Reading[],
): Promise<KeyedRow | undefined | 'too_large'> {
  const statements = [keyedStatement(claim, readings.slice(0, READS_MAX), 0)]
  for (let start = READS_MAX; start < readings.length; start += READS_MAX)
    statements.push(keyedStatement(claim, readings.slice(start, start + READS_MAX), start))
  try {
    const answers = await resultsOf(executor, statements)
    const rows = answers.flatMap((answer) => provenRows(answer.rows))
    const [first, ...others] = rows
    if (first === undefined || rows.length < statements.length) return undefined
    const row = others.reduce((all, one) => ({ ...all, ...one }), first)
    return readings.some((_, index) => row[`result${index}`] === TOO_LARGE) ? 'too_large' : row
  } catch (error) {
    if (isOutgrown(error)) return 'too_large'
    throw error
  }
}

/** The row of a proven key, or none. Throws an `ElsewhereError` when the organization lives in another database. */
function provenRows(answers: readonly KeyedAnswer[]): readonly KeyedRow[] {
  return answers.map((answer) => {
    if (answer.elsewhere !== null) throw elsewhere(answer.elsewhere)
    return answer
  })
}

/** Reads results that are too large for one text: a second call, which checks the key again. */
async function readAsRows(
  executor: Executor,
  claim: ClaimNow,
  queries: readonly ReadQuery[],
  readings: readonly Reading[],
): Promise<KeyedRead> {
  const [found, ...pages] = await resultsOf(executor, [
    keyedStatement(claim, [], 0),
    ...boundedStatements(claim, readings),
  ])
  const [row] = provenRows(found.rows)
  if (row === undefined) return { authenticated: false }
  const results = queries.map((query, index): QueryResult => {
    const bounded = pages[index]?.rows ?? []
    const isCutShort = takeIsFollowed(bounded)
    if (query.kind === 'groups') return { kind: 'rows', rows: bounded, isCutShort }
    const rows = decodeRows(serviceTables.tableOf(query.collection), query.select, bounded)
    return { kind: 'rows', rows, isCutShort }
  })
  return authenticated(claim, row, results)
}
