import assert from 'node:assert/strict'
import { storedRowsOf } from '../../domain/read/page.ts'
import type { PageQuery, StoredRow } from '../../ports/index.ts'
import {
  at,
  claimOf,
  organization,
  site,
  tenantKey,
  twoTenants,
  type TwoTenants,
  type MakeStorage,
} from './fixtures.ts'
import { casesFrom } from './cases.ts'

const ID = '018f3c6e-7b1a-7c3d-9e2f-000000000001'
const OTHER_ID = '018f3c6e-7b1a-7c3d-9e2f-000000000002'

function review(reviewId: string, changes: StoredRow = {}): StoredRow {
  return {
    reviewId,
    googleReviewId: `google-${reviewId}`,
    siteId: 's-1',
    rating: 5,
    comment: null,
    reviewerName: null,
    reviewerPhotoUrl: null,
    replied: false,
    reply: null,
    createdAt: at(0),
    isDeleted: false,
    isPreview: false,
    ...changes,
  }
}

type Shown = readonly (readonly unknown[])[]

/**
 * The reviews that an organization reads, in order: owner, id, the site's name, rating and whether it changed after
 * `since`.
 */
type Look = (organizationId: string, since?: string) => Promise<Shown>

interface Family extends TwoTenants {
  readonly look: Look
}

/**
 * `org-a` is the parent of `child-1` and `child-2`, and `child-1` of `grandchild`. `org-b` has no parent and no
 * children.
 */
async function family(make: MakeStorage): Promise<Family> {
  const storage = await twoTenants(make)
  const parents = { 'child-1': 'org-a', 'child-2': 'org-a', grandchild: 'child-1' }
  for (const [id, parentId] of Object.entries(parents)) {
    assert.equal(await storage.administration.saveOrganization(organization(id, { parentId })), 'saved')
    await storage.administration.addKey(tenantKey(id, `key-${id}`))
  }
  const look: Look = async (organizationId, since = at(5)) => {
    const keyId = `key-${organizationId.replace('org-', '')}`
    const order = { field: 'createdAt', idField: 'rowId', direction: 'descending' } as const
    const select = ['ownerId', 'reviewId', 'siteName', 'rating', 'updatedAt']
    const page = {
      kind: 'page',
      collection: 'visible-reviews',
      select,
      where: [],
      order,
      after: null,
    } as const
    const reader = storage.keyed.open(claimOf(organizationId, keyId))
    const read = await reader.read([{ ...page, limit: 10 }])
    assert(read.authenticated)
    return read.results
      .flatMap(storedRowsOf)
      .map((row) => [row.ownerId, row.reviewId, row.siteName, row.rating, String(row.updatedAt) > since])
  }
  return { ...storage, look }
}

/** What was removed from an organization since its first writes. */
const removals: PageQuery = {
  kind: 'page',
  collection: 'removals',
  select: ['collection', 'id'],
  where: [{ field: 'updatedAt', operator: 'above', value: at(5) }],
  order: { field: 'updatedAt', idField: 'removalId', direction: 'ascending' },
  after: null,
  limit: 10,
}
const goneIds = (rows: readonly StoredRow[]) => rows.map(({ collection, id }) => [collection, id])

export const reviewCases = casesFrom(family, {
  async 'reviews are seen by their owner and its parent, by no other relative and nobody else'({
    tenant,
    look,
  }) {
    await tenant('child-1').upsert('reviews', [review(ID)])
    const own = [['child-1', ID, null, 5, false]]
    assert.deepEqual(await look('child-1'), own)
    assert.deepEqual(await look('org-a'), own)
    for (const other of ['child-2', 'grandchild', 'org-b']) assert.deepEqual(await look(other), [])
    await tenant('grandchild').upsert('reviews', [review(OTHER_ID)])
    assert.deepEqual(await look('org-a'), own)
    assert.deepEqual(await look('child-1'), [['grandchild', OTHER_ID, null, 5, false], ...own])
    await assert.rejects(tenant('org-a').upsert('visible-reviews', [review(ID)]))
  },
  async 'two children may use one review id: their parent sees both, and a change of one is a change of one'({
    tenant,
    look,
    clock,
  }) {
    for (const id of ['child-1', 'child-2', 'org-a']) await tenant(id).upsert('reviews', [review(ID)])
    clock.ms += 10_000
    assert.deepEqual(await tenant('child-2').upsert('reviews', [review(ID, { rating: 1 })]), { changed: 1 })
    assert.deepEqual(await look('org-a'), [
      ['org-a', ID, null, 5, false],
      ['child-2', ID, null, 1, true],
      ['child-1', ID, null, 5, false],
    ])
  },
  async "a parent's clock gives the times of what it sees, and they never go backwards"({
    tenant,
    look,
    clock,
  }) {
    clock.ms += 20_000
    await tenant('org-a').upsert('reviews', [review(OTHER_ID)])
    clock.ms -= 10_000
    await tenant('child-1').upsert('reviews', [review(ID)])
    assert.deepEqual(await look('org-a', at(20)), [
      ['org-a', OTHER_ID, null, 5, false],
      ['child-1', ID, null, 5, true],
    ])
    assert.deepEqual(await look('child-1', at(20)), [['child-1', ID, null, 5, false]])
    // The parent's next write gets an even later `updatedAt`.
    await tenant('org-a').upsert('sites', [site('s-9')])
    const select = ['updatedAt']
    const [own] = await tenant('org-a').findMany('sites', select, ['s-9'])
    const [seen] = await tenant('org-a').findMany('visible-reviews', select, [`${ID} child-1`])
    assert(String(own?.updatedAt) > String(seen?.updatedAt))
  },
  async 'a review that is deleted or a preview is not seen; shown again, it is a change'({
    tenant,
    look,
    clock,
  }) {
    const writer = tenant('child-1')
    await writer.upsert('reviews', [review(ID), review(OTHER_ID, { isPreview: true })])
    assert.equal((await look('org-a')).length, 1)
    await writer.upsert('reviews', [review(ID, { isDeleted: true })])
    for (const id of ['child-1', 'org-a']) assert.deepEqual(await look(id), [])
    clock.ms += 10_000
    await writer.upsert('reviews', [review(ID), review(OTHER_ID, { rating: 2 })])
    for (const id of ['child-1', 'org-a']) {
      assert.deepEqual(await look(id), [
        ['child-1', OTHER_ID, null, 2, true],
        ['child-1', ID, null, 5, true],
      ])
    }
    clock.ms += 10_000
    assert.deepEqual(await writer.upsert('reviews', [review(ID)]), { changed: 0 })
    assert.deepEqual(
      (await look('org-a', at(15))).map((row) => row[4]),
      [false, false],
    )
  },
  async "a review shows the name of its owner's site, also when that is stored later or renamed"({
    tenant,
    look,
    clock,
  }) {
    await tenant('child-1').upsert('reviews', [review(ID), review(OTHER_ID, { siteId: null })])
    await tenant('child-2').upsert('reviews', [review(ID)])
    await tenant('org-a').upsert('sites', [site('s-1', { name: "the parent's" })])
    clock.ms += 10_000
    for (const [name, since] of [
      ['First', at(5)],
      ['Second', at(15)],
    ] as const) {
      await tenant('child-1').upsert('sites', [site('s-1', { name })])
      const changed = ['child-1', ID, name, 5, true]
      assert.deepEqual(await look('org-a', since), [
        ['child-1', OTHER_ID, null, 5, false],
        ['child-2', ID, null, 5, false],
        changed,
      ])
      assert.deepEqual(await look('child-1', since), [['child-1', OTHER_ID, null, 5, false], changed])
      clock.ms += 10_000
    }
    await tenant('child-1').upsert('sites', [site('s-1', { name: 'Second', siteCode: 'X' })])
    assert.deepEqual(
      (await look('org-a', at(25))).map((row) => row[4]),
      [false, false, false],
    )
    await tenant('child-2').upsert('sites', [site('s-2', { name: 'Moved' })])
    await tenant('child-2').upsert('reviews', [review(ID, { siteId: 's-2' })])
    assert.deepEqual((await look('org-a', at(25)))[1], ['child-2', ID, 'Moved', 5, true])
  },
  async 'a child organization takes its reviews along to another parent'({
    tenant,
    look,
    clock,
    administration,
    read,
  }) {
    await tenant('child-1').upsert('sites', [site('s-1', { name: 'Main' })])
    await tenant('child-1').upsert('reviews', [review(ID), review(OTHER_ID, { isDeleted: true })])
    await tenant('child-2').upsert('reviews', [review(ID)])
    await tenant('grandchild').upsert('reviews', [review(ID)])
    clock.ms += 10_000
    const move = (parentId: string | null, name = 'Child') =>
      administration.saveOrganization(organization('child-1', { parentId, name }))
    assert.equal(await move('org-b'), 'saved')
    const kept = ['child-2', ID, null, 5, false]
    assert.deepEqual(await look('org-a'), [kept])
    assert.deepEqual(await look('org-b'), [['child-1', ID, 'Main', 5, true]])
    // Whoever has synced with the old parent up to its last write learns that the review has gone.
    assert.deepEqual((await read('org-a', [removals])).map(goneIds), [[['reviews', ID]]])
    assert.deepEqual(await look('child-1'), [
      ['grandchild', ID, null, 5, false],
      ['child-1', ID, 'Main', 5, false],
    ])
    clock.ms += 10_000
    assert.equal(await move('org-b', 'Renamed'), 'saved')
    assert.equal(await move('nobody'), 'parent_missing')
    assert.deepEqual(await look('org-b', at(15)), [['child-1', ID, 'Main', 5, false]])
    assert.equal(await move(null), 'saved')
    assert.deepEqual(await look('org-b'), [])
    await tenant('child-1').upsert('reviews', [review(ID, { rating: 3 })])
    assert.deepEqual([await look('org-a'), await look('org-b')], [[kept], []])
    assert.equal(await move('org-a'), 'saved')
    assert.deepEqual(await look('org-a'), [kept, ['child-1', ID, 'Main', 3, true]])
  },
  async 'the parent of a child that is deleted is told that its reviews have gone'({
    tenant,
    look,
    clock,
    organizationStore,
    read,
  }) {
    await tenant('child-2').upsert('reviews', [review(ID)])
    clock.ms += 10_000
    assert.equal(await organizationStore('child-2').beginDeletion(at(10)), 'begun')
    assert.deepEqual(await look('org-a'), [])
    assert.deepEqual((await read('org-a', [removals])).map(goneIds), [[['reviews', ID]]])
  },
})
