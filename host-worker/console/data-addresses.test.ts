import { expect, test } from 'vitest'
import { endpoints } from '../../test/support/contract/endpoints.ts'
import { buildDocument } from '../../domain/document/openapi.ts'
import {
  addressOf,
  columnFieldsOf,
  detailOf,
  linkOf,
  onwardFrom,
  placeOf,
  dataRoutesIn,
  dayOf,
  startOf,
  type ContractDocument,
} from './app/data/routes.ts'

const routes = dataRoutesIn(JSON.parse(JSON.stringify(buildDocument(endpoints))) as ContractDocument)
const place = (address: string) => {
  const found = placeOf(routes, address)
  if (found === null) throw new Error(`There is no place at ${address}`)
  return found
}

test('an address is the route without parameters before the one with them', () => {
  expect(place('forms/submissions').route.isCollection).toBe(true)
  expect(place('forms/demo').params).toEqual({ formId: 'demo' })
  expect(place('contacts/a%2Fb').params).toEqual({ contactId: 'a/b' })
  expect(placeOf(routes, 'members')).toBeNull()
  expect(placeOf(routes, 'contacts/')).toBeNull()
})

test('no value leads out of its place', () => {
  expect(addressOf('contacts/{contactId}', { contactId: '..' })).toBeNull()
  expect(addressOf('contacts/{contactId}', { contactId: null })).toBeNull()
  expect(addressOf('contacts/{contactId}', { contactId: '../x?y' })).toBe('contacts/..%2Fx%3Fy')
})

test('ids lead to the rows that they name', () => {
  expect(linkOf(routes, 'siteIds', 's1', {})).toBe('sites/s1')
  expect(linkOf(routes, 'runId', 'r1', {})).toBe('automations/runs/r1')
  expect(linkOf(routes, 'responseId', 'r1', { surveyId: 'v1' })).toBe('surveys/v1/responses/r1')
  expect(linkOf(routes, 'responseId', 'r1', {})).toBeNull()
  expect(linkOf(routes, 'reviewId', 'r1', {})).toBeNull()
  expect(detailOf(routes, place('surveys'), { id: 'v1' })).toBe('surveys/v1')
  expect(detailOf(routes, place('contact-lists/l1/contacts'), { contactId: 'c1' })).toBe('contacts/c1')
  expect(detailOf(routes, place('pos/customers'), { customerId: 'c1' })).toBe('pos/customers/c1')
})

/** Ids of what is no collection, or whose own rows have no detail route, or one that only their own table leads to. */
const NO_ROWS = [
  ...['accountId', 'customerId', 'googlePlaceId', 'googleReviewId', 'organizationId', 'parentId'],
  ...['redemptionId', 'reviewId', 'signupId', 'submissionId', 'transactionId'],
]

test('every id that names a row of another collection leads there, and a code of a site to the sites', () => {
  expect(linkOf(routes, 'parentSurveyId', 'v1', {})).toBe('surveys/v1')
  expect(linkOf(routes, 'siteCode', 'A&B', {})).toBe('sites?siteCode=A%26B')
  expect(linkOf(routes, 'siteCode', 'APT', { siteId: 's1' })).toBeNull()
  expect(linkOf(routes, 'customerId', 'c1', { transactionId: 't1' })).toBe('pos/customers/c1')
  const ids = new Set(
    routes.flatMap(({ fields }) => Object.keys(fields).filter((field) => /Ids?$/.test(field))),
  )
  const row = { surveyId: 'v1', formId: 'f1' }
  const without = [...ids].filter((field) => linkOf(routes, field, 'x', row) === null)
  expect(without.sort()).toEqual(NO_ROWS)
})

test('a row leads to what is below it and to what can be filtered by it', () => {
  expect(onwardFrom(routes, place('voucher-groups/g1')).map(({ address }) => address)).toEqual([
    'vouchers/redemptions?groupId=g1',
    'voucher-groups/g1/vouchers',
  ])
  expect(onwardFrom(routes, place('contacts/c1')).map(({ address }) => address)).toContain(
    'purchases?contactId=c1',
  )
})

test('every collection has columns, and the time of its order is the last', () => {
  for (const route of routes.filter(({ isCollection }) => isCollection))
    expect(columnFieldsOf(route).length, route.template).toBeGreaterThan(0)
  expect(columnFieldsOf(place('purchases').route).at(-1)).toBe('purchasedAt')
})

test('a day stays the day that was chosen', () => {
  expect(dayOf(startOf('2026-03-29'))).toBe('2026-03-29')
  expect(startOf('2026-03-29')).toMatch(/Z$/)
  expect([startOf('tomorrow'), dayOf('tomorrow')]).toEqual(['', ''])
})
