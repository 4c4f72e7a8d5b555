import { expect, test } from 'vitest'
import { utf8 } from '../../../domain/text/encoding.ts'
import { jsonChunks } from './compiler.ts'

test('no chunk is larger than a parameter may be, and nothing is lost or reordered', () => {
  const values = Array.from({ length: 50 }, (_, index) => [index, '日'.repeat(30_000)])
  const chunks = jsonChunks(values)
  expect(chunks.length).toBeGreaterThan(1)
  for (const chunk of chunks) expect(utf8(chunk).length).toBeLessThan(1_000_000)
  expect(chunks.flatMap((chunk) => JSON.parse(chunk) as unknown[])).toEqual(values)
})

test('a value larger than a chunk travels alone', () => {
  const large = 'x'.repeat(1_200_000)
  expect(jsonChunks(['a', large, 'b'])).toEqual(['["a"]', JSON.stringify([large]), '["b"]'])
})

test('nothing needs no chunk', () => {
  expect(jsonChunks([])).toEqual([])
})
