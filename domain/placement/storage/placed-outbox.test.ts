import { expect, test } from 'vitest'
import type { OutboxPosition } from '../../../ports/messaging.ts'
import { form, submission } from '../../../adapters/conformance/fixtures.ts'
import { saveIn } from '../../../test/support/moving/placed-organizations.ts'
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
  for (let after: OutboxPosition | null = null; found.length < 10;) {
    const [entry] = await isolate.outbox.list('org', after, 1)
    if (entry === undefined) break
    found.push(entry.outboxId)
    after = entry
  }
  expect(found).toEqual(['1', '2', '3'].map((id) => `${prefix}${id}`))
})
