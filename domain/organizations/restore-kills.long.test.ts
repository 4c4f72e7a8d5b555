import { expect, test } from 'vitest'
import { restoreAcme } from '../../test/support/archives/restored-acme.ts'
import { thorough } from '../../test/support/runner/thorough.ts'
import { createScratchPlaces, OWN } from '../../test/support/scratch/scratch-places.ts'

// Restoring is interrupted after calls of a database, and taken up again by another process.

/** From one interrupted call to the next. */
const STEP = thorough(1, 5)

test.each([
  ['the shared database', { kind: 'shared' } as const],
  ['a database of its own', OWN],
])('an organization is restored in %s, wherever that was interrupted', async (_name, choice) => {
  let points = 0
  for (let kill = 1, wasKilled = true; wasKilled; kill += STEP) {
    const scratch = createScratchPlaces()
    let calls = 0
    scratch.after = () => {
      calls += 1
      if (calls === kill) throw new Error('killed')
    }
    await restoreAcme(scratch, choice).catch((error: unknown) => {
      expect(error).toMatchObject({ message: 'killed' })
    })
    scratch.after = () => undefined
    wasKilled = calls >= kill
    points += wasKilled ? 1 : 0
    const again = await restoreAcme(scratch, choice)
    const storage = scratch.isolate()
    const found = await storage.administration.findOrganization('acme')
    const [row] = await storage.tenant('acme').findMany('contacts', ['firstName'], ['c-1'])
    // An archive whose restoration had ended is refused, because the organization has its rows.
    if (typeof again === 'string') expect(again).toContain('acme has rows')
    else expect(again).toHaveProperty('restoration.endedAt', expect.any(String))
    expect({ kill, found, row }).toMatchObject({
      found: { organizationId: 'acme' },
      row: { firstName: 'Xanthippe' },
    })
  }
  expect(points).toBeGreaterThan(10 / STEP)
})
