import { beforeAll, describe, expect, test } from 'vitest'
import { contactLists } from '../../domain/resources/contact-lists.ts'
import { contacts } from '../../domain/resources/contacts.ts'
import { voucherRedemptions, vouchers } from '../../domain/resources/vouchers.ts'
import type { StoredRow } from '../../ports/records.ts'
import { sampleRow } from '../support/data/sample-rows.ts'
import { createScratchStorage } from '../support/scratch/scratch-storage.ts'
import { answerOf, openTestService, type Page, type TestService } from '../support/services/service.ts'

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
    return (await response.json()) as Page<{ readonly addedAt: string }>
  }
  const daysOf = ({ data }: Awaited<ReturnType<typeof page>>) => data.map(({ addedAt }) => addedAt)

  test('are paged within a window, whose bounds may change on the way', async () => {
    const first = await page(`limit=2&addedBefore=${day(5)}`)
    expect(daysOf(first)).toEqual([day(4), day(3)])
    const cursor = first.pagination.nextCursor ?? ''
    const rest = await page(`limit=2&addedBefore=${day(5)}&cursor=${cursor}`)
    expect(daysOf(rest)).toEqual([day(2), day(1)])
    expect(daysOf(await page(`addedAfter=${day(2)}&cursor=${cursor}`))).toEqual([day(2)])
  })

  // These rows are published without a time of change, so whoever keeps a copy learns of theirs by that of their parent.
  test.each([
    {
      name: 'a member of a list',
      collection: 'list-members',
      row: { listId: LIST, contactId: sampleRow(contacts, 0).contactId ?? null, addedAt: day(0) },
      corrected: { addedAt: day(1) },
      parent: `/api/v1/contact-lists/${LIST}`,
    },
    {
      name: 'a redemption',
      collection: 'voucher-redemptions',
      row: { ...sampleRow(voucherRedemptions, 0), voucherId: 'voucherId-0', amountCents: 500 },
      corrected: { amountCents: 700 },
      parent: '/api/v1/vouchers/voucherId-0',
    },
  ])('$name that is corrected changes its parent, and one that stays as it is does not', async (told) => {
    const writer = service.storage.tenant('acme')
    const { collection, row, corrected, parent } = told
    await writer.upsert('vouchers', [sampleRow(vouchers, 0)])
    const changedAt = async (written: StoredRow) => {
      await writer.upsert(collection, [written])
      const answer = await answerOf<{ readonly updatedAt: string }>(await service.send(parent, { key }))
      return answer.body.updatedAt
    }
    const first = await changedAt(row)
    expect(await changedAt(row)).toBe(first)
    const second = await changedAt({ ...row, ...corrected })
    expect(second > first).toBe(true)
    expect(await changedAt({ ...row, ...corrected })).toBe(second)
  })
})
