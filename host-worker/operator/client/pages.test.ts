import { expect, test } from 'vitest'
import { listOrganizations } from '../../../domain/operators/organizations.ts'
import { itemsOf, type OperatorService } from './call-service.ts'

/** A service that answers with these pages, one after another. */
function answering(...pages: readonly object[]): OperatorService {
  const left = [...pages]
  return { call: async () => left.shift() } as unknown as OperatorService
}

const page = (ids: readonly string[], nextCursor: string | null, unanswered?: readonly string[]) => ({
  data: ids.map((organizationId) => ({ organizationId })),
  pagination: { limit: 500, hasMore: nextCursor !== null, nextCursor },
  ...(unanswered === undefined ? {} : { unanswered }),
})

test('families whose creation was never finished are named, and fail nothing', async () => {
  const begun = { ...page(['a'], null), unfinished: ['z', 'b', 'z'] }
  const notes: string[] = []
  const seen: string[] = []
  for await (const { organizationId } of itemsOf(answering(begun), listOrganizations, {}, (line) =>
    notes.push(line),
  ))
    seen.push(organizationId)
  expect([seen, notes]).toEqual([
    ['a'],
    ['Begun and never finished: b, z. "org create" takes that up again.'],
  ])
})

test('what databases do not answer is named after everything that was answered', async () => {
  const service = answering(page(['a'], 'c1', ['z', 'b']), page([], 'c2', ['b']), page(['c'], null))
  const seen: string[] = []
  const all = async () => {
    for await (const { organizationId } of itemsOf(service, listOrganizations)) seen.push(organizationId)
  }
  await expect(all()).rejects.toThrow('because they did not answer: b, z.')
  expect(seen).toEqual(['a', 'c'])
})

test('they are named to a reader that wants no more, too, but not in place of what it found itself', async () => {
  const first = async (service: OperatorService, problem?: Error) => {
    for await (const { organizationId } of itemsOf(service, listOrganizations)) {
      expect(organizationId).toBe('a')
      if (problem !== undefined) throw problem
      return
    }
  }
  await expect(first(answering(page(['a', 'b'], 'c1', ['z'])))).rejects.toThrow('did not answer: z.')
  await expect(first(answering(page(['a', 'b'], 'c1')))).resolves.toBeUndefined()
  await expect(first(answering(page(['a'], 'c1', ['z'])), new Error('own'))).rejects.toThrow('own')
})
