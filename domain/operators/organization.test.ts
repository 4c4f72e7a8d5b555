import * as v from 'valibot'
import { expect, test } from 'vitest'
import {
  organizationSettings,
  newOrganization,
  OrganizationId,
  parentProblem,
} from '../organizations/settings.ts'
import { keysOf } from '../text/encoding.ts'

/** The settings as the command line gives them. */
const Texts = v.object(
  Object.fromEntries(
    keysOf(organizationSettings).map((name) => [name, v.exactOptional(organizationSettings[name].fromText)]),
  ),
)
const read = (changes: object) => v.safeParse(Texts, changes)

test('every setting is read from text, and what is left out stays out', () => {
  expect(read({}).output).toEqual({})
  const texts = {
    name: 'Acme, Inc.',
    slug: 'acme-2',
    parentId: 'group_1',
    smsNumber: '+12125550100',
    phoneCountry: 'GB',
    posSource: 'odbc_shared:north : 1',
    billingEvents: 'no',
    analytics: 'yes',
    retentionOfferAnalytics: 'yes',
    automationHourly: '2500',
  }
  expect(read(texts)).toMatchObject({
    success: true,
    output: {
      ...texts,
      posSource: { kind: 'odbc_shared', tenant: 'north : 1' },
      billingEvents: false,
      analytics: true,
      retentionOfferAnalytics: true,
      automationHourly: 2500,
    },
  })
})

test('empty text clears what may be missing, and none unties a point of sale', () => {
  const cleared = { slug: '', parentId: '', smsNumber: '', posSource: 'none' }
  expect(read(cleared).output).toEqual({ slug: null, parentId: null, smsNumber: null, posSource: null })
})

test('none unties an organization from its parent, and is the id of none', () => {
  expect(read({ parentId: 'none' }).output).toEqual({ parentId: null })
  expect(v.safeParse(OrganizationId, 'none').issues?.[0].message).toMatch(/^must not be none/)
  expect(v.is(OrganizationId, 'None')).toBe(true)
})

const POS_SOURCE = 'must be none or KIND:TENANT, where KIND is one of legacy_vendor, odbc_shared, odbc_second'
const SECOND = /^odbc_second: takes the name of a data source: up to 64/

test.each([
  ['name', ' ', /^must be 1 to 200 characters/],
  ['name', 'x'.repeat(201), /^must be 1 to 200 characters/],
  ['name', 'a\nb', /^must be 1 to 200 characters/],
  ['slug', 'contact', /^contact would make the operator's own sender address/],
  ['slug', 'Acme', /^must be at most 63 lower-case letters/],
  ['slug', 'a--b', /^must be at most 63/],
  ['slug', '-a', /^must be at most 63/],
  ['slug', 'x'.repeat(64), /^must be at most 63/],
  ['parentId', '_a', /^must be 1 to 64 letters/],
  ['parentId', ' none', /^must be 1 to 64 letters/],
  ['smsNumber', '2125550100', /^must be a valid number in E.164 form/],
  ['smsNumber', '+1 212 555 0100', /^must be a valid number in E.164 form/],
  ['phoneCountry', 'us', /^must be an ISO 3166-1 alpha-2 code/],
  ['phoneCountry', '', /^must be an ISO 3166-1 alpha-2 code/],
  ['posSource', '', POS_SOURCE],
  ['posSource', 'legacy_vendor', POS_SOURCE],
  ['posSource', 'legacy_vendor:', POS_SOURCE],
  ['posSource', 'legacy_vendor: north', POS_SOURCE],
  ['posSource', `legacy_vendor:${'x'.repeat(201)}`, POS_SOURCE],
  ['posSource', 'other:north', POS_SOURCE],
  ['posSource', 'odbc_second:', POS_SOURCE],
  ['posSource', 'odbc_second:../north', SECOND],
  ['posSource', `odbc_second:${'x'.repeat(65)}`, SECOND],
  ['billingEvents', 'true', /^must be yes or no$/],
  ['automationHourly', '0', /^must be a whole number of messages an hour from 1 to 10000$/],
  ['automationHourly', '10001', /^must be a whole number/],
  ['automationHourly', '1.5', /^must be a whole number/],
  ['automationHourly', '', /^must be a whole number/],
])('%s %j is refused, with the rest of the sentence', (setting, text, message) => {
  const reading = read({ [setting]: text })
  expect(reading.issues?.[0].path?.[0].key).toBe(setting)
  expect(reading.issues?.[0].message).toMatch(message)
})

test('of several wrong settings the first is named first', () => {
  const keys = read({ analytics: '?', slug: '?' }).issues?.map(({ path }) => path?.[0].key)
  expect(keys).toEqual(['slug', 'analytics'])
})

test('an id fits into a key', () => {
  expect(v.is(OrganizationId, 'Acme_1-x')).toBe(true)
  for (const id of ['', '-a', 'a b', 'x'.repeat(65)]) expect(v.is(OrganizationId, id)).toBe(false)
})

test('a new organization has no capability but billing events', () => {
  const { billingEvents, analytics, retentionOfferAnalytics } = newOrganization('acme', 'Acme')
  expect([billingEvents, analytics, retentionOfferAnalytics]).toEqual([true, false, false])
})

test('a parent exists and is somebody else', () => {
  expect(parentProblem('acme', 'acme')).toBe('An organization cannot be its own parent.')
  expect(parentProblem('acme', 'group')).toBe('There is no organization group, so it cannot be the parent.')
})
