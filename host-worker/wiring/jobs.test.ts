import { expect, test } from 'vitest'
import type { JobWorld } from '../../domain/jobs/work.ts'
import { createPlacedStorage } from '../../domain/placement/placed-storage.ts'
import { toInstant } from '../../domain/text/instant.ts'
import { form, organization, submission } from '../../adapters/conformance/fixtures.ts'
import { fakeEmail, fakeReceiver, fakeSms, hooksOf } from '../../test/support/providers/jobs.ts'
import { fakeRandom } from '../../test/support/runner/fakes.ts'
import { createScratchPlaces, OWN } from '../../test/support/scratch/scratch-places.ts'
import { systemDeadline } from '../system.ts'
import { createFollowUp } from './jobs.ts'

const MINUTE_MS = 60_000

test('the cron works off what is due in every database: that which all share, and those of families', async () => {
  const scratch = createScratchPlaces()
  const { clock } = scratch
  const logged: string[] = []
  const log = { info: () => undefined, error: (event: string) => void logged.push(event) }
  const { places } = scratch.isolate()
  const storage = createPlacedStorage(places, log)
  const email = fakeEmail()
  for (const [organizationId, choice] of [
    ['own', OWN],
    ['plain', undefined],
  ] as const) {
    await storage.administration.saveOrganization(organization(organizationId), null, choice)
    const tenant = storage.tenant(organizationId)
    await tenant.upsert('forms', [form(`form-${organizationId}`)])
    const payload = { to: `${organizationId}@example.com`, lines: [] }
    const entry = { outboxId: `entry-${organizationId}`, kind: 'notification_email', payload }
    await tenant.saveSubmission(
      submission(`sub-${organizationId}`, { formId: `form-${organizationId}`, outbox: [entry] }),
    )
  }
  await places.directory.noteWork('own', toInstant(clock.nowMs()))
  const jobs: JobWorld = {
    outbox: storage.outbox,
    email: email.sender,
    sms: fakeSms().sender,
    mail: { domain: 'mail.example.com', brand: 'Platform' },
    hooks: hooksOf(storage, fakeReceiver().fetch),
    clock,
    deadline: systemDeadline,
    random: fakeRandom(),
    log,
  }
  clock.ms += MINUTE_MS
  await createFollowUp({
    openJobs: () => jobs,
    places,
    imports: storage.importDirectory,
    sweepImports: async () => undefined,
    sweepMoves: async () => undefined,
    sweepBackups: async () => undefined,
  }).cron()
  expect(logged).toEqual([])
  expect(email.delivered.flatMap(([, { to }]) => to).toSorted()).toEqual([
    'own@example.com',
    'plain@example.com',
  ])
})
