import { expect, it } from 'vitest'
import { changesOf, fieldsOf, givenOf, partsOf, valuesOf, writtenOf } from './app/operations/written.ts'
import { placeOf, settings } from './app/organizations/settings.ts'
import { Failure, problemOf } from './app/service/client.ts'

const acme = {
  ...{ organizationId: 'acme', name: 'Acme', slug: 'acme', parentId: null, smsNumber: null },
  ...{ phoneCountry: 'US', automationHourly: 500, analytics: false, retentionOfferAnalytics: false },
  ...{ billingEvents: true, posSource: { kind: 'odbc_shared' as const, tenant: 'acme-1' } },
}
const before = writtenOf(settings, acme)
const changes = (written: object) => changesOf(settings, { ...before, ...written }, acme)

it('sends nothing when nothing was written differently', () => {
  expect(changes({})).toEqual({})
  expect(changes({ slug: ' acme ', parentId: ' ' })).toEqual({})
})

it('sends what was changed, and null for what was emptied', () => {
  const written = { name: 'Acme 2', slug: '', automationHourly: '20', analytics: 'true' }
  expect(changes(written)).toEqual({
    ...{ name: 'Acme 2', slug: null, automationHourly: 20, analytics: true },
  })
  expect(changes({ 'posSource.kind': '' })).toEqual({ posSource: null })
  expect(changes({ 'posSource.tenant': 'b' })).toEqual({ posSource: { kind: 'odbc_shared', tenant: 'b' } })
})

it('shows what is stored, and every setting has its control', () => {
  expect(before).toEqual({
    ...{ name: 'Acme', slug: 'acme', parentId: '', smsNumber: '', phoneCountry: 'US' },
    ...{ automationHourly: '500', analytics: '', retentionOfferAnalytics: '', billingEvents: 'true' },
    ...{ 'posSource.kind': 'odbc_shared', 'posSource.tenant': 'acme-1' },
  })
  const shown = settings.flatMap(partsOf).map(({ label, kind }) => `${label}: ${kind}`)
  expect(shown).toEqual(
    expect.arrayContaining([
      'Point of sale: choice',
      'Messages of automations an hour: number',
      'It may use the analytics: truth',
    ]),
  )
  const places = ['place', 'region', 'jurisdiction']
  const all = fieldsOf('organizations.save', 'body').filter(({ name }) => !places.includes(name))
  expect(new Set(all)).toEqual(new Set(settings))
})

it('gives an operation what was written, and leaves out what was left empty', () => {
  const fields = fieldsOf('keys.issue', 'body')
  const begun = writtenOf(fields)
  expect(givenOf(fields, begun)).toEqual({ scope: 'all' })
  const written = { label: ' sync ', scope: 'send', expiresAt: '2030-05-01T10:00', ratePerMinute: '60' }
  const expiresAt = new Date('2030-05-01T10:00').toISOString()
  expect(givenOf(fields, written)).toEqual({ label: 'sync', scope: 'send', expiresAt, ratePerMinute: 60 })
  const operator = fieldsOf('operatorKeys.issue', 'body')
  expect(givenOf(operator, writtenOf(operator))).toEqual({ operator: '', role: 'support' })
  const revoked = fieldsOf('operatorKeys.revoke', 'query')
  expect(givenOf(revoked, writtenOf(revoked))).toEqual({})
  expect(givenOf(revoked, { descendants: 'true' })).toEqual({ descendants: true })
  const overlap = fieldsOf('keys.rotate', 'body', ['overlap'])
  expect(givenOf(overlap, writtenOf(overlap))).toEqual({ overlap: '7d' })
  const kept = fieldsOf('retention.set', 'body')
  expect(valuesOf(kept, { submissions: '365', sends: '' })).toEqual({ submissions: 365, sends: null })
})

it('asks for a region or a jurisdiction, never both, and for neither in the shared database', () => {
  expect(placeOf('own', 'weur')).toEqual({ place: 'own', region: 'weur' })
  expect(placeOf('own', 'eu')).toEqual({ place: 'own', jurisdiction: 'eu' })
  expect(placeOf('own', '')).toEqual({ place: 'own' })
  expect(placeOf('shared', 'weur')).toEqual({ place: 'shared' })
})

it('finds what a sentence says of one setting', () => {
  const failure = new Failure('refused', 'posSource.kind: must be one of a, b.')
  expect(problemOf(failure, 'posSource')).toBe('must be one of a, b.')
  expect(problemOf(failure, 'pos')).toBeNull()
  expect(problemOf(new Failure('refused', 'slug: must not.'), 'slug')).toBe('must not.')
  expect(problemOf(null, 'slug')).toBeNull()
})

it('writes several as words, none of which is null where that may be', () => {
  const fields = fieldsOf('webhooks.update', 'body', ['events', 'formIds'])
  const stored = { events: ['contact.created', 'contact.removed'], formIds: ['signup'] }
  const written = writtenOf(fields, stored)
  expect(written).toEqual({ events: 'contact.created contact.removed', formIds: 'signup' })
  expect(valuesOf(fields, written)).toEqual(stored)
  expect(valuesOf(fields, { events: '', formIds: ' ' })).toEqual({ events: [], formIds: null })
  expect(valuesOf(fields, { events: '', formIds: 'a, b' })).toEqual({ events: [], formIds: ['a', 'b'] })
  expect(writtenOf(fields)).toEqual({
    ...{ events: 'contact.created contact.updated contact.removed submission.created', formIds: '' },
  })
})
