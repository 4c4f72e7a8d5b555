import assert from 'node:assert/strict'
import type { ErasureLedger, ErasureMark, RecordedErasure } from '../../ports/index.ts'
import type { StorageCase } from './case.ts'
import { at, twoTenants } from './fixtures.ts'

const mark = (kind: ErasureMark['kind'], value: string): ErasureMark => ({
  kind,
  value,
  secretVersion: kind === 'contact' ? '' : 'v1',
})

/** All marks since an instant, in pages of this size, as `organization kind value`. */
async function marks(
  ledger: ErasureLedger,
  organizationIds: readonly string[],
  instant: string,
  limit = 100,
): Promise<readonly string[]> {
  const found: RecordedErasure[] = []
  for (let after: RecordedErasure | null = null; ;) {
    const page: readonly RecordedErasure[] = await ledger.since(organizationIds, instant, after, limit)
    assert(page.length <= limit)
    found.push(...page)
    if (page.length < limit)
      return found.map(({ organizationId, kind, value }) => `${organizationId} ${kind} ${value}`)
    after = page.at(-1) ?? null
  }
}

export const erasureCases: readonly StorageCase[] = [
  {
    name: 'who was erased is told by organization, after an instant, whole and in pages',
    async run(make) {
      const { erasures } = await twoTenants(make)
      await erasures.record('org-a', [mark('email', 'h-2'), mark('contact', 'c-1')], at(10), at(100))
      await erasures.record('org-a', [mark('contact', 'c-2')], at(20), at(101))
      // No organization has to be there: it may have been deleted.
      await erasures.record('gone', [mark('national', 'h-1'), mark('phone', 'h-1')], at(10), at(102))
      await erasures.record('org-b', [mark('contact', 'c-1')], at(30), at(103))
      const own = ['org-a contact c-1', 'org-a contact c-2', 'org-a email h-2']
      assert.deepEqual(await marks(erasures, ['org-a'], at(9)), own)
      assert.deepEqual(await marks(erasures, ['org-a'], at(10)), ['org-a contact c-2'])
      assert.deepEqual(await marks(erasures, ['org-a'], at(20)), [])
      assert.deepEqual(await marks(erasures, [], at(0)), [])
      const both = ['gone national h-1', 'gone phone h-1', ...own]
      for (const limit of [1, 2, 5, 100])
        assert.deepEqual(await marks(erasures, ['org-a', 'gone', 'none'], at(0), limit), both)
      assert.deepEqual(await erasures.since(['org-b'], at(0), null, 9), [
        { organizationId: 'org-b', kind: 'contact', value: 'c-1', secretVersion: '', erasedAt: at(30) },
      ])
      await erasures.record('org-a', [], at(40), at(104))
      assert.deepEqual(await marks(erasures, ['org-a'], at(30)), [])
    },
  },
  {
    name: 'of a mark that is recorded again the later erasure counts, whatever comes first',
    async run(make) {
      const { erasures } = await twoTenants(make)
      const told = async () =>
        (await erasures.since(['org-a'], at(0), null, 9)).map(({ erasedAt }) => erasedAt)
      for (const [erasedAt, counts] of [
        [20, 20],
        [30, 30],
        [25, 30],
        [30, 30],
      ] as const) {
        await erasures.record('org-a', [mark('email', 'h-1')], at(erasedAt), at(100))
        assert.deepEqual(await told(), [at(counts)])
      }
      // One person has more marks than one statement takes.
      const many = Array.from({ length: 1200 }, (_, index) =>
        mark('contact', `c-${String(index).padStart(4, '0')}`),
      )
      await erasures.record('org-a', many, at(40), at(100))
      const found = await marks(erasures, ['org-a'], at(30), 500)
      assert.deepEqual(
        found,
        many.map(({ value }) => `org-a contact ${value}`),
      )
    },
  },
  {
    name: 'marks are forgotten by the time at which they were recorded, the oldest first, at most so many',
    async run(make) {
      const { erasures } = await twoTenants(make)
      // The clock of an organization may be ahead, and says nothing of when a mark was recorded.
      await erasures.record('org-a', [mark('contact', 'late')], at(0), at(300))
      await erasures.record('org-b', [mark('contact', 'middle')], at(9000), at(200))
      await erasures.record('org-a', [mark('contact', 'early')], at(5000), at(100))
      const left = () => marks(erasures, ['org-a', 'org-b'], at(-1))
      assert.equal(await erasures.forget(at(100), 9), 0)
      assert.equal(await erasures.forget(at(301), 1), 1)
      assert.deepEqual(await left(), ['org-a contact late', 'org-b contact middle'])
      // A later erasure of the same person is kept as long as any.
      await erasures.record('org-b', [mark('contact', 'middle')], at(9001), at(400))
      assert.equal(await erasures.forget(at(301), 9), 1)
      assert.deepEqual(await left(), ['org-b contact middle'])
      assert.equal(await erasures.forget(at(401), 9), 1)
      assert.deepEqual(await left(), [])
    },
  },
]
