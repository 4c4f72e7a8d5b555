import { sql } from 'kysely'
import type { Clock } from '../../../ports/platform.ts'
import type {
  KeyClaim,
  KeyedRead,
  KeyedReader,
  KeyedStorage,
  QueryResult,
  ReadTerms,
  KeyBudget,
} from '../../../ports/organizations.ts'
import type { ReadQuery } from '../../../ports/records.ts'
import { isOutgrown, linesOfText, takeStop, TOO_LARGE } from '../read/bounded-rows.ts'
import { elsewhere } from '../placement/guard.ts'
import {
  boundedStatements,
  keyedStatement,
  type ClaimNow,
  type KeyedAnswer,
  type KeyedRow,
} from '../read/keyed-statements.ts'
import { readingOf, type Reading } from '../read/reading.ts'
import { bind, db, slot, template } from '../statement/compiler.ts'
import {
  declared,
  rowsOf,
  type CountedBatch,
  type CountedResults,
  type Executor,
} from '../statement/executor.ts'
import { PARAMETERS_MAX } from '../statement/hosted-limits.ts'
import { decodeRows } from '../table/decode.ts'
import { serviceTables } from '../table/table-set.ts'
import { keyFromRow, organizationFromRow } from '../table/access-rows.ts'
import { worksNow } from '../table/working-key.ts'
import { nowOf } from '../write/write-clock.ts'

const findPlatformKey = template(() =>
  db
    .selectFrom('api_keys')
    .selectAll()
    .where('key_id', '=', slot('keyId'))
    .where('kind', '=', sql.lit('platform'))
    .where(({ ref }) => worksNow((column) => ref(column))),
)

export interface KeyedStorageOptions {
  readonly executor: Executor
  readonly clock: Clock
  /** Left out: requests are not counted. */
  readonly countedBatch?: CountedBatch
}

/**
 * Reads tenant data. The key check and the queries are one statement, so they take one round trip and see one state of
 * the database.
 */
export function createKeyedStorage(options: KeyedStorageOptions): KeyedStorage {
  const { executor, clock } = options
  return {
    open: (claim) => openReader(options, claim),
    async findPlatformKey(keyId) {
      const [row] = await rowsOf(executor, bind(findPlatformKey, { keyId, now: nowOf(clock) }))
      return row === undefined ? null : keyFromRow(row)
    },
  }
}

function openReader({ executor, clock, countedBatch }: KeyedStorageOptions, claimed: KeyClaim): KeyedReader {
  const uncountedBatch: CountedBatch = async (statements) => {
    return { results: await executor.batch(statements), budget: null }
  }
  return {
    async read(queries: readonly ReadQuery[], { isCounted = false }: ReadTerms = {}): Promise<KeyedRead> {
      const claim = { ...claimed, now: nowOf(clock) }
      const readings = queries.map((query) => readingOf(serviceTables, query))
      const batch = isCounted ? (countedBatch ?? uncountedBatch) : uncountedBatch
      const { row, budget } = await readAsText(batch, claim, readings)
      // When SQLite could not even build the text, the batch failed before the request was counted, so the second call
      // counts it.
      if (row === 'too_large')
        return readAsRows(budget === null ? batch : uncountedBatch, claim, queries, readings, budget)
      if (row === undefined) return { authenticated: false }
      const results = readings.map((_, index): QueryResult => {
        return { kind: 'lines', ...linesOfText(row[`result${index}`] ?? '') }
      })
      return authenticated(claim, row, results, budget)
    },
  }
}

function authenticated(
  { organizationId, keyId }: KeyClaim,
  row: KeyedRow,
  results: readonly QueryResult[],
  budget: KeyBudget | null,
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
    budget,
  }
}

/** The maximum number of reads in one statement: a read has up to about twenty parameters, and so has the key check. */
const READS_MAX = PARAMETERS_MAX / 20 - 1

/** The outcome of reading results as texts. */
interface TextRead extends Pick<CountedResults, 'budget'> {
  /**
   * The key, its organization and every `result…`. Undefined: the key is not proven. `too_large`: a result is too large
   * for one text.
   */
  readonly row: KeyedRow | undefined | 'too_large'
}

async function readAsText(
  batch: CountedBatch,
  claim: ClaimNow,
  readings: readonly Reading[],
): Promise<TextRead> {
  const statements = [keyedStatement(claim, readings.slice(0, READS_MAX), 0)]
  for (let start = READS_MAX; start < readings.length; start += READS_MAX)
    statements.push(keyedStatement(claim, readings.slice(start, start + READS_MAX), start))
  try {
    const { results, budget } = await batch(statements, claim.keyId)
    const rows = declared<typeof statements>(results).flatMap((answer) => provenRows(answer.rows))
    const [first, ...others] = rows
    if (first === undefined || rows.length < statements.length) return { row: undefined, budget }
    const row = others.reduce((all, one) => ({ ...all, ...one }), first)
    const isTooLarge = readings.some((_, index) => row[`result${index}`] === TOO_LARGE)
    return { row: isTooLarge ? 'too_large' : row, budget }
  } catch (error) {
    if (isOutgrown(error)) return { row: 'too_large', budget: null }
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
  batch: CountedBatch,
  claim: ClaimNow,
  queries: readonly ReadQuery[],
  readings: readonly Reading[],
  countedBefore: KeyBudget | null,
): Promise<KeyedRead> {
  const statements = [keyedStatement(claim, [], 0), ...boundedStatements(claim, readings)] as const
  const { results: answers, budget } = await batch(statements, claim.keyId)
  const [found, ...pages] = declared<typeof statements>(answers)
  const [row] = provenRows(found.rows)
  if (row === undefined) return { authenticated: false }
  const results = queries.map((query, index): QueryResult => {
    const bounded = pages[index]?.rows ?? []
    const stoppedAt = takeStop(bounded, query.kind === 'page' ? query.order : null)
    if (query.kind === 'groups') return { kind: 'rows', rows: bounded, stoppedAt }
    const rows = decodeRows(serviceTables.tableOf(query.collection), query.select, bounded)
    return { kind: 'rows', rows, stoppedAt }
  })
  return authenticated(claim, row, results, countedBefore ?? budget)
}
