import { expect, test } from 'vitest'
import { scratchObjects, type ScratchObjects } from '../support/scratch/scratch-objects.ts'
import { createScratchStorage } from '../support/scratch/scratch-storage.ts'
import { openTestService, type TestService } from '../support/services/service.ts'

// A family's database that is full. It runs on Node's SQLite, where a test can limit the size of a database.

const form = {
  formId: 'contact',
  name: 'Contact',
  isPublished: true,
  publishedAt: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  definition: {
    formId: 'contact',
    name: 'Contact',
    isPublished: true,
    notificationEmails: ['desk@example.com'],
    fields: [{ id: 'message', type: 'long_text', label: 'Message' }],
  },
  passwordHash: null,
}

/** A text of its own each time, because one that comes again and again is spam, and not too many for notifications of each. */
async function submit(service: TestService) {
  service.clock.advance(60_000)
  const response = await service.send('/api/forms/contact/submissions', {
    json: { _gotcha: '', message: `${crypto.randomUUID()}${'x'.repeat(9_000)}` },
  })
  return { status: response.status, answer: (await response.json()) as Readonly<Record<string, unknown>> }
}

test('a full database refuses submissions as a whole, goes on answering reads, and takes them again', async () => {
  let objects: ScratchObjects | null = null
  const service = await openTestService((clock) => {
    objects = scratchObjects(clock)
    return createScratchStorage({ clock, ...objects })
  })
  const key = await service.addOrganization('acme')
  await service.storage.tenant('acme').upsert('forms', [form])
  const object = (objects as ScratchObjects | null)?.object('acme.1')
  if (object === undefined) throw new Error('There is an object')
  const values = (sql: string) => object.database.run(sql).rows.map(([value]) => value)
  const [pages] = values('pragma page_count')
  object.database.run(`pragma max_page_count = ${Number(pages) + 20}`)

  const saved: unknown[] = []
  let refused = await submit(service)
  for (; refused.status === 200; refused = await submit(service)) saved.push(refused.answer.submissionId)
  expect(saved.length).toBeGreaterThan(2)
  expect(refused).toMatchObject({ status: 500, answer: { ok: false, code: 'internal_error' } })
  expect(service.errors.map(String)).toEqual([expect.stringContaining('full')])

  const kept = () => values('select submission_id from form_submissions order by submission_id')
  const noted = () => values('select submission_id from outbox order by submission_id')
  const clockAt = () => values('select clock_at from organizations')
  const before = clockAt()
  expect((await submit(service)).status).toBe(500)
  expect([kept(), noted()]).toEqual([saved.toSorted(), saved.toSorted()])
  expect(clockAt()).toEqual(before)

  const page = await service.send('/api/v1/forms/submissions', { key })
  expect(((await page.json()) as { readonly data: readonly unknown[] }).data).toHaveLength(saved.length)
  // Without room for more data, the object still opens, and hands over the work of every acknowledged submission.
  object.evict()
  service.clock.advance(10_000)
  await object.ring()
  expect(object.handedOver.flat()).toHaveLength(saved.length)

  object.database.run(`pragma max_page_count = ${Number(pages) + 1_000}`)
  const again = await submit(service)
  expect(again.status).toBe(200)
  expect(kept()).toContain(again.answer.submissionId)
})
