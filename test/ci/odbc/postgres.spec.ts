import { execSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { DIALECTS, childrenStatement, pageStatement } from '../../../adapters/pos-odbc/gateway/statements.ts'
import { MAPPINGS } from '../../../adapters/pos-odbc/gateway/mappings.ts'
import type { Statement } from '../../../adapters/sqlite/statement/executor.ts'
import type { PageQuery, Position, StoredRow } from '../../../ports/records.ts'
import { createPostgresDatabase, postgres } from '../../support/pos/pos-engines.ts'
import { scratchFolder } from '../../support/scratch/scratch-folder.ts'
import { signedHealth, sourcesOf, startGateway } from '../../support/pos/pos-gateway.ts'
import { everyStatement } from '../../support/pos/pos-statements.ts'

const SALES = Number(process.env.ODBC_SALES ?? 100_000)
const PAGE = 500

const sharedSource = (connection: string) => ({
  kind: 'odbc_shared',
  driver: 'odbc',
  dialect: 'postgresql',
  connection,
  currency: 'USD',
})

const salesPage: PageQuery = {
  kind: 'page',
  collection: 'pos-transactions',
  select: ['transactionId', 'completedAt', 'totalCents', 'lineItems'],
  where: [],
  order: { field: 'completedAt', idField: 'transactionId', direction: 'descending' },
  after: null,
  limit: PAGE,
}

/** Many sales of one tenant and a tenth as many of another, each with a line; customers, accounts with events. */
const FILL = `
  insert into pos_sale (tenant_code, sale_no, customer_no, site_no, completed_utc, sale_kind, total_amount)
    select 'a', 's' || i, 'c' || i % 5000, 'site' || i % 7, timestamp '2024-01-01' + i / 2 * interval '1 minute', 'S', i / 100.0
    from generate_series(1, ${SALES}) as i;
  insert into pos_sale (tenant_code, sale_no, completed_utc, sale_kind, total_amount)
    select 'b', 's' || i, timestamp '2024-01-01' + i * interval '1 minute', 'S', 0 from generate_series(1, ${SALES / 10}) as i;
  insert into pos_sale_line (tenant_code, sale_no, line_no, line_position, net_amount)
    select tenant_code, sale_no, '1', 0, total_amount from pos_sale;
  insert into pos_customer (tenant_code, customer_no, email, phone_e164, is_active, home_site_no, created_utc)
    select 'a', 'c' || i, 'p' || i || '@example.com', '+1212555' || i, case i % 3 when 0 then 'Y' when 1 then 'N' end,
      'site' || i % 7, case when i % 4 > 0 then timestamp '2024-01-01' + i * interval '1 minute' end
    from generate_series(1, 100000) as i;
  insert into pos_customer_plate select tenant_code, customer_no, 0, 'P' || customer_no from pos_customer;
  insert into pos_membership (tenant_code, membership_no, customer_no, membership_state, site_no, started_utc)
    select 'a', 'm' || i, 'c' || i % 5000, substr('ASCX', 1 + i % 4, 1), 'site' || i % 7,
      case when i % 4 > 0 then timestamp '2024-01-01' + i * interval '1 minute' end
    from generate_series(1, 100000) as i;
  insert into pos_membership_charge (tenant_code, charge_no, membership_no, charged_utc, charge_kind)
    select 'a', 'e' || i, 'm' || i % 1000, timestamp '2024-01-01' + i * interval '1 minute', 'P' from generate_series(1, 200000) as i;
  insert into pos_membership_change (tenant_code, change_no, membership_no, changed_utc, new_state)
    select 'a', 'e' || i, 'm' || i % 1000, timestamp '2024-01-01' + i * interval '1 minute', 'A' from generate_series(1, 200000) as i;
`

describe('many sales on PostgreSQL', () => {
  let database: string

  beforeAll(() => {
    database = createPostgresDatabase()
    postgres.run(database, FILL)
    postgres.run(database, 'vacuum analyze')
  }, 240_000)

  it('is read to the end, every row once and in order', { timeout: 300_000 }, async () => {
    const gateway = await startGateway([sharedSource(postgres.connection(database))])
    const source = sourcesOf(gateway).open({ kind: 'odbc_shared', tenant: 'a' })
    const before = rowsRead(database)
    const startedAt = performance.now()
    const pageMs: number[] = []
    let after: Position | null = null
    let seen = 0
    do {
      const pageStartedAt = performance.now()
      const page = await source.page({ ...salesPage, after })
      if (page.kind !== 'page') throw new Error(page.reason)
      pageMs.push(performance.now() - pageStartedAt)
      const [first, last] = [page.rows.at(0), page.rows.at(-1)]
      expect(page.rows.filter((row) => !isAsFilled(row))).toEqual([])
      if (after !== null)
        expect(`${String(first?.completedAt)} ${String(first?.transactionId)}` < placeOf(after)).toBe(true)
      expect(
        page.next === null ||
          placeOf(page.next) === `${String(last?.completedAt)} ${String(last?.transactionId)}`,
      ).toBe(true)
      seen += new Set(page.rows.map(({ transactionId }) => transactionId)).size
      after = page.next
    } while (after !== null)
    const seconds = (performance.now() - startedAt) / 1000
    // The sessions report what they have read at the latest when they end, so the gateway is stopped before the count.
    await gateway.stop()
    expect(seen).toBe(SALES)
    const read = rowsRead(database) - before
    const means = thirdsOf(pageMs).map((ms) => ms.toFixed(1))
    process.stdout.write(
      `        ${seen} sales with their lines in ${pageMs.length} pages of ${PAGE}, ${seconds.toFixed(1)} s; rows read by ` +
        `PostgreSQL ${read}; mean ms of a page in each third ${means.join(' / ')}\n`,
    )
    // Each sale and line once, one more row in each page that shows whether another follows, and the start of each
    // search.
    expect(read).toBeLessThan(2 * SALES + 5 * pageMs.length)
  })

  it('searches an index for every statement and sorts nothing', () => {
    const statements = everyStatement('odbc_shared', DIALECTS.postgresql, 'a')
    const plans = plansOf(
      database,
      statements.map(({ statement }) => statement),
    )
    const costly = statements.flatMap(({ name }, index) =>
      nodesOf(plans[index])
        .filter((node) => COSTLY.test(node['Node Type']))
        .map((node) => `${name}: ${node['Node Type']} ${node['Relation Name'] ?? ''}`),
    )
    expect(costly).toEqual([])
    expect(statements.length).toBeGreaterThan(100)
  })

  it('costs the same at the start, in the middle and at the end, with a filter and without', () => {
    const scope = { source: MAPPINGS.odbc_shared, dialect: DIALECTS.postgresql, tenant: 'a' }
    const filters = [
      {},
      { customerId: 'c77' },
      { siteCode: 'site3' },
      { completedAfter: instantOf(1_000) },
      { customerId: 'nobody' },
    ]
    for (const filter of filters) {
      const costs = [null, SALES - 1, SALES / 2, SALES / 20].map((position) => {
        const after = position === null ? null : { value: instantOf(position), id: 's' }
        const parameters = { filters: filter, after, limit: 101 }
        return costOf(database, pageStatement(scope, 'pos-transactions', 'valued', parameters))
      })
      process.stdout.write(
        `        ${JSON.stringify(filter)}: rows ${costs.map(({ rows }) => rows).join(' / ')}, blocks ${costs.map(({ blocks }) => blocks).join(' / ')}\n`,
      )
      for (const { rows, blocks } of costs) {
        expect(rows).toBeLessThanOrEqual(101)
        // The levels of an index (three or four), and at worst one block of the table for each row.
        expect(blocks).toBeLessThanOrEqual(101 + 10)
      }
    }
  })

  it('reads the latest events of an account and no others', () => {
    const scope = { source: MAPPINGS.odbc_shared, dialect: DIALECTS.postgresql, tenant: 'a' }
    const { billingEvents } = scope.source.collections['pos-recurring-account-details'].lists
    if (billingEvents === undefined) throw new Error('There are no billing events')
    const { rows } = costOf(database, childrenStatement(scope, billingEvents, ['m1', 'm2', 'm3'], 50_000))
    // Each account has 200 charges.
    expect(rows).toBe(3 * 24)
  })
})

/** The time at which the sale with this number was completed. */
function instantOf(number: number): string {
  return new Date(Date.UTC(2024, 0, 1) + Math.floor(number / 2) * 60_000).toISOString()
}

function isAsFilled({ transactionId, completedAt, totalCents, lineItems }: StoredRow): boolean {
  const number = Number(String(transactionId).slice(1))
  const [line, ...more] = lineItems as readonly { readonly netAmountCents: number }[]
  const isLine = line?.netAmountCents === number && more.length === 0
  return isLine && totalCents === number && completedAt === instantOf(number)
}

function placeOf({ value, id }: Position): string {
  return `${String(value)} ${id}`
}

function thirdsOf(values: readonly number[]): readonly number[] {
  const third = Math.floor(values.length / 3)
  return [values.slice(0, third), values.slice(third, 2 * third), values.slice(2 * third)].map(
    (part) => part.reduce((sum, value) => sum + value, 0) / part.length,
  )
}

/** Sales and lines that sessions have read, by PostgreSQL's own counters. Only ended sessions are counted. */
function rowsRead(database: string): number {
  const sum =
    "sum(coalesce(idx_tup_fetch, 0) + seq_tup_read) filter (where relname in ('pos_sale', 'pos_sale_line'))"
  return Number(postgres.run(database, `select pg_sleep(1); select ${sum} from pg_stat_user_tables`).trim())
}

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Actual Rows'?: number
  readonly 'Actual Loops'?: number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Shared Hit Blocks'?: number
  readonly 'Shared Read Blocks'?: number
  readonly Plans?: readonly PlanNode[]
}

/** Steps whose cost grows with the table: reading it from its start, or sorting what was read. */
const COSTLY = /Seq Scan|Bitmap|Hash|Merge|Sort/

/** The plans of statements, by one run of psql. */
function plansOf(
  database: string,
  statements: readonly Statement[],
  options = 'format json',
): readonly PlanNode[] {
  const end = 'end of plan'
  const script = statements.map((each) => `explain (${options}) ${filledIn(each)};\n\\echo ${end}`)
  const outputs = postgres.run(database, script.join('\n')).split(`${end}\n`).slice(0, -1)
  return outputs.map((output) => (JSON.parse(output) as [{ readonly Plan: PlanNode }])[0].Plan)
}

function filledIn({ sql, parameters }: Statement): string {
  const left = [...parameters]
  const literal = (value: string | number | null) =>
    typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)
  return sql.replaceAll('?', () => literal(left.shift() ?? null))
}

function nodesOf(node: PlanNode | undefined): readonly PlanNode[] {
  if (node === undefined) throw new Error('A statement has no plan')
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}

/** How many rows a statement reads from tables, returned or not, and how many blocks it touches. */
function costOf(database: string, statement: Statement): { readonly rows: number; readonly blocks: number } {
  const [plan] = plansOf(database, [statement], 'analyze, buffers, format json')
  const rows = nodesOf(plan)
    .filter((node) => node['Relation Name'] !== undefined)
    .map(
      (node) =>
        ((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)) * (node['Actual Loops'] ?? 1),
    )
  const blocks = (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0)
  return { rows: rows.reduce((sum, each) => sum + each, 0), blocks }
}

describe('PostgreSQL stopped and started under load', () => {
  it('fails meanwhile, tells no wrong rows, and recovers by itself', { timeout: 120_000 }, async () => {
    const database = createPostgresDatabase()
    postgres.run(
      database,
      `insert into pos_sale (tenant_code, sale_no, completed_utc, sale_kind, total_amount)
       select 'a', 's' || i, timestamp '2024-01-01' + i * interval '1 minute', 'S', i from generate_series(1, 50) as i; checkpoint`,
    )
    const gateway = await startGateway([sharedSource(postgres.connection(database))])
    const source = sourcesOf(gateway).open({ kind: 'odbc_shared', tenant: 'a' })
    const expected = await source.page(salesPage)
    expect(expected).toMatchObject({ kind: 'page', rows: { length: 50 } })

    const outcomes: string[] = []
    let stage = 'before'
    const work = async () => {
      while (stage !== 'done') {
        const startedIn = stage
        const answer = await source.page(salesPage)
        if (answer.kind === 'page') expect(answer).toEqual(expected)
        if (stage === startedIn) outcomes.push(`${stage} ${answer.kind}`)
      }
    }
    const load = Promise.all(Array.from({ length: 6 }, work))
    const count = (outcome: string) => outcomes.filter((each) => each === outcome).length
    const until = (outcome: string) =>
      expect.poll(() => count(outcome), { timeout: 60_000 }).toBeGreaterThan(5)
    await until('before page')
    stage = 'stopping'
    execSync(process.env.ODBC_POSTGRES_STOP ?? '')
    stage = 'down'
    await until('down unavailable')
    const { body: health } = await signedHealth(gateway)
    stage = 'starting'
    execSync(process.env.ODBC_POSTGRES_START ?? '')
    await expect.poll(() => source.page(salesPage), { timeout: 60_000 }).toEqual(expected)
    stage = 'after'
    await until('after page')
    stage = 'done'
    await load
    await gateway.stop()

    process.stdout.write(
      `        pages before ${count('before page')}, while down ${count('down page')} (refused ${count('down unavailable')}), ` +
        `after ${count('after page')} (refused ${count('after unavailable')})\n`,
    )
    expect(count('down page')).toBe(0)
    expect(count('after unavailable')).toBe(0)
    expect(health).toEqual({ status: 'ok', sources: { ready: 0, unavailable: 1 } })
  })
})

describe('logging in', () => {
  it('takes the password from a file, with whatever characters, and cannot write', async () => {
    const database = createPostgresDatabase()
    const password = "p;w}d{'= 1"
    postgres.run(
      database,
      `insert into pos_sale (tenant_code, sale_no, completed_utc, sale_kind) values ('a', 's1', now(), 'S');
       create role reader login password '${password.replaceAll("'", "''")}';
       grant select on all tables in schema public to reader`,
    )
    const passwordFile = join(scratchFolder(), 'password')
    writeFileSync(passwordFile, `${password}\n`)
    const connection = postgres.connection(database).replace('UID=postgres', 'UID=reader')
    const gateway = await startGateway([{ ...sharedSource(connection), passwordFile }])
    const source = sourcesOf(gateway).open({ kind: 'odbc_shared', tenant: 'a' })
    expect(await source.page(salesPage)).toMatchObject({ kind: 'page', rows: { length: 1 } })
    await gateway.stop()
    expect(JSON.stringify(gateway.log)).not.toContain(password)
  })

  it('does not start with a data source that the driver manager does not know', async () => {
    await expect(startGateway([sharedSource('DSN=nowhere')])).rejects.toThrow('Data source name not found')
  })

  it('starts while the database is down, and says so', async () => {
    const gateway = await startGateway([sharedSource(postgres.connection('missing'))])
    await expect
      .poll(() => gateway.log)
      .toContainEqual(expect.objectContaining({ event: 'source_unavailable' }))
    await gateway.stop()
  })
})
