import { expect, test } from 'vitest'
import { newOrganization } from '../../../domain/organizations/settings.ts'
import { migratedImage } from '../../../test/support/databases/migrated-image.ts'
import { movingPlaces } from '../../../test/support/moving/moving.ts'
import { fakeClock } from '../../../test/support/runner/fakes.ts'
import { createStorage } from '../index.ts'

test('the end of one pause in the shared database ends no pause of another move', async () => {
  const places = movingPlaces({ clock: fakeClock(), image: migratedImage() })
  const { administration } = createStorage({ executor: places.shared, clock: places.clock, isShared: true })
  const source = places.world.places({ kind: 'shared' })
  for (const familyId of ['acme', 'other']) {
    await administration.saveOrganization(newOrganization(familyId, familyId))
    await source.pause(familyId, `token-of-${familyId}`, places.clock.nowMs() + 60_000)
  }
  await source.resume('token-of-acme')
  expect(await source.seal('acme', 'token-of-acme')).toBe(false)
  expect(await source.seal('other', 'token-of-other')).toBe(true)
})
