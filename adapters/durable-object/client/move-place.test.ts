import { expect, test } from 'vitest'
import { fakeClock } from '../../../test/support/runner/fakes.ts'
import { namespaceOf, openScratchFamily } from '../../../test/support/scratch/scratch-family.ts'
import { openedImage } from '../../../test/support/scratch/scratch-object.ts'
import { createObjectMovePlace } from './move-place.ts'

const place = { kind: 'own', familyId: 'family', generation: 1, region: null, jurisdiction: null } as const

test('an attempt to switch that is given up lets writes in at once, whether paused or sealed', async () => {
  const clock = fakeClock()
  const family = openScratchFamily({ clock, image: openedImage() })
  const source = createObjectMovePlace({ namespace: namespaceOf(() => family.object()), place, clock })
  const write = () => family.object().batch('write', [{ sql: 'delete from sites', parameters: [] }])
  for (const isSealed of [false, true]) {
    await source.pause('journal', 'token', clock.nowMs() + 60_000)
    if (isSealed) expect(await source.seal('journal', 'token')).toBe(true)
    // Whoever a sealed object has not been named to by the directory is sent there.
    expect(await write()).toEqual(isSealed ? { elsewhere: true } : { paused: true })
    await source.resume('token')
    expect(await write()).toHaveProperty('results')
  }
})
