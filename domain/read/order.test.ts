import { expect, test } from 'vitest'
import type { Predicate } from '../../ports/records.ts'
import { foldBounds } from './order.ts'

const descending = { field: 'createdAt', idField: 'id', direction: 'descending' } as const
const ascending = { ...descending, direction: 'ascending' } as const

function bound(operator: Predicate['operator'], value: string, field = 'createdAt'): Predicate {
  return { field, operator, value }
}
const at = (value: string) => ({ value, id: 'x' })

test.each([
  ['the bound lies before the position', '5', '5', null],
  ['the bound lies at the position and includes it', '6', '5', at('5')],
])('descending, %s', (_, before, position, seek) => {
  const where = [bound('below', before)]
  expect(foldBounds({ where, order: descending, after: at(position) })).toEqual({
    where: seek === null ? where : [],
    seek,
  })
})

test.each([
  ['atLeast', '5', at('5')],
  ['atLeast', '6', null],
  ['atLeast', '4', at('5')],
  ['above', '5', null],
  ['above', '4', at('5')],
] as const)('ascending from 5 with %s %s', (operator, value, seek) => {
  const where = [bound(operator, value)]
  expect(foldBounds({ where, order: ascending, after: at('5') })).toEqual({
    where: seek === null ? where : [],
    seek,
  })
})

test('of several bounds on the near side the tightest stays, an exclusive one of the same value before an inclusive', () => {
  const where = [bound('atMost', '7'), bound('below', '7'), bound('atMost', '8')]
  expect(foldBounds({ where, order: descending, after: null })).toEqual({
    where: [bound('below', '7')],
    seek: null,
  })
})

test('bounds on the far side and on other fields stay as they are', () => {
  const where = [bound('atLeast', '1'), bound('below', '2', 'updatedAt'), bound('equals', 's', 'siteId')]
  expect(foldBounds({ where, order: descending, after: at('5') })).toEqual({ where, seek: at('5') })
})
