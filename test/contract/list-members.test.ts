import { beforeAll, describe, expect, test } from 'vitest'
import { contactLists } from '../../domain/resources/contact-lists.ts'
import { contacts } from '../../domain/resources/contacts.ts'
import { sampleRow } from '../support/data/sample-rows.ts'
import { createScratchStorage } from '../support/scratch/scratch-storage.ts'
import { openTestService, type TestService } from '../support/services/service.ts'

const LIST = 'listId-0'
const PATH = `/api/v1/contact-lists/${LIST}/contacts`
const DAYS = 6
const day = (index: number) => `2026-02-0${index + 1}T00:00:00.000Z`

describe.each(['shared', 'own'] as const)('the contacts of a list in the place %s', (kind) => {
  let service: TestService
  let key: string

  beforeAll(async () => {
    const choice = kind === 'own' ? { kind, region: null, jurisdiction: null } : { kind }
    service = await openTestService((clock) => createScratchStorage({ clock, choice }))
    key = await service.addOrganization('acme')
    const writer = service.storage.tenant('acme')
    const rows = Array.from({ length: DAYS }, (_, index) => sampleRow(contacts, index))
    await writer.upsert('contacts', rows)
    await writer.upsert('contact-lists', [sampleRow(contactLists, 0), sampleRow(contactLists, 1)])
    const members = rows.map(({ contactId = null }, index) => {
      return { listId: LIST, contactId, addedAt: day(index) }
    })
    await writer.upsert('list-members', [...members, { ...members[0], listId: 'listId-1', addedAt: day(3) }])
  })

  async function page(query: string) {
    const response = await service.send(`${PATH}?${query}`, { key })
    return {
      status: response.status,
      body: (await response.json()) as {
        readonly error?: string
        readonly filters: object
        readonly data: readonly { readonly addedAt: string }[]
        readonly pagination: { readonly nextCursor: string | null }
      },
    }
  }
  const daysOf = ({ data }: Awaited<ReturnType<typeof page>>['body']) => data.map(({ addedAt }) => addedAt)

  test.each([
    ['', [5, 4, 3, 2, 1, 0]],
    [`addedAfter=${day(2)}`, [5, 4, 3, 2]],
    [`addedBefore=${day(2)}`, [1, 0]],
    [`addedAfter=${day(1)}&addedBefore=${day(4)}`, [3, 2, 1]],
    [`addedAfter=2026-02-03T01:00:00%2B02:00`, [5, 4, 3, 2]],
    [`addedAfter=${day(4)}&addedBefore=${day(1)}`, []],
    ['addedAfter=&addedBefore=', [5, 4, 3, 2, 1, 0]],
  ])('are those of the window %j, which includes its beginning alone', async (query, days) => {
    const { status, body } = await page(query)
    expect([status, daysOf(body)]).toEqual([200, days.map(day)])
  })

  test('are echoed with the bounds in UTC, and null for what was not passed', async () => {
    expect((await page('')).body.filters).toEqual({ addedAfter: null, addedBefore: null })
    expect((await page('addedAfter=2026-02-03T01:00:00%2B02:00')).body.filters).toEqual({
      addedAfter: '2026-02-02T23:00:00.000Z',
      addedBefore: null,
    })
  })

  test.each([
    ['addedAfter=2026-02-03T00:00:00', 'offset'],
    ['addedBefore=2026-02-03', 'offset'],
    [`addedAfter=${day(1)}&addedAfter=${day(1)}`, 'addedAfter'],
    [`updatedAfter=${day(1)}`, 'addedAfter'],
    [`createdBefore=${day(1)}`, 'addedBefore'],
  ])('are refused for %s, saying what is allowed', async (query, said) => {
    const { status, body } = await page(query)
    expect([status, body.error]).toEqual([400, expect.stringContaining(said)])
  })

  test('are paged within a window, whose bounds may change on the way', async () => {
    const first = (await page(`limit=2&addedBefore=${day(5)}`)).body
    expect(daysOf(first)).toEqual([day(4), day(3)])
    const cursor = first.pagination.nextCursor ?? ''
    expect(daysOf((await page(`limit=2&addedBefore=${day(5)}&cursor=${cursor}`)).body)).toEqual([
      day(2),
      day(1),
    ])
    expect(daysOf((await page(`addedAfter=${day(2)}&cursor=${cursor}`)).body)).toEqual([day(2)])
  })
})
