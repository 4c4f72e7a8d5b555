import { expect, test } from 'vitest'
import { createProgress } from './command.ts'

/** The text that is drawn for these updates, each at a moment in milliseconds. */
function drawn(isTTY: boolean, updates: readonly (readonly [atMs: number, label: string, rows: number])[]) {
  const written: string[] = []
  let nowMs = 0
  const progress = createProgress({ isTTY, write: (text) => written.push(text) }, () => nowMs)
  for (const [atMs, label, rows] of updates) {
    nowMs = atMs
    progress.update(label, rows)
  }
  progress.end()
  return written
}

test('the first and the last count of each pass are drawn, between them one every 200 ms', () => {
  const lines = drawn(true, [
    [1_000, 'checking', 10],
    [1_100, 'checking', 20],
    [1_200, 'checking', 30],
    [1_300, 'checking', 40],
    [2_300, 'writing', 10],
    [2_310, 'writing', 40],
  ])
  expect(lines.map((line) => /(?:checking|writing): \d+ rows/.exec(line)?.[0])).toEqual([
    'checking: 10 rows',
    'checking: 30 rows',
    'checking: 40 rows',
    'writing: 10 rows',
    'writing: 40 rows',
    undefined,
  ])
})

test('what is not a terminal gets nothing', () => {
  expect(drawn(false, [[1_000, 'checking', 1]])).toEqual([])
})
