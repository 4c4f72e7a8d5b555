import { expect, test } from 'vitest'
import { byDescent } from './app/lists/descent.ts'

test('each key is followed by those that descend from it, and none is lost', () => {
  const keys = [
    { keyId: 'a', issuedBy: null },
    { keyId: 'b', issuedBy: 'unknown' },
    { keyId: 'c', issuedBy: 'a' },
    { keyId: 'd', issuedBy: 'a' },
    { keyId: 'e', issuedBy: 'c' },
  ]
  expect(byDescent(keys).map(({ keyId, depth }) => `${depth}${keyId}`)).toEqual([
    '0a',
    '1c',
    '2e',
    '1d',
    '0b',
  ])
})
