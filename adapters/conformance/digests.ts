import assert from 'node:assert/strict'
import { DIGEST_MS, DIGEST_NAMED_MAX, SINGLES_MAX } from '../../domain/forms/outbox.ts'
import { toInstant } from '../../domain/text/instant.ts'
import type { ClaimedEntry } from '../../ports/index.ts'
import { type MakeStorage, form, submission, twoTenants, type TwoTenants } from './fixtures.ts'
import { drawing } from './spam.ts'
import { casesFrom } from './cases.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60_000

const ofForms = ['org-a', 'org-b'].flatMap((organizationId) =>
  ['1', '2'].map((number) => ({ organizationId, formId: `${organizationId}-${number}` })),
)

async function withForms(make: MakeStorage): Promise<TwoTenants> {
  const storage = await twoTenants(make)
  for (const { organizationId, formId } of ofForms)
    await storage.tenant(organizationId).upsert('forms', [form(formId)])
  return storage
}

const notifications = (submissionId: string) =>
  ['one', 'two'].map((to) => ({
    outboxId: `obx_${submissionId}_${to}`,
    kind: 'notification_email',
    payload: { to: `${to}@example.com` },
  }))

/** Claims an entry of an organization now. */
function claim({ outbox, clock }: TwoTenants, organizationId: string, outboxId: string) {
  const now = clock.nowMs()
  const lease = { token: `${outboxId}-${now}`, until: toInstant(now + MINUTE_MS) }
  return outbox.open(organizationId).claim(outboxId, lease, toInstant(now))
}

interface Digest {
  readonly outboxId: string
  readonly dueMs: number
  count: number
  readonly first: string[]
}

/** What is told of a form one by one, and its digest, in the words of the rule: a naive account of both. */
function accountOf() {
  let told: readonly number[] = []
  let gathering: Digest | null = null
  const digests: Digest[] = []
  return {
    digests,
    /** Whether a submission is told of by itself. */
    came(submissionId: string, atMs: number): boolean {
      told = told.filter((oneMs) => oneMs > atMs - DIGEST_MS)
      if (told.length < SINGLES_MAX) {
        told = [...told, atMs]
        return true
      }
      if (gathering === null) {
        gathering = { outboxId: `dig_${submissionId}`, dueMs: atMs + DIGEST_MS, count: 0, first: [] }
        digests.push(gathering)
      }
      gathering.count += 1
      if (gathering.first.length < DIGEST_NAMED_MAX) gathering.first.push(submissionId)
      return false
    },
    gathering: () => gathering,
    taken(): void {
      gathering = null
    },
  }
}

export const digestCases = casesFrom(withForms, {
  async 'submissions are told of one by one or gathered into a digest, as a naive account has it'(storage) {
    const { clock } = storage
    const random = drawing()
    const draw = (count: number) => Math.floor(random() * count)
    const accounts = new Map(ofForms.map(({ formId }) => [formId, accountOf()]))
    let [singles, gathered, taken] = [0, 0, 0]
    for (let index = 0; index < 700; index += 1) {
      clock.ms += [0, 1, SECOND_MS, draw(20) * SECOND_MS, draw(60) === 0 ? 9 * MINUTE_MS : 0][draw(5)] ?? 0
      const { organizationId, formId } = ofForms[Math.min(draw(9), 3)] ?? assert.fail()
      const account = accounts.get(formId) ?? assert.fail()
      const submissionId = `sub-${index}`
      const isSpam = random() < 0.1
      const isSilent = random() < 0.05
      await storage.tenant(organizationId).saveSubmission(
        submission(submissionId, {
          formId,
          servedAt: 'https://service.example',
          outbox: isSilent ? [] : notifications(submissionId),
          ...(isSpam ? { judged: { reasons: ['words'], signs: [], words: [] } } : {}),
        }),
      )
      const entries = await storage.outboxOf(organizationId)
      const own = entries.filter(
        (entry) => entry.submissionId === submissionId && entry.kind === 'notification_email',
      )
      if (isSpam || isSilent) {
        assert.deepEqual(own, [])
        continue
      }
      const isSingle = account.came(submissionId, clock.nowMs())
      assert.equal(own.length, isSingle ? 2 : 0, `${submissionId} of ${formId}`)
      if (isSingle) singles += 1
      else gathered += 1
      for (const digest of accounts.get(formId)?.digests ?? []) {
        const entry = entries.find(({ outboxId }) => outboxId === digest.outboxId)
        if (entry === undefined) continue
        assert.deepEqual(entry.payload, {
          ...{ formId, servedAt: 'https://service.example' },
          ...{ count: digest.count, first: digest.first },
        })
      }
      // Workers take what is due, and nothing before.
      const digest = account.gathering()
      if (digest === null || random() < 0.5) continue
      const claimed = await claim(storage, organizationId, digest.outboxId)
      assert.equal(claimed !== null, clock.nowMs() >= digest.dueMs)
      if (claimed === null) continue
      account.taken()
      taken += 1
      await settle(storage, organizationId, claimed)
    }
    assert(singles > 100 && gathered > 100 && taken > 2, `${singles} ${gathered} ${taken}`)
  },
  async 'what comes while a worker has the digest is gathered into another one'(storage) {
    const { clock } = storage
    const save = (id: string) =>
      storage
        .tenant('org-a')
        .saveSubmission(submission(id, { formId: 'org-a-1', servedAt: null, outbox: notifications(id) }))
    const gathered = async () =>
      (await storage.outboxOf('org-a'))
        .filter(({ kind }) => kind === 'notification_digest')
        .map(({ outboxId, payload }) => [outboxId, (payload as Digest).count, (payload as Digest).first])
    const flood = async (name: string, over: number) => {
      for (let index = 0; index < SINGLES_MAX; index += 1) await save(`${name}-single-${index}`)
      for (let index = 1; index <= over; index += 1) await save(`${name}-${index}`)
    }
    await flood('early', 1)
    const before = ['dig_early-1', 1, ['early-1']]
    assert.deepEqual(await gathered(), [before])
    clock.ms += DIGEST_MS
    const claimed = await claim(storage, 'org-a', 'dig_early-1')
    assert(claimed !== null)
    await flood('late', 2)
    const after = ['dig_late-1', 2, ['late-1', 'late-2']]
    assert.deepEqual((await gathered()).toSorted(), [before, after])
    await settle(storage, 'org-a', claimed)
    assert.deepEqual(await gathered(), [after])
  },
  async 'what follows released spam is bounded too'(storage) {
    const ids = Array.from({ length: SINGLES_MAX + 7 }, (_, index) => `sub-${String(index).padStart(2, '0')}`)
    for (const submissionId of ids)
      await storage.tenant('org-a').saveSubmission(
        submission(submissionId, {
          formId: 'org-a-1',
          judged: { reasons: ['words'], signs: [], words: [] },
        }),
      )
    const definition = { formId: 'org-a-1', fields: [], notificationEmails: ['one@example.com'] }
    await storage.tenant('org-a').upsert('forms', [form('org-a-1', { definition })])
    for (let times = 0; times < 2; times += 1)
      await storage.tenant('org-a').markSubmissions(ids, { isSpam: false })
    const entries = await storage.outboxOf('org-a')
    assert.equal(entries.filter(({ kind }) => kind === 'notification_email').length, SINGLES_MAX)
    const [digest, ...others] = entries.filter(({ kind }) => kind === 'notification_digest')
    assert.deepEqual(others, [])
    assert.deepEqual((digest?.payload as Digest | undefined)?.first, ids.slice(SINGLES_MAX))
  },
  async 'entries take the place of one that is done, unless its lease is lost'(storage) {
    const { outbox, clock } = storage
    const entry = notifications('sub-1').slice(0, 1)
    await storage.tenant('org-a').saveSubmission(submission('sub-1', { formId: 'org-a-1', outbox: entry }))
    const outboxId = entry[0]?.outboxId ?? ''
    const claimed = await claim(storage, 'org-a', outboxId)
    assert.equal(claimed?.form?.name !== undefined, true)
    const next = { outboxId: 'obx_next', kind: 'notification_email', payload: { to: 'x@example.com' } }
    const done = { kind: 'done', sends: [], entries: [next] } as const
    const now = toInstant(clock.nowMs())
    const tenant = outbox.open('org-a')
    assert.equal(await tenant.settle(outboxId, 'another token', done, now), false)
    assert.deepEqual(
      (await storage.outboxOf('org-a')).map((one) => one.outboxId),
      [outboxId],
    )
    assert.equal(await tenant.settle(outboxId, `${outboxId}-${clock.nowMs()}`, done, now), true)
    const after = await storage.outboxOf('org-a')
    assert.deepEqual(
      after.map((one) => [one.outboxId, one.kind, one.submissionId, one.payload, one.status]),
      [['obx_next', 'notification_email', 'sub-1', { to: 'x@example.com' }, 'pending']],
    )
    assert.notEqual(await claim(storage, 'org-a', 'obx_next'), null)
  },
  async 'an organization with much due work announces no more of it, and delays no other'(storage) {
    const save = async (organizationId: string, id: string, entries: number) => {
      const outbox = Array.from({ length: entries }, (_, index) => {
        return { outboxId: `${id}-${index}`, kind: 'automation_run', payload: {} }
      })
      const of = submission(id, { formId: `${organizationId}-1`, outbox })
      const outcome = await storage.tenant(organizationId).saveSubmission(of)
      return outcome.kind === 'saved' ? outcome.outboxIds.length : outcome.kind
    }
    assert.equal(await save('org-a', 'sub-1', 50), 50)
    assert.equal(await save('org-a', 'sub-2', 1), 1)
    assert.equal(await save('org-a', 'sub-3', 2), 0)
    assert.equal(await save('org-b', 'sub-4', 2), 2)
    await storage.tenant('org-a').upsert('forms', [form('org-a-1')])
    storage.clock.ms += SECOND_MS
    // What a worker has taken is not due.
    for (const index of [0, 1, 2]) assert.notEqual(await claim(storage, 'org-a', `sub-1-${index}`), null)
    assert.equal((await storage.outboxOf('org-a')).length, 53)
  },
})

async function settle({ outbox, clock }: TwoTenants, organizationId: string, { outboxId }: ClaimedEntry) {
  const now = clock.nowMs()
  const done = { kind: 'done', sends: [] } as const
  assert.equal(
    await outbox.open(organizationId).settle(outboxId, `${outboxId}-${now}`, done, toInstant(now)),
    true,
  )
}
