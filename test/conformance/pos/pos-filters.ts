import assert from 'node:assert/strict'
import { posSourceKinds } from '../../../domain/pos/index.ts'
import type { Predicate } from '../../../ports/index.ts'
import { readAll, type PosCase } from './pos-case.ts'
import { account, at, customer, equals, ids, pageQuery, transaction, where } from './pos-fixtures.ts'

type Expectation = readonly [predicates: readonly Predicate[], found: readonly string[]]

/** A case that reads with each list of predicates, in pages of two rows. */
function finds(collection: string, expected: readonly Expectation[]) {
  return async (...[make]: Parameters<PosCase['run']>) => {
    const pos = await make()
    await pos.load('north', 'pos-transactions', transactions)
    await pos.load('north', 'pos-customers', customers)
    await pos.load('north', 'pos-recurring-accounts', accounts)
    const source = await pos.source('north')
    for (const [predicates, found] of expected) {
      const rows = await readAll(source, pageQuery(collection, predicates, 2))
      assert.deepEqual(ids(rows), found, JSON.stringify(predicates))
    }
  }
}

const transactions = [
  transaction('t-1', { customerId: 'c-1', siteCode: 'RIV', completedAt: at(1) }),
  transaction('t-2', { customerId: 'c-2', siteCode: 'RIV', completedAt: at(2) }),
  transaction('t-3', { customerId: 'c-1', siteCode: 'DTN', completedAt: at(3) }),
  transaction('t-4', { completedAt: at(4) }),
]

const customers = [
  customer('c-1', { active: true, homeSiteCode: 'RIV', phone: '+12125550123', createdAt: at(1) }),
  customer('c-2', { active: false, homeSiteCode: 'RIV', email: 'Ada@Example.com', createdAt: at(2) }),
  customer('c-3', { active: null, homeSiteCode: 'RIV', createdAt: at(3) }),
  customer('c-4', { active: false, homeSiteCode: 'DTN', phone: '+12125550123', createdAt: at(4) }),
  customer('c-5', { active: true, createdAt: null }),
]

const accounts = [
  account('a-1', { customerId: 'c-1', status: 'active', siteCode: 'RIV', startedAt: at(1) }),
  account('a-2', { customerId: 'c-1', status: 'canceled', siteCode: 'DTN', startedAt: at(2) }),
  account('a-3', { customerId: 'c-2', status: 'suspended', siteCode: 'RIV', startedAt: at(3) }),
  account('a-4', { customerId: null, status: 'unknown', siteCode: null, startedAt: null }),
  account('a-5', { customerId: 'c-2', status: 'active', siteCode: 'RIV', startedAt: at(5) }),
]

const accountExpectations: readonly Expectation[] = [
  [[equals('customerId', 'c-1')], ['a-2', 'a-1']],
  [[equals('status', 'active')], ['a-5', 'a-1']],
  [[equals('status', 'unknown')], ['a-4']],
  [[equals('siteCode', 'RIV')], ['a-5', 'a-3', 'a-1']],
  [
    [equals('siteCode', 'RIV'), equals('status', 'active')],
    ['a-5', 'a-1'],
  ],
  [[equals('customerId', 'c-2'), equals('status', 'active'), equals('siteCode', 'RIV')], ['a-5']],
  [[equals('customerId', 'c-1'), equals('siteCode', 'RIV'), equals('status', 'canceled')], []],
]

export const posFilterCases: readonly PosCase[] = [
  {
    name: 'the capabilities are those of its kind',
    async run(make) {
      const pos = await make()
      assert.deepEqual((await pos.source('north')).capabilities, posSourceKinds[pos.kind].capabilities)
    },
  },
  {
    name: 'transactions are found by customer, site and time, alone and together',
    run: finds('pos-transactions', [
      [[], ['t-4', 't-3', 't-2', 't-1']],
      [
        [equals('customerId', 'c-1'), where('completedAt', 'atLeast', at(0))],
        ['t-3', 't-1'],
      ],
      [[equals('customerId', 'c-1'), where('completedAt', 'atLeast', at(2))], ['t-3']],
      [[equals('siteCode', 'RIV')], ['t-2', 't-1']],
      [[equals('siteCode', 'RIV'), where('completedAt', 'below', at(2))], ['t-1']],
      [
        [equals('customerId', 'c-1'), equals('siteCode', 'RIV'), where('completedAt', 'atLeast', at(0))],
        ['t-1'],
      ],
      [[equals('siteCode', 'riv')], []],
    ]),
  },
  {
    name: 'customers are found by phone, by address whatever its case, and by site',
    run: finds('pos-customers', [
      [[equals('phone', '+12125550123')], ['c-4', 'c-1']],
      [[equals('phone', '+12125550199')], []],
      [[equals('emailKey', 'ada@example.com')], ['c-2']],
      [[equals('emailKey', 'ada@example.org')], []],
      [[equals('homeSiteCode', 'RIV')], ['c-3', 'c-2', 'c-1']],
      [[equals('phone', '+12125550123'), equals('homeSiteCode', 'DTN')], ['c-4']],
    ]),
  },
  {
    name: 'a customer of unknown activity is neither active nor inactive',
    run: finds('pos-customers', [
      [[], ['c-4', 'c-3', 'c-2', 'c-1', 'c-5']],
      [[equals('active', false)], ['c-4', 'c-2']],
      [[equals('active', true)], ['c-1', 'c-5']],
      [[equals('homeSiteCode', 'RIV'), equals('active', false)], ['c-2']],
      [[equals('phone', '+12125550123'), equals('active', false)], ['c-4']],
    ]),
  },
  {
    name: 'accounts are found by customer, status and site, alone and together',
    run: finds('pos-recurring-accounts', accountExpectations),
  },
  {
    name: 'account details are found as accounts are',
    run: finds('pos-recurring-account-details', accountExpectations),
  },
]
