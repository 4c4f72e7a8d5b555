import { expect, test } from 'vitest'
import type { RestoreWorld } from './world.ts'
import { contact, form, organization } from '../../../test/conformance/fixtures.ts'
import { fakeRandom, testSecrets } from '../../../test/support/runner/fakes.ts'
import { thorough } from '../../../test/support/runner/thorough.ts'
import type { ScratchPlaces } from '../../../test/support/scratch/scratch-places.ts'
import { createScratchPlaces, OWN } from '../../../test/support/scratch/scratch-places.ts'
import type { PlaceChoice } from '../../../ports/placement/placement.ts'
import type { Manifest } from '../archive/format.ts'
import { readHead, readLines } from '../archive/local-source.ts'
import { beginRestoring } from './begin.ts'
import { finishRestoring } from './finish.ts'
import { writePart } from './write-part.ts'

// Restoring is interrupted after calls of a database, and taken up again by another process.

/** From one interrupted call to the next. */
const STEP = thorough(1, 3)

/** An archive of an organization with a contact and a form, as an operator sends it. */
async function archived() {
  const storage = createScratchPlaces().isolate()
  await storage.administration.saveOrganization(organization('acme'), undefined, { kind: 'shared' })
  await storage.tenant('acme').upsert('contacts', [contact('c-1', { firstName: 'Xanthippe' })])
  await storage.tenant('acme').upsert('forms', [form('f-1')])
  const local = { organizationId: 'acme', store: storage.whole('acme'), withSecrets: false }
  const place = {
    place: 'shared',
    region: null,
    jurisdiction: null,
    generation: null,
    sizeBytes: null,
  } as const
  const head = await readHead(local, place)
  if (head === null) throw new Error('There is no organization')
  const files = []
  for (const one of head.files) {
    const read = await readLines(local, one.file, null)
    files.push({ ...one, lines: (read?.lines ?? '').split('\n').slice(0, -1) })
  }
  const digested = { bytes: 0, sha256: '0'.repeat(64) }
  const manifest: Manifest = {
    format: 'tenant-data-archive',
    version: 1,
    organizationId: 'acme',
    secrets: false,
    organization: digested,
    files: files.map(({ file, columns, lines }) => ({
      file,
      columns: [...columns],
      rows: lines.length,
      ...digested,
    })),
  }
  return { head, manifest, files: files.filter(({ lines }) => lines.length > 0) }
}

const { head, manifest, files } = await archived()
const secrets = await testSecrets()

async function restore(scratch: ScratchPlaces, choice: PlaceChoice) {
  const { whole, restorePlaces, administration } = scratch.isolate()
  const world: RestoreWorld = {
    ...{ whole, restorePlaces, administration, secrets },
    clock: scratch.clock,
    random: fakeRandom(scratch.calls.length),
  }
  const asked = { organizationId: 'acme', archive: 'acme.tar', digest: 'digest', manifest, choice }
  const begun = await beginRestoring(
    { ...asked, organization: head.organization, slug: undefined, formIds: ['f-1'] },
    world,
  )
  if ('refusal' in begun) return begun.refusal
  const { restoreId } = begun.restoration
  for (const [index, { file, lines }] of files.entries()) {
    const part = await writePart({ organizationId: 'acme', restoreId, part: index + 1, file, lines }, world)
    if (part === null || 'refusal' in part) return part
  }
  return finishRestoring('acme', restoreId, world)
}

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
    await restore(scratch, choice).catch(() => undefined)
    scratch.after = () => undefined
    wasKilled = calls >= kill
    points += wasKilled ? 1 : 0
    const again = await restore(scratch, choice)
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
