import { sql } from 'kysely'
import type { KeyClaim } from '../../../ports/organizations.ts'
import { bind, db, eb, slot, template, type Template } from '../statement/compiler.ts'
import { one } from '../statement/words.ts'
import { settingColumns, type KeyRow, type OrganizationRow } from '../table/access-rows.ts'
import type { BoundValue, ResultRow, Statement } from '../statement/executor.ts'
import { worksNow } from '../table/working-key.ts'
import { templateCache } from '../../sql/statement.ts'
import { boundedRows, textOfRows } from './bounded-rows.ts'
import { isPlaced, placedText, type PlacedText } from '../placement/family-row.ts'
import type { Reading } from './reading.ts'

/** A key's claim, and the instant at which it is checked. */
export interface ClaimNow extends KeyClaim {
  readonly now: string
}

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
export type KeyedRow = WorkingKeyRow &
  Omit<OrganizationRow, 'organization_id'> &
  Readonly<Record<`result${number}`, string | null>>

/** The row for an organization that this database does not hold. All other columns are null. */
interface ElsewhereRow {
  readonly elsewhere: PlacedText
}

/** A row that a keyed statement returns. It returns none when the key is not proven. */
export type KeyedAnswer = (KeyedRow & { readonly elsewhere: null }) | ElsewhereRow

/** The columns of the key and of its organization. */
const columns = [
  ...workingKeyColumns.map((column) => `k.${column}` as const),
  ...settingColumns.map((column) => `o.${column}` as const),
]

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
  const made = keyedTemplates(`text ${first} ${shape}`, () => {
    const results = readings.map((reading, index) =>
      textOfRows(reading, `q${first + index}`).as(`result${first + index}`),
    )
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

/** The statements for results that are too large to be one text, one for each. Each checks the key's row first. */
export function boundedStatements(
  claim: ClaimNow,
  readings: readonly Reading[],
): readonly Statement<ResultRow>[] {
  const isProven = eb.exists(proven.select(one))
  return readings.map((reading, index) => {
    const made = boundedTemplates(`rows ${index} ${reading.shape}`, () =>
      template(boundedRows(reading, `q${index}`, isProven)),
    )
    return bind(made, keyedValues(claim, [reading], index))
  })
}

function keyedValues(
  { organizationId, keyId, hashes: [currentHash, previousHash], now }: ClaimNow,
  readings: readonly Reading[],
  first: number,
): Readonly<Record<string, BoundValue>> {
  const values: Record<string, BoundValue> = {
    owner: organizationId,
    keyId,
    now,
    currentHash,
    previousHash: previousHash ?? null,
  }
  readings.forEach((reading, index) => {
    for (const [slotName, value] of Object.entries(reading.values))
      values[`q${first + index}${slotName}`] = value
  })
  return values
}
