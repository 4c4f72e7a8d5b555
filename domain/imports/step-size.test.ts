import { expect, test } from 'vitest'
import { FIRST_STEP_CHUNKS, nextStepChunks } from './write.ts'

/** The step size that is reached when every chunk takes the same time. */
function settled(chunkMs: number): number {
  let chunks = FIRST_STEP_CHUNKS
  for (let step = 0; step < 10; step += 1) chunks = nextStepChunks(chunks, chunks * chunkMs)
  return chunks
}

test('a step grows on a fast database, and shrinks on a slow one, within bounds', () => {
  expect(settled(0)).toBe(8)
  expect(settled(1)).toBe(8)
  expect(settled(40)).toBe(5)
  expect(settled(50)).toBe(4)
  expect(settled(5_000)).toBe(2)
})

test('a step is at most twice as large as the one before', () => {
  expect(nextStepChunks(4, 1)).toBe(8)
})
