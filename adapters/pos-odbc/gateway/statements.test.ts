import { sql } from 'kysely'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, afterAll, beforeAll, describe } from 'vitest'
import { scratchFolder } from '../../../test/support/scratch/scratch-folder.ts'
import { everyStatement } from '../../../test/support/pos/pos-statements.ts'
import { bind, slot, type Statement } from '../../sql/statement.ts'
import { SOURCE_KINDS, type NeutralRow } from '../protocol.ts'
import { DIALECTS, compiledOnce, db, oneStatement, pageStatement } from './statements.ts'
import { MAPPINGS } from './mappings.ts'
import { openEmbeddedSource, type WritableRows } from './write.ts'

const byId = () => db.selectFrom('pos_sale').select('site_no').where('sale_no', '=', slot('id'))

it('compiles a shape once for each dialect, with the parameters of ODBC', () => {
  let built = 0
  const build = () => {
    built += 1
    return byId()
  }
  const texts = [DIALECTS.postgresql, DIALECTS.sqlite].map((dialect) =>
    ['one', 'two'].map((id) => bind(compiledOnce(dialect, 'template.test by id', build), { id })),
  )
  expect(built).toBe(2)
  const [postgresql, sqlite] = [
    'select "site_no" from "pos_sale" where "sale_no" = ?',
    'select `site_no` from `pos_sale` where `sale_no` = ?',
  ]
  expect(texts).toEqual(
    [postgresql, sqlite].map((text) => [
      { sql: text, parameters: ['one'] },
      { sql: text, parameters: ['two'] },
    ]),
  )
})

it('takes no value, which would be frozen into the text', () => {
  const withValue = () => byId().where(sql<boolean>`site_no = ${'s1'}`)
  expect(() => compiledOnce(DIALECTS.sqlite, 'template.test value', withValue)).toThrow(TypeError)
})

it('has a text that depends on no value', () => {
  for (const dialect of Object.values(DIALECTS)) {
    const scope = (tenant: string) => ({ source: MAPPINGS.odbc_shared, dialect, tenant })
    const page = (value: string, limit: number) =>
      pageStatement(scope(value), 'pos-customers', 'valued', {
        filters: { email: value, active: value === 'a' },
        after: { value: '2026-01-01T00:00:00.000Z', id: value },
        limit,
      })
    const odd = `'"\`?; drop table pos_sale --`
    expect(page(odd, 2).sql).toBe(page('a', 1).sql)
    expect(page(odd, 2).sql).not.toContain('drop')
    expect(page(odd, 2).parameters).toHaveLength([...page('a', 1).sql.matchAll(/\?/g)].length)
  }
})

it('fails where a column is missing, also on a SQLite that takes names in double quotes for texts', () => {
  const database = new DatabaseSync(':memory:', { enableDoubleQuotedStringLiterals: true })
  database.exec('create table Guest (GuestId text); insert into Guest values (1)')
  expect(database.prepare('select "Email" from Guest').get()).toEqual({ '"Email"': 'Email' })
  const scope = { source: MAPPINGS.odbc_second, dialect: DIALECTS.sqlite, tenant: 'a' }
  const { sql: text } = oneStatement(scope, 'pos-customers', '1')
  expect(() => database.prepare(text)).toThrow('no such column: FirstName')
})

/** Enough rows for statistics to tell a site, which has many rows, from an address, which has few. */
const ROWS = 500

/** The embedded database of a source, with rows of two tenants; most belong to the tenant that is read. */
function filled(kind: (typeof SOURCE_KINDS)[number]): DatabaseSync {
  const file = join(scratchFolder(), `${kind}.sqlite`)
  const database = openEmbeddedSource(kind, file)
  for (const tenant of ['a', 'b']) {
    const owned = Array.from({ length: ROWS }, (_, index) => index).filter(
      (index) => (index % 10 === 0 ? 'b' : 'a') === tenant,
    )
    for (const [rows, rowOf] of Object.entries(ROW_OF)) {
      database.write(tenant, rows as WritableRows, owned.map(rowOf))
    }
  }
  database.close()
  return new DatabaseSync(file)
}

const instant = (index: number) => new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString()
const common = (index: number) => ({ customerId: `c${index % 50}`, siteCode: `s${index % 5}` })
const event = (index: number) => ({
  eventId: `e${index}`,
  accountId: `x${index % 7}`,
  occurredAt: instant(index),
})

const ROW_OF: Readonly<Record<WritableRows, (index: number) => NeutralRow>> = {
  'pos-transactions': (index) => ({
    ...common(index),
    transactionId: `x${index}`,
    completedAt: instant(index),
    type: 'sale',
    lineItems: [{ lineId: '1' }],
  }),
  'pos-customers': (index) => ({
    customerId: `x${index}`,
    active: index % 2 === 0,
    createdAt: index % 3 === 0 ? null : instant(index),
    licensePlates: ['a'],
  }),
  'pos-recurring-accounts': (index) => ({
    ...common(index),
    accountId: `x${index}`,
    status: 'active',
    startedAt: index % 3 === 0 ? null : instant(index),
  }),
  'pos-billing-events': (index) => ({ ...event(index), type: 'payment' }),
  'pos-status-events': (index) => ({ ...event(index), toStatus: 'active' }),
}

function planOf(database: DatabaseSync, { sql, parameters }: Statement): readonly string[] {
  return database
    .prepare(`explain query plan ${sql}`)
    .all(...parameters)
    .map(({ detail }) => String(detail))
}

/** Steps whose cost grows with the number of rows: reading a table or an index from its start, or sorting. */
function costlySteps(plan: readonly string[]): readonly string[] {
  return plan.filter((step) => /^SCAN|TEMP B-TREE/.test(step) && !HARMLESS.test(step))
}

/**
 * Two scans are allowed: of the ids that a statement receives as a parameter, and of an index up to the end of an
 * unfiltered first page.
 */
const HARMLESS = /^SCAN p VIRTUAL TABLE|^SCAN Ticket USING INDEX Ticket_Closed$/

describe.each(SOURCE_KINDS)('%s on SQLite', (kind) => {
  const statements = everyStatement(kind, DIALECTS.sqlite, 'a')
  let database: DatabaseSync

  beforeAll(() => {
    database = filled(kind)
  })
  afterAll(() => {
    database.close()
  })

  it('has every index that some statement is served by, and no other', () => {
    const indexes = database
      .prepare("select name from sqlite_master where type = 'index' and sql is not null")
      .all()
      .map(({ name }) => String(name))
    const plans = statements.map(({ statement }) => planOf(database, statement).join())
    expect(indexes.filter((index) => !plans.some((plan) => plan.includes(` ${index} `)))).toEqual([])
    expect(indexes.length).toBeGreaterThan(10)
  })

  it('searches an index for every statement and sorts nothing', () => {
    const costly = () =>
      statements.flatMap(({ name, statement }) =>
        costlySteps(planOf(database, statement)).map((step) => `${name}: ${step}`),
      )
    expect(costly()).toEqual([])
    // With statistics the planner knows that a site has many rows and an address few.
    database.exec('analyze')
    expect(costly()).toEqual([])
    expect(statements.length).toBeGreaterThan(100)
  })
})
