import { describe, expect, test } from 'vitest'
import { form } from '../../adapters/conformance/fixtures.ts'
import { openJobBench } from '../../test/support/providers/jobs.ts'
import { DIGEST_MS, DIGEST_NAMED_MAX, SINGLES_MAX } from '../forms/outbox.ts'
import { sweep } from './deliver.ts'
import { toInstant } from '../text/instant.ts'

const OFFICE = ['a@example.com', 'b@example.com']

/** A form with addresses, of which as many were told one by one as may be, and then `over` more came. */
async function flooded(over: number, answers?: Readonly<Record<string, string>>) {
  const bench = await openJobBench()
  const { storage, submit } = bench
  const save = (changes: Readonly<Record<string, unknown>> = {}) => {
    const definition = {
      formId: 'form-1',
      notificationEmails: OFFICE,
      fields: [
        { id: 'question', type: 'short_text', label: 'Question' },
        { id: 'email', type: 'email', label: 'Email', contactField: 'email' },
        { id: 'secret', type: 'short_text', label: 'Secret' },
      ],
      ...changes,
    }
    return storage.tenant('acme').upsert('forms', [form('form-1', { definition })])
  }
  const ids = Array.from(
    { length: SINGLES_MAX + over },
    (_, index) => `sub-${String(index).padStart(3, '0')}`,
  )
  for (const id of ids) await submit(id, OFFICE, answers)
  await save()
  await sweep(bench.world)
  const single = bench.email.delivered.length
  const due = async () => {
    bench.clock.advance(DIGEST_MS)
    await sweep(bench.world)
    return bench.email.delivered.slice(single).map(([, message]) => message)
  }
  return { ...bench, save, single, over: ids.slice(SINGLES_MAX), due }
}

describe('a digest', () => {
  test('tells each address once of all that came over the bound, when ten minutes have passed', async () => {
    const { single, over, due, storage, email, world } = await flooded(3, {
      question: 'Open on Sunday?',
      email: 'ada@example.com',
      secret: 'hush',
    })
    expect(single).toBe(SINGLES_MAX * OFFICE.length)
    expect(await storage.outboxOf('acme')).toMatchObject([{ kind: 'notification_digest', status: 'pending' }])
    const [waiting] = await storage.outbox.list('acme', null, 9)
    expect(waiting?.lastError).toBe('Waits for a digest. Submissions so far: 3.')
    const messages = await due()
    expect(messages.map(({ to }) => to).toSorted()).toEqual(OFFICE)
    expect(await storage.outboxOf('acme')).toEqual([])
    const [message] = messages
    expect(message).toMatchObject({
      replyTo: null,
      isAutomatic: true,
      subject: '3 new submissions: Form form-1',
    })
    for (const id of over) expect(message?.text).toContain(`Submission ${id}.`)
    expect(message?.text).toContain(' UTC · Open on Sunday? · ada@example.com')
    expect(`${String(message?.text)}${String(message?.html)}`).not.toContain('hush')
    await sweep(world)
    expect(email.delivered).toHaveLength(single + OFFICE.length)
  })

  test('names the first fifty, counts all, and leads to each in the console', async () => {
    const bench = await openJobBench()
    const { storage, submit, email, clock, world } = bench
    const idOf = (index: number) => `sub-${(index * 37) % 101}`
    for (let index = 0; index < SINGLES_MAX + DIGEST_NAMED_MAX + 7; index += 1)
      await submit(
        // The ids are not in the order in which they came.
        idOf(index),
        OFFICE,
        { question: `<b>${index}` },
        { servedAt: 'https://service.example' },
      )
    await storage.tenant('acme').upsert('forms', [
      form('form-1', {
        definition: { formId: 'form-1', notificationEmails: ['a@example.com'], fields: [] },
      }),
    ])
    clock.advance(DIGEST_MS)
    await sweep(world)
    const digests = email.delivered
      .map(([, message]) => message)
      .filter(({ subject }) => subject.includes('new submissions'))
    const [{ text, html, subject } = { text: '', html: '', subject: '' }, ...others] = digests
    expect(others).toEqual([])
    expect(subject).toContain('57 new submissions')
    const links = [...html.matchAll(/href="([^"]+)"/g)].map(([, link]) => link)
    expect(links).toEqual(
      Array.from(
        { length: DIGEST_NAMED_MAX },
        (_, index) =>
          `https://service.example/console/organizations/acme/submissions/${idOf(SINGLES_MAX + index)}`,
      ),
    )
    expect(html).not.toContain('<b>')
    expect(html).toContain('&lt;b&gt;20')
    expect(text).toContain('And 7 more: https://service.example/console/organizations/acme/submissions')
  })

  test('speaks as the form does', async () => {
    const { due, save } = await flooded(2, { question: 'Sonntags offen?' })
    await save({ language: 'de' })
    const [message] = await due()
    expect(message?.subject).toBe('2 neue Einsendungen: Form form-1')
    expect(message?.html).toMatch(/<html lang="de">[^]*Innerhalb weniger Minuten/)
    expect(message?.text).toMatch(/^\d\d\.\d\d\.\d{4} \d\d:\d\d UTC · Sonntags offen\?\nEinsendung sub-/m)
  })

  test('has the beginnings of long answers, and no half of a character', async () => {
    const { due } = await flooded(1, {
      question: `${'x'.repeat(79)}\u{1f600} and more`,
      email: 'ada@example.com',
    })
    const [{ text, html } = { text: '', html: '' }] = await due()
    for (const written of [text ?? '', html]) {
      expect(written.isWellFormed()).toBe(true)
      expect(written).toMatch(/ UTC · x{79}\ufffd? · ada@example\.com/)
    }
  })

  test('is not sent once its form is unpublished, and does not come back', async () => {
    const { due, save, storage } = await flooded(2)
    await save({ isPublished: false })
    expect(await due()).toEqual([])
    expect(await storage.outboxOf('acme')).toEqual([])
    await save({ isPublished: true })
    expect(await due()).toEqual([])
  })

  test('leaves out what was deleted or marked as spam, also the first that it gathered', async () => {
    const { due, over, storage } = await flooded(4)
    const [first = '', second = '', third = '', fourth = ''] = over
    const sql = 'delete from form_submissions where submission_id = ?'
    await storage.database.batch([{ sql, parameters: [first] }])
    await storage.tenant('acme').markSubmissions([third], { isSpam: true })
    const [{ subject, text } = { subject: '', text: '' }] = await due()
    expect(subject).toBe('2 new submissions: Form form-1')
    expect([first, second, third, fourth].map((id) => text?.includes(id))).toEqual([false, true, false, true])
  })

  test('of which nothing is left is not sent', async () => {
    const { due, over, storage } = await flooded(2)
    await storage.tenant('acme').markSubmissions(over, { isSpam: true })
    expect(await due()).toEqual([])
    expect(await storage.outboxOf('acme')).toEqual([])
  })

  test('is tried again like any notification, under the same key', async () => {
    const { due, email, storage, settle } = await flooded(1)
    const busy = { kind: 'unavailable', reason: 'Busy.', throttled: false, retryAfterMs: null } as const
    email.answers.push(busy, busy)
    expect(await due()).toEqual([])
    const keys = (await storage.outboxOf('acme')).map(({ outboxId }) => outboxId).toSorted()
    await settle()
    expect(keys).toHaveLength(OFFICE.length)
    expect(
      email.delivered
        .slice(-OFFICE.length)
        .map(([key]) => key)
        .toSorted(),
    ).toEqual(keys)
  })

  test('gathers anew when a worker has taken the one before', async () => {
    const { world, clock, email, submit, storage, save } = await flooded(0)
    await save()
    const flood = async (name: string, count: number) => {
      for (let index = 0; index < count; index += 1)
        await submit(`${name}-${index}`, OFFICE, {}, { formVersion: await version() })
    }
    const version = async () => (await storage.forms.find('form-1'))?.version ?? 0
    await flood('first', 1)
    clock.advance(DIGEST_MS - 1)
    await flood('more', 4)
    expect(await storage.outbox.nextDue()).toBe(toInstant(clock.nowMs() + 1))
    clock.advance(1)
    await sweep(world)
    expect(email.delivered.slice(-OFFICE.length).map(([, { subject }]) => subject)).toEqual(
      OFFICE.map(() => '5 new submissions: Form form-1'),
    )
    await flood('later', SINGLES_MAX + 2)
    expect((await storage.outboxOf('acme')).map(({ kind }) => kind).toSorted()).toEqual([
      'notification_digest',
      ...Array<string>(SINGLES_MAX * OFFICE.length).fill('notification_email'),
    ])
  })
})
