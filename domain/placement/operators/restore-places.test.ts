import { expect, test } from 'vitest'
import { saveIn } from '../../../test/support/moving/placed-organizations.ts'
import { createScratchPlaces, OWN } from '../../../test/support/scratch/scratch-places.ts'
import { lineLog } from '../../../host-worker/system.ts'
import { ALARM_MS } from '../../limits/waiting.ts'
import { toInstant } from '../../text/instant.ts'
import { createRestorePlaces } from './overview.ts'

test('the keys of a restored organization are found in its own database, with forms and without, and the sweep asks it', async () => {
  const scratch = createScratchPlaces()
  const isolate = scratch.isolate()
  const key = (keyId: string, issuedBy: string | null = null) => ({ keyId, issuedBy })
  const log = lineLog(() => undefined)
  for (const organizationId of ['bare', 'formed']) await saveIn(isolate, organizationId, {}, OWN)
  const places = createRestorePlaces({ ...isolate.places, log })
  expect(await places.enter('bare', { formIds: [], keys: [key('key-1', 'op-1'), key('key-2')] })).toBe(true)
  expect(await places.enter('formed', { formIds: ['form-1'], keys: [key('key-3')] })).toBe(true)
  expect(await scratch.run('select * from placed_keys order by key_id')).toEqual([
    { key_id: 'key-1', organization_id: 'bare', issued_by: 'op-1' },
    { key_id: 'key-2', organization_id: 'bare', issued_by: null },
    { key_id: 'key-3', organization_id: 'formed', issued_by: null },
  ])
  // The archive may say for how long rows are kept.
  const due = toInstant(scratch.clock.nowMs() + ALARM_MS)
  expect(await scratch.run('select family_id, work_since from families order by family_id')).toEqual([
    { family_id: 'bare', work_since: due },
    { family_id: 'formed', work_since: due },
  ])
})
