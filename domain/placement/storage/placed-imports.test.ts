import { expect, test } from 'vitest'
import { START_MS } from '../../../adapters/conformance/fixtures.ts'
import { saveIn } from '../../../test/support/moving/placed-organizations.ts'
import { createScratchPlaces, OWN } from '../../../test/support/scratch/scratch-places.ts'
import { toInstant } from '../../text/instant.ts'
import { placedImports } from './placed-writes.ts'

const FILE = { kind: 'contacts', format: 'ndjson', totalBytes: 10, digest: 'd' } as const
const MINUTE_MS = 60_000

test('before an import is decided in a family’s database, the sweep is told to ask for it a minute later', async () => {
  const scratch = createScratchPlaces()
  const isolate = scratch.isolate()
  await saveIn(isolate, 'own', {}, OWN)
  const imports = placedImports(
    { ...isolate.places, log: { info: () => undefined, error: () => undefined } },
    'own',
  )
  const session = await imports.open('imp-1', FILE, 'rows', 'start')
  const workAt = (ms: number) => scratch.directory.familiesWithWork(toInstant(START_MS + ms), 10)

  // The isolate dies in the middle, so nobody but the sweep knows of the import.
  scratch.after = ({ at }) => {
    if (at === 'own.1') throw new Error('The answer is lost')
  }
  expect(await workAt(MINUTE_MS)).toEqual([])
  await expect(imports.startWriting(session, false)).rejects.toThrow('The answer is lost')
  expect(await workAt(MINUTE_MS - 1)).toEqual([])
  expect(await workAt(MINUTE_MS)).toMatchObject([{ place: { familyId: 'own' } }])
})
