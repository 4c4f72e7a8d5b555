import { expect, test } from 'vitest'
import { form, organization, submission } from '../../adapters/conformance/fixtures.ts'
import { openJobBench, type JobBench } from '../../test/support/providers/jobs.ts'
import { sweep } from './deliver.ts'
import { portWith } from '../../test/support/runner/port-with.ts'

const FLOOD = 20_000

/** 20,000 notifications of `acme` that have been due for a while. */
async function flood({ storage, clock }: JobBench): Promise<void> {
  const at = new Date(clock.nowMs() - 3_600_000).toISOString()
  await storage.database.batch([
    {
      sql: `insert into outbox (organization_id, outbox_id, submission_id, kind, payload, next_attempt_at, created_at,
          updated_at)
        with recursive n (i) as (select 1 union all select i + 1 from n where i < ${FLOOD})
        select 'acme', 'flood-' || i, 'flood', 'notification_email',
          json_object('submissionId', 'flood', 'formId', 'form-1', 'to', 'flood@example.com'), ?1, ?1, ?1 from n`,
      parameters: [at],
    },
  ])
}

async function notifyOne({ storage }: JobBench, organizationId: string): Promise<void> {
  const formId = `form-${organizationId}`
  await storage.administration.saveOrganization(organization(organizationId, { slug: organizationId }))
  const fields = [{ id: 'question', type: 'short_text', label: 'Question' }]
  await storage.tenant(organizationId).upsert('forms', [form(formId, { definition: { formId, fields } })])
  const payload = { submissionId: 'sub', formId, to: `office@${organizationId}.example.com` }
  const outbox = [{ outboxId: `notify-${organizationId}`, kind: 'notification_email', payload }]
  await storage.tenant(organizationId).saveSubmission(submission('sub', { formId, outbox }))
}

test('beside a flood of one organization, what 50 others have to deliver is delivered by the first sweep', async () => {
  const bench = await openJobBench()
  await flood(bench)
  const others = Array.from({ length: 50 }, (_, index) => `other-${index}`)
  for (const organizationId of others) await notifyOne(bench, organizationId)
  const swept = await sweep(bench.world)
  expect(swept.due).toBe(500)
  const delivered = bench.email.delivered.map(([key]) => key)
  // Each other organization is served before `acme` is served twice, give or take the entries that are processed at
  // once.
  expect(delivered.slice(0, 55)).toEqual(expect.arrayContaining(others.map((id) => `notify-${id}`)))
})

test('when time runs out within a sweep, others begin the next one', async () => {
  const bench = await openJobBench()
  const others = Array.from({ length: 40 }, (_, index) => `other-${index}`)
  for (const organizationId of others) await notifyOne(bench, organizationId)
  // Every claim takes ten seconds, so a sweep has time for a few entries only, and nothing is delivered.
  const tried = new Set<string>()
  const world: JobBench['world'] = {
    ...bench.world,
    outbox: {
      ...bench.world.outbox,
      open: (organizationId) =>
        portWith(bench.world.outbox.open(organizationId), {
          claim: () => {
            tried.add(organizationId)
            bench.clock.advance(10_000)
            return Promise.resolve(null)
          },
        }),
    },
  }
  const startMs = bench.clock.nowMs()
  for (let minute = 0; minute < 120 && tried.size < others.length; minute += 1) {
    bench.clock.set(new Date(startMs + minute * 60_000).toISOString())
    await sweep(world)
  }
  expect(tried.size).toBe(others.length)
})

test('an entry that cannot be claimed is reported, and does not keep the others from being delivered', async () => {
  const bench = await openJobBench()
  for (const organizationId of ['broken', 'whole']) await notifyOne(bench, organizationId)
  const logged: unknown[] = []
  const world: JobBench['world'] = {
    ...bench.world,
    log: { info: () => undefined, error: (...line) => logged.push(line) },
    outbox: {
      ...bench.world.outbox,
      open: (organizationId) =>
        portWith(
          bench.world.outbox.open(organizationId),
          organizationId === 'broken' ? { claim: () => Promise.reject(new Error('The disk is full')) } : {},
        ),
    },
  }
  expect(await sweep(world)).toEqual({ due: 2, worked: 1 })
  expect(bench.email.delivered.map(([key]) => key)).toEqual(['notify-whole'])
  expect(logged).toEqual([
    ['outbox_delivery_failed', { outboxId: 'notify-broken' }, new Error('The disk is full')],
  ])
})
