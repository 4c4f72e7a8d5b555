import { listContacts } from '../resources/contacts.ts'
import { expect, test } from 'vitest'
import {
  readFilters,
  readLimit,
  foldBounds,
  decodeCursor,
  encodeCursor,
  type Cursor,
  type CursorScope,
} from './query.ts'
import type { Predicate } from '../../ports/records.ts'
import { testSecrets } from '../../test/support/runner/fakes.ts'

test.each([
  [[], 100],
  [[''], 100],
  [['0'], 100],
  [['-1'], 100],
  [['abc'], 100],
  [['1.5'], 100],
  [['1e2'], 100],
  [[' 5'], 100],
  [['5', '6'], 100],
  [['99999999999999999999'], 500],
  [['9'.repeat(400)], 500],
  [['1'], 1],
  [['007'], 7],
  [['500'], 500],
  [['501'], 500],
])('limit %j of a collection of at most 500 is %i', (given, used) => {
  expect(readLimit(given, 500)).toBe(used)
})

test('a collection of at most 100 caps 101', () => {
  expect(readLimit(['101'], 100)).toBe(100)
})

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

const scope: CursorScope = { organizationId: 'acme', endpointId: 'contacts.list', parentId: null }
const cursor: Cursor = {
  order: 'createdAt',
  position: { value: '2026-01-01T00:00:00.000Z', id: 'con_ä"\u0000' },
}
const secrets = await testSecrets()

test('a cursor comes back as it was issued', async () => {
  expect(await decodeCursor(await encodeCursor(cursor, scope, secrets), scope, secrets)).toEqual(cursor)
})

test.each([
  { ...scope, organizationId: 'other' },
  { ...scope, endpointId: 'sites.list' },
  { ...scope, parentId: 'form-1' },
])('a cursor is good nowhere else: %j', async (elsewhere) => {
  expect(await decodeCursor(await encodeCursor(cursor, scope, secrets), elsewhere, secrets)).toBeNull()
})

test('a change of any character is noticed, spare bits of base64url included', async () => {
  const token = await encodeCursor(cursor, scope, secrets)
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  for (let index = 0; index < token.length; index += 1) {
    for (const character of index === token.length - 1 ? alphabet : 'Ab_') {
      if (token[index] === character) continue
      const changed = token.slice(0, index) + character + token.slice(index + 1)
      expect(await decodeCursor(changed, scope, secrets), changed).toBeNull()
    }
  }
})

test.each(['', 'x', '=', 'AAAA', '!!!!', 'A'.repeat(5000), '%00', 'ä'])(
  'nonsense is refused: %j',
  async (token) => {
    expect(await decodeCursor(token, scope, secrets)).toBeNull()
    expect(await decodeCursor((await encodeCursor(cursor, scope, secrets)) + token, scope, secrets)).toEqual(
      token === '' ? cursor : null,
    )
  },
)

test('a cut cursor is refused at every length', async () => {
  const token = await encodeCursor(cursor, scope, secrets)
  for (let length = 0; length < token.length; length += 1) {
    expect(await decodeCursor(token.slice(0, length), scope, secrets)).toBeNull()
  }
})

test('during a rotation cursors of the previous secret stay good, and only during it', async () => {
  const token = await encodeCursor(cursor, scope, secrets)
  expect(await decodeCursor(token, scope, await testSecrets(8, 7))).toEqual(cursor)
  expect(await decodeCursor(token, scope, await testSecrets(8))).toBeNull()
})

test.each([
  // A + that was not encoded: a number of New Zealand, and not of New York.
  [' 6465551234', '+6465551234'],
  [' 646-555-1234', '+16465551234'],
  [' 2125550123', '+12125550123'],
  [' 44 20 7946 0101', '+442079460101'],
])('a phone number %j of a query is %s in the US', async (given, phone) => {
  const read = await readFilters(listContacts.filters, new Map([['phone', given]]), 'US')
  expect(read).toMatchObject({ echo: { phone } })
})
