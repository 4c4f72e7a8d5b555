import { expect, it } from 'vitest'
import { createTestChoice } from './choose-tests.ts'

const takes = (durationMs: number) => ({ durationMs, passes: true, calls: {} })

it('runs the tests beside a file first, then those that notice most in the shortest time', () => {
  const reach = { 'a/a.test.ts': takes(9_000), 'b/b.test.ts': takes(2_000), 'c/c.test.ts': takes(1_000) }
  const choice = createTestChoice(reach, 1)
  expect(choice.choose('a/a.ts', Object.keys(reach))).toEqual(['a/a.test.ts', 'c/c.test.ts', 'b/b.test.ts'])
  for (let count = 0; count < 3; count += 1) choice.noticed('b/b.test.ts')
  expect(choice.choose('a/a.ts', Object.keys(reach))).toEqual(['a/a.test.ts', 'b/b.test.ts', 'c/c.test.ts'])
})

it('runs no more tests than the depth allows, and at least one', () => {
  const reach = { 'a.test.ts': takes(6_000), 'b.test.ts': takes(3_000), 'c.test.ts': takes(1_000) }
  expect(createTestChoice(reach, 0.4).choose('x.ts', Object.keys(reach))).toEqual(['c.test.ts', 'b.test.ts'])
  expect(createTestChoice(reach, 0.01).choose('x.ts', ['a.test.ts', 'b.test.ts'])).toEqual(['b.test.ts'])
})
