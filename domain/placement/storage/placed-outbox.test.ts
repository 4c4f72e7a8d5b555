import { expect, test } from 'vitest'
import type { Position } from '../../../ports/records.ts'
import { form, organization, submission } from '../../../adapters/conformance/fixtures.ts'
import { saveIn } from '../../../test/support/moving/placed-organizations.ts'
import { fakeClock } from '../../../test/support/runner/fakes.ts'
import { createScratchStorage } from '../../../test/support/scratch/scratch-storage.ts'
import { createScratchPlaces, OWN } from '../../../test/support/scratch/scratch-places.ts'

test.each([
  ['a database of its own', OWN, 'org:'],
  ['the shared one', undefined, ''],
])('the entries of an organization in %s are listed page by page', async (_name, choice, prefix) => {
  const isolate = createScratchPlaces().isolate()
  await saveIn(isolate, 'org', {}, choice)
  await isolate.tenant('org').upsert('forms', [form('form-1')])
  const outbox = ['1', '2', '3'].map((outboxId) => ({ outboxId, kind: 'notification_email', payload: {} }))
  await isolate.tenant('org').saveSubmission(submission('s', { formId: 'form-1', outbox }))
  const found: string[] = []
  for (let after: Position | null = null; found.length < 10;) {
    const [entry] = await isolate.outbox.list('org', after, 1)
    if (entry === undefined) break
    found.push(entry.outboxId)
    after = { value: entry.createdAt, id: entry.outboxId }
  }
  expect(found).toEqual(['1', '2', '3'].map((id) => `${prefix}${id}`))
})

test('a family in whose own database answers of webhooks are kept is looked at by the sweep', async () => {
  const storage = createScratchStorage({ clock: fakeClock(), choice: OWN })
  await storage.administration.saveOrganization(organization('org'), null, OWN)
  const noted = async () => {
    const sql = 'select family_id from families where work_since is not null'
    return (await storage.database.batch([{ sql, parameters: [] }]))[0]?.rows
  }
  expect(await noted()).toEqual([])
  const at = '2026-06-15T12:00:00.000Z'
  const event = { deliveryId: 'whd_1', webhookId: 'wh_1', event: 'test', subjectId: 'x', at }
  const delivery = { ...event, status: 'failed', answer: null } as const
  await storage.outbox.open('org').settle('whd_1', 't', { kind: 'done', sends: [], delivery }, at)
  await expect.poll(noted).toEqual([{ family_id: 'org' }])
})
