import * as v from 'valibot'
import { expect, test } from 'vitest'
import { storedAnswers } from './answers.ts'

const input = storedAnswers().input({ organizationId: 'acme', phoneCountry: 'US', toE164: () => null })

test('answers are imported with every key they have', () => {
  const answers: unknown = JSON.parse('{"constructor":"a","__proto__":{"b":1},"toString":[2]}')
  expect(JSON.stringify(v.parse(input, answers))).toBe(JSON.stringify(answers))
})

test.each([[[]], [['a']], ['text'], [1], [null]])('%j is no object of answers', (value) => {
  expect(v.safeParse(input, value).success).toBe(false)
})
