import { expect, test } from 'vitest'
import { restoreAcme } from '../../test/support/archives/restored-acme.ts'
import { organization } from '../../adapters/conformance/fixtures.ts'
import { portWith } from '../../test/support/runner/port-with.ts'
import { createScratchPlaces, OWN } from '../../test/support/scratch/scratch-places.ts'
import type { OrganizationStore } from '../../ports/organization-store.ts'

test.each([
  ['the archived slug, when none is asked for', undefined, 'acme'],
  ['another one', 'harbor', 'harbor'],
  ['none, when that is asked for', null, null],
])('a restored organization has %s', async (_what, slug, stored) => {
  const scratch = createScratchPlaces()
  await restoreAcme(scratch, { kind: 'shared' }, slug === undefined ? {} : { slug })
  expect(await scratch.isolate().administration.findOrganization('acme')).toMatchObject({ slug: stored })
})

const archivedIn = { kind: 'own', region: 'weur', jurisdiction: null } as const
const archivedPlace = { ...archivedIn, familyId: 'acme', generation: 1 }

test.each([
  ['where it was archived', null, archivedPlace],
  ['where the operator wants it', { kind: 'shared' } as const, { kind: 'shared' }],
])('an organization is restored %s', async (_where, choice, place) => {
  const scratch = createScratchPlaces()
  await restoreAcme(scratch, choice, { archivedIn })
  expect(await scratch.directory.list(null, 10)).toEqual([{ organizationId: 'acme', place }])
})

test('one that is there already is restored where it lives', async () => {
  const scratch = createScratchPlaces()
  await scratch.isolate().administration.saveOrganization(organization('acme'))
  await restoreAcme(scratch, null, { archivedIn })
  expect(await scratch.directory.list(null, 10)).toEqual([
    { organizationId: 'acme', place: { kind: 'shared' } },
  ])
})

/** A store that gives out one row at a time. */
function readingOneByOne(store: OrganizationStore): OrganizationStore {
  return portWith(store, {
    async read(table, after) {
      const place = Number(after?.[0] ?? 0)
      const { rows } = await store.read(table, null)
      return { rows: rows.slice(place, place + 1), next: place + 1 < rows.length ? [place + 1] : null }
    },
  })
}

test('every form of a restored organization is found, however many reads its forms take', async () => {
  const scratch = createScratchPlaces()
  const { organizationStore, restorePlaces } = scratch.isolate()
  await restoreAcme(scratch, OWN, {
    organizationStore: (organizationId) => readingOneByOne(organizationStore(organizationId)),
  })
  expect(await restorePlaces.formsOfOthers('other', ['f-1', 'f-2'])).toEqual(['f-1', 'f-2'])
})
