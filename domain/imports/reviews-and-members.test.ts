import { beforeEach, describe, expect, it } from 'vitest'
import { createScratchStorage } from '../../test/support/scratch/scratch-storage.ts'
import { contact, organization } from '../../adapters/conformance/fixtures.ts'
import { importWorld, ndjsonBytes, sourceOf, toolsWithoutSecrets } from '../../test/support/data/imports.ts'
import { importKindNames } from './kinds.ts'
import { runImport } from './sessions.ts'

const clock = { nowMs: () => Date.UTC(2026, 5, 1) }
const ID = '018f3c6e-7b1a-7c3d-9e2f-000000000001'
let storage: ReturnType<typeof createScratchStorage>

beforeEach(async () => {
  storage = createScratchStorage({ clock })
  for (const id of ['acme', 'other']) await storage.administration.saveOrganization(organization(id))
})

async function run(name: string, lines: readonly object[]): Promise<unknown> {
  const world = importWorld(storage, organization('acme'), toolsWithoutSecrets(clock))
  const source = sourceOf(ndjsonBytes(lines))
  const outcome = await runImport(
    { kind: name, format: 'ndjson', source, onProgress: () => undefined },
    world,
  )
  if (outcome.kind !== 'invalid') return outcome
  return outcome.problems.map(({ line, field, message }) => `${line} ${field} ${message}`)
}

const review = (rest: object = {}) => ({
  reviewId: ID,
  googleReviewId: 'g',
  rating: 5,
  replied: false,
  createdAt: '2026-01-01T00:00:00Z',
  isDeleted: false,
  isPreview: false,
  ...rest,
})

describe('importing reviews', () => {
  it('ties a review to the organization, which the line may only repeat', async () => {
    expect(await run('reviews', [review({ organizationId: 'acme' })])).toMatchObject({ changed: 1 })
    expect(await run('reviews', [review()])).toMatchObject({ changed: 0, unchanged: 1 })
    expect(await run('reviews', [review({ organizationId: 'other' })])).toEqual([
      '1 organizationId must be acme, the organization into which the file is imported',
    ])
    const rows = await storage.tenant('acme').findMany('visible-reviews', ['ownerId'], [`${ID} acme`])
    expect(rows).toEqual([{ ownerId: 'acme' }])
  })

  it.each([
    ['no UUID', 'review-1'],
    ['upper case', ID.toUpperCase()],
    ['braces', `{${ID}}`],
    ['no dashes', ID.replaceAll('-', '')],
    ['a line break within', ID.replace('-', '\n')],
    ['a number', 1],
  ])('refuses a review id that has or is %s', async (_, reviewId) => {
    const problems = await run('reviews', [review({ reviewId })])
    expect(problems).toEqual([expect.stringMatching(/^1 reviewId /)])
  })

  it.each([
    ['rating', 0],
    ['rating', 6],
    ['rating', 4.5],
    ['siteName', 'Main'],
    ['isDeleted', undefined],
    ['isPreview', 'false'],
  ])('refuses %s %j', async (field, value) => {
    expect(await run('reviews', [review({ [field]: value })])).toEqual([
      expect.stringMatching(new RegExp(`^1 ${field} `)),
    ])
  })

  it('is the only way to write them', () => {
    expect(importKindNames).toContain('reviews')
    expect(importKindNames).not.toContain('visible-reviews')
  })
})

describe('importing list members', () => {
  const member = (listId: string, contactId: string) => ({
    listId,
    contactId,
    addedAt: '2026-01-01T00:00:00+01:00',
  })

  beforeEach(async () => {
    const list = { name: 'L', description: null, type: 'static', createdAt: '2026-01-01T00:00:00.000Z' }
    const lists = ['l-1', 'l-2'].map((listId) => ({ ...list, listId }))
    await storage.tenant('acme').upsert('contact-lists', lists)
    await storage.tenant('acme').upsert('contacts', [contact('c-1'), contact('c-2')])
    await storage.tenant('other').upsert('contacts', [contact('c-foreign')])
  })

  it('accepts a contact on several lists, and changes nothing the second time', async () => {
    const lines = [member('l-1', 'c-1'), member('l-2', 'c-1'), member('l-1', 'c-2')]
    expect(await run('list-members', lines)).toMatchObject({ changed: 3 })
    expect(await run('list-members', lines)).toMatchObject({ changed: 0, unchanged: 3 })
    const counts = await storage.tenant('acme').findMany('contact-lists', ['contactCount'], ['l-1', 'l-2'])
    expect(counts).toEqual([{ contactCount: 2 }, { contactCount: 1 }])
  })

  it('refuses an unknown list, an unknown contact and a pair given twice', async () => {
    const lines = [
      member('l-1', 'c-1'),
      member('nope', 'c-1'),
      member('l-1', 'c-foreign'),
      member('l-1', 'c-1'),
    ]
    expect(await run('list-members', lines)).toEqual([
      '2 listId names none of the contact-lists stored for this organization',
      '3 contactId names none of the contacts stored for this organization',
      '4 contactId is the same as in line 1',
    ])
    expect(await run('list-members', [{ ...member('l-1', 'c-1'), email: 'a@example.com' }])).toEqual([
      '1 email is set by the service and cannot be imported. Leave it out.',
    ])
  })
})
