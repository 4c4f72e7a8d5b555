import * as v from 'valibot'
import { expect, it } from 'vitest'
import { caseCustomer, caseHistory, caseNotes, caseSite } from './cases.ts'

const context = { organizationId: 'acme', phoneCountry: 'US', toE164: () => null }
const nothing = {
  action: null,
  from: null,
  to: null,
  resolution: null,
  notes: null,
  userName: null,
  userEmail: null,
  channel: null,
}

it('fills the texts that are missing with null, of a missing object too', () => {
  const site = caseSite().input(context)
  for (const given of [undefined, null, {}, { name: null }]) {
    expect(v.parse(site, given)).toEqual({ siteId: null, name: null, commonName: null })
  }
  const customer = v.parse(caseCustomer().input(context), { name: 'Ada' })
  expect(customer).toEqual({ customerId: null, name: 'Ada', email: null, phone: null, licensePlate: null })
  expect(v.parse(site, { siteId: 's-1' }).siteId).toBe('s-1')
  expect(v.is(site, { siteId: '' })).toBe(false)
  expect(v.is(site, { siteID: 's-1' })).toBe(false)
})

it('puts the history in time order, whatever the offsets, and keeps the order of a tie', () => {
  const lines = [
    { timestamp: '2026-01-01T12:00:00+01:00', action: 'third' },
    { timestamp: '2026-01-01T10:00:00Z', action: 'first' },
    { timestamp: '2026-01-01T05:00:00-05:00', action: 'second' },
  ]
  const field = caseHistory()
  const history = v.parse(field.input(context), lines)
  expect(history).toEqual([
    { ...nothing, timestamp: '2026-01-01T10:00:00.000Z', action: 'first' },
    { ...nothing, timestamp: '2026-01-01T10:00:00.000Z', action: 'second' },
    { ...nothing, timestamp: '2026-01-01T11:00:00.000Z', action: 'third' },
  ])
  expect(v.is(field.schema, history)).toBe(true)
})

it.each([
  [{ system: true }, 'timestamp'],
  [{ timestamp: '2026-01-01T10:00:00', system: true }, 'timestamp'],
  [{ timestamp: '2026-01-01T10:00:00Z' }, 'system'],
  [{ timestamp: '2026-01-01T10:00:00Z', system: true, author: 'x' }, 'author'],
])('refuses the note %j, naming %s', (note, key) => {
  const result = v.safeParse(caseNotes().input(context), [note])
  expect(result.issues?.map((issue) => v.getDotPath(issue))).toEqual([`0.${key}`])
})
