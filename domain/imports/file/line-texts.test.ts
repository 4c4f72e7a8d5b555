import { expect, it } from 'vitest'
import { utf8 } from '../../text/encoding.ts'
import { lineTexts } from './lines.ts'

function inPieces(text: string, size: number) {
  const bytes = utf8(text)
  const read: number[] = []
  const source = {
    async *open() {
      for (let start = 0; start < bytes.length; start += size) {
        read.push(start)
        yield bytes.slice(start, start + size)
      }
    },
  }
  return { source, read }
}

it.each([
  ['line feeds', 'one\ntwö\n\nfour'],
  ['both', 'one\r\ntwö\r\n\r\nfour\r\n'],
  ['carriage returns', 'one\rtwö\r\rfour\r'],
])('finds lines that end with %s, wherever the file is cut', async (_what, text) => {
  for (let size = 1; size <= text.length; size += 1) {
    const found = await lineTexts(inPieces(text, size).source, new Set([2, 3, 4, 9]))
    expect([...found]).toEqual([
      [2, 'twö'],
      [3, ''],
      [4, 'four'],
    ])
  }
})

it('reads no further than the last line that is asked for', async () => {
  const { source, read } = inPieces('line\n'.repeat(1_000), 10)
  expect([...(await lineTexts(source, new Set([3])))]).toEqual([[3, 'line']])
  expect(read.length).toBeLessThan(5)
})

it('gives a file without an end of a line up, instead of keeping all of it', async () => {
  const { source, read } = inPieces('x'.repeat(3_000_000), 500_000)
  expect([...(await lineTexts(source, new Set([1])))]).toEqual([])
  expect(read.length).toBe(3)
})
