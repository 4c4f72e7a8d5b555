import { beforeEach, describe, expect, test } from 'vitest'
import type { ListedEntry } from '../../../ports/outbox.ts'
import { form, organization, submission, tenantKey } from '../../../adapters/conformance/fixtures.ts'
import {
  createScratchPlaces,
  OWN,
  type ScratchIsolate,
  type ScratchPlaces,
} from '../../../test/support/scratch/scratch-places.ts'
import { CONNECTIONS_WIDTH } from '../../limits/waiting.ts'
import { FAMILIES_MAX, type PlacedOutboxPosition } from '../find/visit-families.ts'

let scratch: ScratchPlaces
let isolate: ScratchIsolate

beforeEach(() => {
  scratch = createScratchPlaces()
  isolate = scratch.isolate()
})

/** Makes the database of a family fail every call. */
function fail(name: string) {
  scratch.before = ({ at }) => {
    if (at === name) throw new Error('The database does not answer')
  }
}

async function listed(limit: number) {
  const ids: string[] = []
  const unanswered: string[] = []
  let pages = 0
  for (let after: string | null = null, more = true; more; pages += 1) {
    scratch.calls.length = 0
    const page = await isolate.overview.organizations(after, limit)
    // The directory, the shared database, and at most `FAMILIES_MAX` families are called.
    expect(scratch.calls.length).toBeLessThanOrEqual(FAMILIES_MAX + 2)
    ids.push(...page.rows.map(({ organizationId }) => organizationId))
    unanswered.push(...page.unanswered)
    after = page.next
    more = after !== null
  }
  return { ids, unanswered, pages }
}

test.each([1, 7, 500])(
  'organizations of both places (a thousand in pages of 500) are listed once each, in order, %i a page',
  async (limit) => {
    const families = limit === 500 ? 120 : 12
    const all: string[] = []
    for (let index = 0; index < families; index += 1) {
      const id = `org-${String(index * 5).padStart(4, '0')}`
      await isolate.administration.saveOrganization(organization(id), null, OWN)
      all.push(id)
    }
    const shared = limit === 500 ? 880 : 40
    for (let index = 0; index < shared; index += 1) {
      const id = `org-${String(index).padStart(4, '0')}-s`
      await isolate.administration.saveOrganization(organization(id), null)
      all.push(id)
    }
    expect((await listed(limit)).ids).toEqual(all.toSorted())
  },
)

describe('a family whose database does not answer', () => {
  beforeEach(async () => {
    for (const id of ['a', 'b', 'c']) {
      await isolate.administration.saveOrganization(organization(id), null, OWN)
      await isolate.administration.addKey(tenantKey(id, `key-${id}`))
    }
    await isolate.administration.saveOrganization(organization('plain'), null)
    fail('b.1')
  })

  test('is named in every list, and keeps nothing else from being listed', async () => {
    expect(await listed(100)).toMatchObject({ ids: ['a', 'c', 'plain'], unanswered: ['b'] })
    expect(await isolate.overview.outbox(null, 100)).toMatchObject({
      rows: [],
      next: null,
      unanswered: ['b'],
    })
    const counted = await isolate.overview.administrations(null, (placed) => placed.countHashes(null))
    expect(counted.results.map(({ familyId, result }) => [familyId, result.keys])).toEqual([
      ['a', 1],
      ['c', 1],
    ])
    expect([counted.unanswered, counted.next]).toEqual([['b'], null])
    expect(scratch.errors.join()).toContain('family_unanswered')
  })

  test('is described as far as the directory knows it', async () => {
    const own = { place: 'own', region: null, jurisdiction: null } as const
    expect(await isolate.overview.describe('b')).toEqual({
      organization: null,
      place: { ...own, sizeBytes: null },
    })
    expect(await isolate.overview.describe('a')).toMatchObject({
      organization: { organizationId: 'a' },
      place: { ...own, sizeBytes: expect.any(Number) as number },
    })
    expect(await isolate.overview.describe('nobody')).toBeNull()
    expect(scratch.errors.join()).toContain('family_unanswered')
  })

  test('fails its own requests alone', async () => {
    const read = (id: string) =>
      isolate.keyed.open({ organizationId: id, keyId: `key-${id}`, hashes: [`hash of key-${id}`] }).read([])
    await expect(read('b')).rejects.toThrow('The database does not answer')
    expect([(await read('a')).authenticated, (await read('c')).authenticated]).toEqual([true, true])
    expect(await isolate.administration.findOrganization('plain')).not.toBeNull()
    await isolate.administration.saveOrganization(organization('new'), null, OWN)
  })
})

test('a family whose creation was never finished is named for what it is, until it is taken up again', async () => {
  await isolate.administration.saveOrganization(organization('a'), null, OWN)
  scratch.before = ({ kind }) => {
    if (kind === 'create') throw new Error('The isolate was stopped')
  }
  await expect(isolate.administration.saveOrganization(organization('b'), null, OWN)).rejects.toThrow(
    'The isolate was stopped',
  )
  scratch.before = () => undefined
  const gaps = { unanswered: [], unfinished: ['b'] }
  expect(await isolate.overview.organizations(null, 10)).toMatchObject({
    rows: [{ organizationId: 'a' }],
    ...gaps,
  })
  expect(await isolate.overview.outbox(null, 10)).toMatchObject(gaps)
  expect(await isolate.overview.administrations(null, (placed) => placed.countHashes(null))).toMatchObject(
    gaps,
  )
  expect(await isolate.overview.describe('b')).toBeNull()
  expect(scratch.errors).toEqual([])
  await isolate.administration.saveOrganization(organization('b'), null, OWN)
  expect(await isolate.overview.organizations(null, 10)).toMatchObject({ unfinished: [] })
})

test('what the directory does not answer about an unfinished family is logged beside the family', async () => {
  scratch.before = ({ kind }) => {
    if (kind === 'create') throw new Error('The isolate was stopped')
  }
  await expect(isolate.administration.saveOrganization(organization('b'), null, OWN)).rejects.toThrow(
    'The isolate was stopped',
  )
  scratch.before = ({ at }) => {
    if (at === 'b.1') fail('shared')
  }
  const visit = await isolate.overview.administrations(null, (placed) => placed.countHashes(null))
  expect([visit.unanswered, visit.unfinished]).toEqual([['b'], []])
  expect(scratch.errors.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { event: 'directory_unanswered', familyId: 'b', errorName: 'Error' },
    { event: 'family_unanswered', familyId: 'b' },
  ])
})

test('a family that moves while it is asked is not taken for an unfinished one', async () => {
  await isolate.administration.saveOrganization(organization('a'), null, OWN)
  scratch.before = async ({ at }) => {
    if (at !== 'a.1') return
    scratch.before = () => undefined
    await scratch.move('a', 'own')
  }
  expect(await isolate.overview.administrations(null, (placed) => placed.countHashes(null))).toMatchObject({
    unanswered: ['a'],
    unfinished: [],
  })
})

describe('the outbox of all places', () => {
  const names = ['plain-1', 'plain-2', 'f-a', 'f-b', 'f-c', 'f-d', 'f-e', 'f-f']
  const perOrganization = 3

  beforeEach(async () => {
    for (const id of names) {
      await isolate.administration.saveOrganization(
        organization(id),
        null,
        id.startsWith('f-') ? OWN : undefined,
      )
      if (id === 'f-c') continue
      const tenant = isolate.tenant(id)
      await tenant.upsert('forms', [form(`form-${id}`)])
      for (let index = 0; index < perOrganization; index += 1) {
        scratch.clock.ms += 1
        const outbox = [{ outboxId: `out-${index}-${id}`, kind: 'notification_email', payload: {} }]
        await tenant.saveSubmission(submission(`s-${index}`, { formId: `form-${id}`, outbox }))
      }
    }
  })

  test.each([1, 2, 3, 4, 5, 20])(
    'is listed once, place by place, %i a page, a few databases at a time',
    async (limit) => {
      const entries: ListedEntry[] = []
      let after: PlacedOutboxPosition | null = null
      for (let pages = 0; pages < 40; pages += 1) {
        let asked = 0
        let most = 0
        scratch.before = async ({ at }) => {
          if (at === 'shared') return
          asked += 1
          most = Math.max(most, asked)
          await Promise.resolve()
        }
        scratch.after = ({ at }) => {
          if (at !== 'shared') asked -= 1
        }
        const page = await isolate.overview.outbox(after, limit)
        expect(most).toBeLessThanOrEqual(CONNECTIONS_WIDTH)
        expect(page.rows.length).toBeLessThanOrEqual(limit)
        entries.push(...page.rows)
        after = page.next
        if (after === null) break
      }
      const expected = names
        .filter((id) => id !== 'f-c')
        .flatMap((id) =>
          Array.from(
            { length: perOrganization },
            (_, index) => `${id.startsWith('f-') ? `${id}:` : ''}out-${index}-${id}`,
          ),
        )
      expect(entries.map(({ outboxId }) => outboxId)).toEqual(expected)
    },
  )

  test('an entry is found by the id under which it is listed, in either place', async () => {
    for (const id of ['out-0-plain-1', 'f-a:out-0-f-a']) {
      expect(await isolate.outbox.ownerOf(id)).toBe(id.includes(':') ? 'f-a' : 'plain-1')
      expect(await isolate.outbox.redrive(id, new Date(scratch.clock.ms).toISOString())).toBe('driven')
    }
    for (const id of ['f-b:out-0-f-a', 'nobody:out-0', ':', 'f-a:', 'out-0-f-a', 'plain-1:out-0-plain-2'])
      expect([id, await isolate.outbox.ownerOf(id)]).toEqual([id, null])
  })
})
