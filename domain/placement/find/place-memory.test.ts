import { expect, test } from 'vitest'
import type { OwnPlace } from '../../../ports/placement.ts'
import { createPlaceMemory } from './at-place.ts'

const placeOf = (familyId: string): OwnPlace => {
  return { kind: 'own', familyId, generation: 1, region: null, jurisdiction: null }
}

test('knows a proven key of the organization that it was proven for, and of no other', () => {
  const memory = createPlaceMemory()
  memory.remember('acme', placeOf('acme'))
  memory.remember('rival', placeOf('rival'))
  memory.proved({ organizationId: 'acme', keyId: 'k-1' })
  expect(memory.isProven({ organizationId: 'acme', keyId: 'k-1' })).toBe(true)
  expect(memory.isProven({ organizationId: 'rival', keyId: 'k-1' })).toBe(false)
  expect(memory.isProven({ organizationId: 'acme', keyId: 'k-2' })).toBe(false)
})

test('keeps no key of an organization in the shared database, which needs no memory', () => {
  const memory = createPlaceMemory()
  memory.proved({ organizationId: 'plain', keyId: 'k-1' })
  expect(memory.isProven({ organizationId: 'plain', keyId: 'k-1' })).toBe(false)
})

test('is bounded, and drops the key that was not proven for longest', () => {
  const memory = createPlaceMemory(3)
  memory.remember('acme', placeOf('acme'))
  const named = (keyId: string) => ({ organizationId: 'acme', keyId })
  for (const keyId of ['k-1', 'k-2', 'k-3', 'k-1', 'k-4']) memory.proved(named(keyId))
  const known = ['k-1', 'k-2', 'k-3', 'k-4'].filter((keyId) => memory.isProven(named(keyId)))
  expect(known).toEqual(['k-1', 'k-3', 'k-4'])
})
