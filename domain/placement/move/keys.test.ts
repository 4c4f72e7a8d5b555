import { expect, test } from 'vitest'
import type { MoveKey, MovePosition } from '../../../ports/placement/move.ts'
import { isBehind } from './keys.ts'

const at = (organizationId: string, ...rest: MoveKey): MovePosition => ({
  organizationId,
  after: rest.length === 0 ? null : [organizationId, ...rest],
})

test.each<[string, MoveKey, MovePosition | null, boolean]>([
  ['any row comes after the beginning', ['a', 1], null, true],
  ['the first row of an organization comes after its beginning', ['b', 1], at('b'), true],
  ['a row of an earlier organization does not', ['a', 9], at('b'), false],
  ['a row of a later organization does', ['c', 0], at('b'), true],
  ['the row at a position does not come after it', ['b', 1, 2], at('b', 1, 2), false],
  ['the last column decides', ['b', 1, 3], at('b', 1, 2), true],
  ['the columns before decide first', ['b', 0, 3], at('b', 1, 2), false],
  ['null comes first', ['b', 0], at('b', null), true],
  ['texts come after numbers', ['b', '0'], at('b', 5), true],
  ['a longer text comes after its beginning', ['b', 'ab'], at('b', 'a'), true],
  ['texts are in the order of their code points', ['b', '\u{1f600}'], at('b', '\ue000'), true],
])('%s', (_name, key, position, expected) => {
  expect(isBehind(key, position)).toBe(expected)
})
