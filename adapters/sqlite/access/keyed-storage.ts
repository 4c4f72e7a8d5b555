import { sql, type AliasedRawBuilder, type Expression, type SqlBool } from 'kysely'
import type { Clock } from '../../../ports/platform.ts'
import type {
  AuthorizedClaim,
  KeyClaim,
  KeyedRead,
  KeyedReader,
  KeyedStorage,
  QueryResult,
  ReadTerms,
  KeyBudget,
  KeyUpkeep,
} from '../../../ports/organizations.ts'
import type { ReadQuery } from '../../../ports/records.ts'
import {
  isOutgrown,
  linesOfText,
  takeStop,
  TOO_LARGE,
  readingOf,
  boundedRows,
  textOfRows,
  type Reading,
} from '../read/reading.ts'
import { elsewhere, type Guard, isPlaced, placedText, type PlacedText } from '../placement/guard.ts'
import { bind, db, slot, template, eb, one, type Template, nowOf, exists } from '../statement/compiler.ts'
import {
  declared,
  rowsOf,
  PARAMETERS_MAX,
  type CountedBatch,
  type CountedResults,
  type Executor,
  type BoundValue,
  type ResultRow,
  type Statement,
} from '../statement/executor.ts'
import {
  decodeRows,
  serviceTables,
  keyFromRow,
  organizationFromRow,
  settingColumns,
  type KeyRow,
  type OrganizationRow,
} from '../tables.ts'
import { templateCache } from '../../sql/statement.ts'

const findPlatformKey = template(() =>
  db
    .selectFrom('api_keys')
    .selectAll()
    .where('key_id', '=', slot('keyId'))
    .where('kind', '=', sql.lit('platform'))
    .where(({ ref }) => worksNow((column) => ref(column))),
)

interface KeyedStorageOptions {
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

function openReader(
  { executor, clock, countedBatch }: KeyedStorageOptions,
  claimed: KeyClaim | AuthorizedClaim,
): KeyedReader {
  const uncountedBatch: CountedBatch = async (statements) => {
    return { results: await executor.batch(statements), budget: null }
  }
  return {
    async read(queries: readonly ReadQuery[], { isCounted = false }: ReadTerms = {}): Promise<KeyedRead> {
      const claim = { ...claimed, now: nowOf(clock) }
      const readings = queries.map((query) => readingOf(serviceTables, query))
      const batch = isCounted && claim.keyId !== null ? (countedBatch ?? uncountedBatch) : uncountedBatch
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
  { organizationId, keyId }: ClaimNow,
  row: KeyedRow,
  results: readonly QueryResult[],
  budget: KeyBudget | null,
): KeyedRead {
  const working = {
    secretVersion: row.secret_version,
    scope: row.scope,
    ratePerMinute: row.rate_per_minute,
    lastUsedAt: row.last_used_at,
  }
  return {
    authenticated: true,
    key: keyId === null ? null : { keyId, organizationId, ...working },
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
    const { results, budget } = await batch(statements, claim.keyId ?? '')
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
  const { results: answers, budget } = await batch(statements, claim.keyId ?? '')
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

/** A claim, and the instant at which it is checked. */
type ClaimNow = (KeyClaim | AuthorizedClaim) & { readonly now: string }

/**
 * Selects a key's row when the key is valid: every claimed part matches, and the key is neither revoked nor expired.
 */
const proven = db
  .selectFrom('api_keys as k')
  .where('k.key_id', '=', slot('keyId'))
  .where('k.organization_id', '=', slot('owner'))
  .where('k.kind', '=', sql.lit('tenant'))
  .where(({ ref }) => worksNow((column) => ref(`k.${column}`)))
  .where('k.hash', 'in', [slot('currentHash'), slot('previousHash')])

/** The columns of a key that are not part of its claim. */
const workingKeyColumns = [
  'secret_version',
  'scope',
  'rate_per_minute',
  'last_used_at',
] as const satisfies readonly (keyof KeyRow)[]
type WorkingKeyRow = Pick<KeyRow, (typeof workingKeyColumns)[number]>

/** The row of a proven key: the key, its organization, and the results as text. A result without rows is null. */
type KeyedRow = WorkingKeyRow &
  Omit<OrganizationRow, 'organization_id'> &
  Readonly<Record<`result${number}`, string | null>>

/** The row for an organization that this database does not hold. All other columns are null. */
interface ElsewhereRow {
  readonly elsewhere: PlacedText
}

/** A row that a keyed statement returns. It returns none when the key is not proven. */
type KeyedAnswer = (KeyedRow & { readonly elsewhere: null }) | ElsewhereRow

/** The columns of the organization, and those of the key with them. */
const settings = settingColumns.map((column) => `o.${column}` as const)
const columns = [...workingKeyColumns.map((column) => `k.${column}` as const), ...settings]

const keyedTemplates = templateCache<Template<KeyedAnswer>>()
const boundedTemplates = templateCache<Template<ResultRow>>()

/**
 * One statement that returns the key, its organization and all results in one row. The results are subselects beside
 * the key's columns, named `result0`, `result1`, …: SQLite evaluates them, and reads the organization, only when the
 * key's row is found. A second branch finds out whether the key belongs to an organization in another database. So one
 * round trip is enough for that. Both branches look for the key's id first (`cross join` keeps the order of the tables,
 * and `+` the table's own index), and for nothing else when it is unknown. So a forged key takes the same work whichever
 * organization it claims, and never causes a second round trip.
 * @param first the number of the first result, when the results are spread over several statements
 */
export function keyedStatement(
  claim: ClaimNow,
  readings: readonly Reading[],
  first: number,
): Statement<KeyedAnswer> {
  const shape = readings.map((reading) => reading.shape).join('||')
  const isAuthorized = claim.keyId === null
  const made = keyedTemplates(`${isAuthorized ? 'open' : 'text'} ${first} ${shape}`, () => {
    const results = readings.map((reading, index) =>
      textOfRows(reading, `q${first + index}`).as(`result${first + index}`),
    )
    if (isAuthorized) return authorizedTemplate(results)
    const here = proven
      .crossJoin('organizations as o')
      .whereRef('o.organization_id', '=', 'k.organization_id')
      .where(({ not, ref }) => not(isPlaced(ref('k.organization_id'))))
      .select([sql<null>`null`.as('elsewhere'), ...columns, ...results])
    const elsewhere = db
      .selectFrom('placed_keys as held')
      .crossJoin('placed_organizations as p')
      .whereRef('p.organization_id', '=', 'held.organization_id')
      .crossJoin('families as f')
      .whereRef('f.family_id', '=', 'p.family_id')
      .where('held.key_id', '=', slot('keyId'))
      .where(({ eb, ref }) => eb(sql`+${ref('held.organization_id')}`, '=', slot('owner')))
      .select([placedText.as('elsewhere'), ...[...columns, ...results].map(() => sql`null`.as('none'))])
    return template(here.$castTo<KeyedAnswer>().unionAll(elsewhere.$castTo<KeyedAnswer>()))
  })
  return bind(made, keyedValues(claim, readings, first))
}

/** An organization that may be read by whoever is authorized: it is there, and neither being restored nor deleted. */
const open = db
  .selectFrom('organizations as o')
  .where('o.organization_id', '=', slot('owner'))
  .where(({ not, ref }) => not(isPlaced(ref('o.organization_id'))))
  .where(
    eb.not(
      exists(
        db
          .selectFrom('restores as closing')
          .where('closing.organization_id', '=', slot('owner'))
          .where('closing.ended_at', 'is', null),
      ),
    ),
  )

/** Like the statement for a key, without one and without its columns. */
function authorizedTemplate(results: readonly AliasedRawBuilder<string | null, `result${number}`>[]) {
  const here = open.select([sql<null>`null`.as('elsewhere'), ...settings, ...results])
  const elsewhere = db
    .selectFrom('placed_organizations as p')
    .innerJoin('families as f', 'f.family_id', 'p.family_id')
    .where('p.organization_id', '=', slot('owner'))
    .select([placedText.as('elsewhere'), ...[...settings, ...results].map(() => sql`null`.as('none'))])
  return template(here.$castTo<KeyedAnswer>().unionAll(elsewhere.$castTo<KeyedAnswer>()))
}

/** The statements for results that are too large to be one text, one for each. Each checks the key's row first. */
function boundedStatements(claim: ClaimNow, readings: readonly Reading[]): readonly Statement<ResultRow>[] {
  const isAuthorized = claim.keyId === null
  const isProven = eb.exists(isAuthorized ? open.select(one) : proven.select(one))
  return readings.map((reading, index) => {
    const made = boundedTemplates(`${isAuthorized ? 'open' : 'rows'} ${index} ${reading.shape}`, () =>
      template(boundedRows(reading, `q${index}`, isProven)),
    )
    return bind(made, keyedValues(claim, [reading], index))
  })
}

function keyedValues(
  claim: ClaimNow,
  readings: readonly Reading[],
  first: number,
): Readonly<Record<string, BoundValue>> {
  const values: Record<string, BoundValue> = { owner: claim.organizationId }
  if (claim.keyId !== null) {
    const [currentHash, previousHash = null] = claim.hashes
    Object.assign(values, { keyId: claim.keyId, now: claim.now, currentHash, previousHash })
  }
  readings.forEach((reading, index) => {
    for (const [slotName, value] of Object.entries(reading.values))
      values[`q${first + index}${slotName}`] = value
  })
  return values
}

/**
 * Prepares the updates of the keys of one table, `api_keys` or `operator_keys`. Returns what makes them of the executor
 * for each key.
 */
export function upkeepOf(
  table: 'api_keys' | 'operator_keys',
): (executorOf: (keyId: string) => Executor) => KeyUpkeep {
  const noteKeyUse = template(() =>
    db
      .updateTable(table)
      .set({ last_used_at: slot('hour') })
      .where('key_id', '=', slot('keyId'))
      .where(({ eb, or }) => or([eb('last_used_at', 'is', null), eb('last_used_at', '<', slot('hour'))])),
  )

  const rehashKey = template(() =>
    db
      .updateTable(table)
      .set({ hash: slot('hash'), secret_version: slot('secretVersion') })
      .where('key_id', '=', slot('keyId'))
      .where('revoked_at', 'is', null),
  )

  return (executorOf) => ({
    async noteKeyUse(keyId, hour) {
      await executorOf(keyId).batch([bind(noteKeyUse, { keyId, hour })])
    },

    async rehashKey(keyId, hash, secretVersion) {
      await executorOf(keyId).batch([bind(rehashKey, { keyId, hash, secretVersion })])
    },
  })
}

const upkeepOfTenantKeys = upkeepOf('api_keys')

/** Updates the rows of tenants' and the platform's keys that were used. */
export function createKeyUpkeep(guard: Guard): KeyUpkeep {
  return upkeepOfTenantKeys((keyId) => guard({ keyId }))
}

/**
 * The SQL for whether a key works at the instant in the slot `now`: it is neither revoked nor expired.
 * @param column refers to a column of the key in the statement
 */
export function worksNow(
  column: (name: 'revoked_at' | 'expires_at') => Expression<string | null>,
): Expression<SqlBool> {
  return eb.and([
    eb(column('revoked_at'), 'is', null),
    eb.or([eb(column('expires_at'), 'is', null), eb(column('expires_at'), '>', slot('now'))]),
  ])
}
