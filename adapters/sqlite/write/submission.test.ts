import { expect, test } from 'vitest'
import { DIGEST_MS, SINGLES_MAX } from '../../../domain/forms/outbox.ts'
import { ElsewhereError, PausedError } from '../../../domain/placement/find/errors.ts'
import { form, organization, submission } from '../../conformance/fixtures.ts'
import { createDraw } from '../../../test/support/data/draw.ts'
import { createScratchStorage } from '../../../test/support/scratch/scratch-storage.ts'
import type { Clock } from '../../../ports/platform.ts'
import type { NewSubmission } from '../../../ports/records.ts'
import { createStorage, type ResultRow, type Statement } from '../index.ts'

const clock = { nowMs: () => Date.parse('2020-06-15T12:00:00.000Z') }
const ada = { email: 'ada@example.com', firstName: 'Ada' }
const entry = { outboxId: 'out-1', kind: 'notification', payload: { to: 'a@example.com' } }

/**
 * The shared database with one form. `submit` saves a submission of it, `save` the same one each time; `rows` and
 * `written` read what is stored.
 */
async function sharedDatabase(time: Clock = clock) {
  const { database } = createScratchStorage({ clock })
  const storage = createStorage({ executor: database, clock: time, isShared: true })
  await storage.administration.saveOrganization(organization('org-a'))
  await storage.tenant('org-a').upsert('forms', [form('form-1')])
  const rows = async (sql: string, parameters: Statement['parameters'] = []): Promise<ResultRow[]> => {
    const [result] = await database.batch([{ sql, parameters }])
    return result?.rows ?? []
  }
  const submit = (submissionId: string, of: Partial<NewSubmission>) =>
    storage.tenant('org-a').saveSubmission(submission(submissionId, of, ada))
  const save = () => submit('sub-1', { outbox: [entry], limitPerContact: 3 })
  const written = async () => ({
    clock: await rows('select clock_at from organizations'),
    submissions: await rows('select submission_id from form_submissions'),
    contacts: await rows('select contact_id from contacts'),
    outbox: await rows('select outbox_id from outbox'),
    pauses: await rows('select token from write_pauses'),
  })
  return { rows, save, submit, written }
}

test('a submission of an organization that lives elsewhere is refused, and nothing is written', async () => {
  const { rows, save, written } = await sharedDatabase()
  await rows("insert into placed_organizations values ('org-a', 'org-a')")
  const before = await written()
  await expect(save()).rejects.toThrow(ElsewhereError)
  expect(await written()).toEqual(before)
})

test('while writes are paused nothing is written, and the first submission after the pause removes it', async () => {
  const { rows, save, written } = await sharedDatabase()
  await rows("insert into write_pauses values ('org-a', 'move-1', '2020-06-15T12:00:00.001Z')")
  const before = await written()
  await expect(save()).rejects.toThrow(PausedError)
  expect(await written()).toEqual(before)
  await rows("update write_pauses set until = '2020-06-15T12:00:00.000Z'")
  expect(await save()).toEqual({ kind: 'saved', contactId: 'new-sub-1', outboxIds: ['out-1'] })
  expect(await written()).toMatchObject({ submissions: [{ submission_id: 'sub-1' }], pauses: [] })
})

test('what follows a submission is due by the clock of the service, whatever the clock of the organization', async () => {
  const { rows, save } = await sharedDatabase()
  await rows("update organizations set clock_at = '2999-01-01T00:00:00.000Z'")
  await save()
  expect(await rows('select next_attempt_at, created_at, updated_at from outbox')).toEqual([
    {
      next_attempt_at: '2020-06-15T12:00:00.000Z',
      created_at: '2020-06-15T12:00:00.000Z',
      updated_at: '2020-06-15T12:00:00.000Z',
    },
  ])
  expect(await rows('select updated_at from form_submissions')).toEqual([
    { updated_at: '2999-01-01T00:00:00.001Z' },
  ])
})

test('of when submissions were told of one by one, no more is kept than the next is judged by', async () => {
  const time = { ms: clock.nowMs() }
  const { rows, submit } = await sharedDatabase({ nowMs: () => time.ms })
  for (let index = 0; index < 3 * SINGLES_MAX; index += 1) {
    time.ms += DIGEST_MS / 10
    const outbox = [{ ...entry, outboxId: `out-${index}` }]
    await submit(`sub-${index}`, { outbox })
  }
  const [signs] = await rows('select told from form_signs')
  const told = JSON.parse(String(signs?.told)) as readonly number[]
  expect([told.length, told.at(-1)]).toEqual([SINGLES_MAX, time.ms])
})

/** What is remembered of the form's submissions: signs, each with the millisecond until which it counts. */
async function signsIn(rows: (sql: string) => Promise<ResultRow[]>) {
  const [row] = await rows('select signs from form_signs')
  return JSON.parse(String(row?.signs)) as readonly (readonly [sign: string, untilMs: number])[]
}

test('of thousands of signs, those that count are counted, and the others are dropped', async () => {
  const time = { ms: clock.nowMs() }
  const { rows, submit } = await sharedDatabase({ nowMs: () => time.ms })
  const draw = createDraw(7)
  const signOf = (name: string) => name.padEnd(16, '-')
  const kept: { sign: string; atMs: number; untilMs: number }[] = []
  const seen = { spam: 0, clean: 0 }
  const count = (one: string) => kept.filter(({ sign, untilMs }) => sign === one && untilMs > time.ms).length
  for (let index = 0; index < 400; index += 1) {
    time.ms += draw.pick([0, 1, 500, 5_000, 60_000])
    // One text of several is new each time, so that the list grows.
    const texts = [signOf(`text-${draw.below(25)}`), signOf(`own-${index}`)]
    const signs = [
      ...texts.map((sign) => ({ sign, keptMs: 3_600_000, earlierMax: 9, reason: 'repeated' })),
      { sign: signOf(`network-${draw.below(3)}`), keptMs: 60_000, earlierMax: 20, reason: 'flood' },
    ]
    const expected = signs
      .filter(({ sign, earlierMax }) => count(sign) >= earlierMax)
      .map(({ reason }) => reason)
    const judged = { reasons: [], words: [], signs }
    await submit(`sub-${index}`, { outbox: [], judged })
    const [row] = await rows(`select spam_reasons from form_submissions where submission_id = 'sub-${index}'`)
    const found = JSON.parse((row?.spam_reasons as string | null) ?? '[]') as readonly string[]
    expect([index, found.toSorted()]).toEqual([index, expected.toSorted()])
    seen[expected.length > 0 ? 'spam' : 'clean'] += 1
    for (const { sign, keptMs } of signs) kept.push({ sign, atMs: time.ms, untilMs: time.ms + keptMs })
  }
  // What came more than an hour ago counts no more, and few of it are left.
  const recent = kept.filter(({ atMs }) => atMs > time.ms - 3_600_000).length
  expect((await signsIn(rows)).length).toBeLessThanOrEqual(recent + 64)
  expect(recent + 64).toBeLessThan(kept.length)
  expect(seen.spam).toBeGreaterThan(50)
  expect(seen.clean).toBeGreaterThan(50)
})

test.each([
  ['each from another network', 1],
  ['whose filter was switched off after the first', Infinity],
])('of a form with few submissions, %s, no sign is kept for a day', async (_which, signsFrom) => {
  const time = { ms: clock.nowMs() }
  const { rows, submit } = await sharedDatabase({ nowMs: () => time.ms })
  const since = new Map<string, number>()
  for (let index = 0; index < 40; index += 1) {
    time.ms += 6 * 3_600_000
    const sign = `network-${index}`.padEnd(16, '-')
    since.set(sign, time.ms)
    const signs = [{ sign, keptMs: 60_000, earlierMax: 20, reason: 'flood' }]
    const judged = { reasons: [], words: [], signs: index === 0 || index >= signsFrom ? signs : [] }
    await submit(`sub-${index}`, { outbox: [{ ...entry, outboxId: `out-${index}` }], judged })
    const oldestMs = Math.min(...(await signsIn(rows)).map(([kept]) => since.get(kept) ?? 0))
    expect(time.ms - oldestMs).toSatisfy((ageMs: number) => ageMs < 24 * 3_600_000 || oldestMs === Infinity)
  }
})

test('a flood makes the list of signs no longer than it may be, and its latest ones count', async () => {
  const { rows, submit } = await sharedDatabase()
  const sizes: number[] = []
  const given: string[] = []
  for (let index = 0; index < 300; index += 1) {
    const signs = Array.from({ length: 11 }, (_, nth) => ({
      ...{ sign: `${index}-${nth}`.padEnd(16, '-'), keptMs: 3_600_000, earlierMax: 9, reason: 'repeated' },
    }))
    given.push(...signs.map(({ sign }) => sign))
    const judged = { reasons: [], words: [], signs }
    await submit(`sub-${index}`, { outbox: [], judged })
    const [row] = await rows('select octet_length(signs) as size from form_signs')
    sizes.push(Number(row?.size))
  }
  expect(Math.max(...sizes)).toBeGreaterThan(109_000)
  expect(Math.max(...sizes)).toBeLessThan(111_000)
  const listed = (await signsIn(rows)).map(([sign]) => sign)
  expect(listed.length).toBeLessThan(given.length)
  expect(listed).toEqual(given.slice(-listed.length))
})
