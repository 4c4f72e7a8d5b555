import { expect, it } from 'vitest'
import { placeOf } from './app/organizations/place.ts'
import { changesOf, writtenOf } from './app/organizations/settings.ts'
import { Failure, problemOf } from './app/service/failure.ts'

const acme = {
  ...{ organizationId: 'acme', name: 'Acme', slug: 'acme', parentId: null, smsNumber: null },
  ...{ phoneCountry: 'US', automationHourly: 500, analytics: false, retentionOfferAnalytics: false },
  ...{ billingEvents: true, posSource: { kind: 'odbc_shared' as const, tenant: 'acme-1' } },
}
const before = writtenOf(acme)

it('sends nothing when nothing was written differently', () => {
  expect(changesOf(before, before)).toEqual({})
  expect(changesOf({ ...before, slug: ' acme ', parentId: ' ' }, before)).toEqual({})
})

it('sends what was changed, and null for what was emptied', () => {
  const written = { ...before, name: 'Acme 2', slug: '', automationHourly: '20', analytics: true }
  expect(changesOf(written, before)).toEqual({
    ...{ name: 'Acme 2', slug: null, automationHourly: 20, analytics: true },
  })
  expect(changesOf({ ...before, posKind: '' }, before)).toEqual({ posSource: null })
  expect(changesOf({ ...before, posTenant: 'b' }, before)).toEqual({
    posSource: { kind: 'odbc_shared', tenant: 'b' },
  })
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
