import { expect, test } from 'vitest'
import { askLoaded } from './tenants.ts'

const cause = new Error('x')

test('an adapter that cannot be loaded makes its source unavailable', async () => {
  const answer = await askLoaded(
    () => Promise.reject(cause),
    async () => 'answer',
  )
  expect(answer).toMatchObject({ kind: 'unavailable', cause })
})

test('a mistake in a loaded adapter is not called a failure to load it', async () => {
  const answer = askLoaded(
    async () => 'source',
    () => Promise.reject(cause),
  )
  await expect(answer).rejects.toBe(cause)
})
