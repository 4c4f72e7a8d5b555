import { expect, test } from 'vitest'
import { toInstant } from '../../../domain/text/instant.ts'
import { organization } from '../../conformance/fixtures.ts'
import { createScratchStorage } from '../../../test/support/scratch/scratch-storage.ts'
import { createStorage } from '../index.ts'
import { createMoveLedger } from './ledger.ts'
import { newOrganization } from '../../../domain/organizations/settings.ts'
import { migratedImage } from '../../../test/support/databases/migrated-image.ts'
import { movingPlaces } from '../../../test/support/moving/moving.ts'
import { fakeClock } from '../../../test/support/runner/fakes.ts'

const START_MS = Date.parse('2026-03-01T10:00:00.000Z')
const MINUTE_MS = 60_000
const at = (minutes: number) => toInstant(START_MS + minutes * MINUTE_MS)

test('of the moves on which nobody works, those come first that nobody has taken for longest', async () => {
  const clock = { nowMs: () => START_MS }
  const { database } = createScratchStorage({ clock })
  const storage = createStorage({ executor: database, clock, isShared: true })
  const ledger = createMoveLedger(database)
  for (const [index, familyId] of ['first', 'second', 'third'].entries()) {
    await storage.administration.saveOrganization(organization(familyId))
    const target = { kind: 'own', region: null, jurisdiction: null } as const
    await ledger.open({ moveId: `move-${familyId}`, familyId, startedAt: at(index), target })
  }
  const swept: string[] = []
  for (let minute = 10; minute < 15; minute += 1) {
    const [move] = await ledger.idle(at(minute), 1)
    swept.push(move?.familyId ?? '')
    await ledger.take(move?.moveId ?? '', 'mover', at(minute), at(minute + 1))
    await ledger.release(move?.moveId ?? '', 'mover')
  }
  expect(swept).toEqual(['first', 'second', 'third', 'first', 'second'])
})

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
