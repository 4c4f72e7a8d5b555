import { expect, test } from 'vitest'
import { testSecrets } from '../../test/support/runner/fakes.ts'
import { decodeCursor, encodeCursor, type Cursor, type CursorScope } from './cursor.ts'

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
