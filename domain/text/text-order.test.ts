import { expect, test } from 'vitest'
import { compareBytes } from './text-order.ts'

const texts = [
  '',
  '\u0000',
  'a',
  'a\u0000',
  'ab',
  'b',
  'é',
  '\ud7ff',
  '\ue000',
  '\uffff',
  '\u{10000}',
  '\u{10ffff}',
  'a\u{1f600}',
  'a\uffff',
]

test('text is ordered as the bytes of its UTF-8 are', () => {
  for (const left of texts) {
    for (const right of texts) {
      const bytes = Buffer.compare(Buffer.from(left), Buffer.from(right))
      expect(Math.sign(compareBytes(left, right)), JSON.stringify([left, right])).toBe(bytes)
    }
  }
})
