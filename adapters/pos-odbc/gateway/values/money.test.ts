import { expect, it } from 'vitest'
import { centsOfDecimal, decimalOfCents } from './money.ts'

it.each([
  ['0', 0],
  ['12.30', 1230],
  ['12.3', 1230],
  ['12', 1200],
  ['.5', 50],
  ['12.', 1200],
  ['-0.05', -5],
  ['-0.00', 0],
  [' 7.10 ', 710],
  // As floating-point numbers, these come out a cent short: 1.15 * 100 is 114.99999999999999.
  ['1.15', 115],
  ['4.35', 435],
  ['8.2', 820],
  ['90071992547409.91', 9_007_199_254_740_991],
  ['12.3449', 1234],
  ['12.3450', 1235],
  ['-12.3450', -1235],
  ['0.0049', 0],
  ['0.005', 1],
  ['0.999', 100],
])('reads %s as %d cents', (text, cents) => {
  expect(centsOfDecimal(text)).toBe(cents)
})

it.each([
  '',
  '.',
  '-',
  'abc',
  '1,50',
  '1e2',
  '--1',
  '+1',
  '1.2.3',
  '$1',
  'NaN',
  '90071992547409.92',
  '1'.repeat(16),
])('does not read %s', (text) => {
  expect(centsOfDecimal(text)).toBeNull()
})

it('writes cents as a decimal that reads as the same cents', () => {
  for (const cents of [0, 1, -1, 9, 10, 99, 100, -105, 123_456_789, 9_007_199_254_740_991]) {
    for (const decimals of [2, 4]) {
      const text = decimalOfCents(cents, decimals)
      expect(centsOfDecimal(text)).toBe(cents)
      expect(text.split('.')[1]).toHaveLength(decimals)
    }
  }
  expect(decimalOfCents(-5, 2)).toBe('-0.05')
})
