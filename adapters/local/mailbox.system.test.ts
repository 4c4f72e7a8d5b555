import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LocalD1 } from '../../test/support/databases/d1.ts'
import { fakeClock } from '../../test/support/runner/fakes.ts'
import { migratedImage } from '../../test/support/databases/migrated-image.ts'
import { openSharedD1 } from '../../test/support/databases/shared-d1.ts'
import { createExecutor } from '../d1/executor.ts'
import { openImage } from '../node-sqlite/index.ts'
import type { Executor } from '../sqlite/index.ts'
import { createMailbox, mailboxTables, type Mailbox } from './index.ts'

let d1: LocalD1
beforeAll(async () => {
  d1 = await openSharedD1(2)
})
afterAll(() => d1.dispose())

const email = {
  from: { name: 'Acme, Inc.', address: 'acme@mail.example.com' },
  to: 'ada@example.com',
  subject: 'Hi',
  html: '<p>Hi</p>',
  text: null,
  replyTo: 'office@example.com',
  attachments: [],
  isAutomatic: true,
}
const mediaUrls = ['https://a.example/1.png']
const text = { from: { kind: 'shortcode' }, to: '+12125550123', body: 'Hi', mediaUrls: [] } as const

/** Databases without the mailbox's tables. */
const engines: readonly (readonly [string, () => Promise<Executor>])[] = [
  ['node:sqlite', async () => openImage(migratedImage())],
  ['D1', async () => createExecutor({ database: await d1.next(), clock: fakeClock() })],
]

describe.each(engines)('on %s', (_, open) => {
  let mailbox: Mailbox
  /** The answers to an email, and to a different email with the same idempotency key. */
  let answers: readonly unknown[]
  const clock = fakeClock()

  beforeAll(async () => {
    const database = await open()
    const install = () =>
      database.batch(mailboxTables.map((statement) => ({ sql: statement, parameters: [] })))
    await install()
    await install()
    mailbox = createMailbox(database, clock)
    const attachments = [
      { filename: 'a.txt', content: 'aGk=' },
      { filename: 'b.png', path: 'https://a.example/b.png' },
      { filename: 'empty', content: '' },
      { filename: 'large.bin', content: 'AAAA'.repeat(300_000) },
    ]
    answers = [
      await mailbox.email.send({ ...email, attachments }, 'k1', null),
      await mailbox.email.send({ ...email, subject: 'Again' }, 'k1', null),
    ]
    clock.advance(1_000)
    await mailbox.sms.send(text, 'k2')
    clock.advance(1_000)
    await mailbox.sms.send({ ...text, from: { kind: 'number', number: '+12125550100' }, mediaUrls }, 'k3')
  })

  test('keeps what it is given, newest first, once for each key', async () => {
    const accepted = { kind: 'accepted', providerId: 'local_k1' }
    expect(answers).toEqual([accepted, accepted])
    const none = { subject: null, html: null, replyTo: null, attachments: [], headers: {} }
    const sms = { ...none, to: '+12125550123', text: 'Hi' }
    expect(await mailbox.list(9)).toEqual([
      {
        ...sms,
        messageId: 'local_k3',
        channel: 'mms',
        from: '+12125550100',
        mediaUrls,
        at: '2026-06-15T12:00:02.000Z',
      },
      {
        ...sms,
        messageId: 'local_k2',
        channel: 'sms',
        from: '00000',
        mediaUrls: [],
        at: '2026-06-15T12:00:01.000Z',
      },
      {
        messageId: 'local_k1',
        channel: 'email',
        from: '"Acme, Inc." <acme@mail.example.com>',
        to: 'ada@example.com',
        subject: 'Hi',
        html: '<p>Hi</p>',
        text: null,
        replyTo: 'office@example.com',
        mediaUrls: [],
        attachments: [
          { filename: 'a.txt', path: null, sizeBytes: 2 },
          { filename: 'b.png', path: 'https://a.example/b.png', sizeBytes: null },
          { filename: 'empty', path: null, sizeBytes: 0 },
          { filename: 'large.bin', path: null, sizeBytes: 900_000 },
        ],
        headers: { 'Auto-Submitted': 'auto-generated' },
        at: '2026-06-15T12:00:00.000Z',
      },
    ])
    expect((await mailbox.list(1)).map(({ messageId }) => messageId)).toEqual(['local_k3'])
  })

  test('hands out HTML and attachments by themselves', async () => {
    expect([
      await mailbox.html('local_k1'),
      await mailbox.html('local_k2'),
      await mailbox.html('none'),
    ]).toEqual(['<p>Hi</p>', null, null])
    expect(await mailbox.attachment('local_k1', 0)).toEqual({ filename: 'a.txt', content: 'aGk=' })
    for (const position of [1, 3, 4, -1]) expect(await mailbox.attachment('local_k1', position)).toBeNull()
  })

  test('finds by any part, and lists in brief', async () => {
    const found = async (search: string) =>
      (await mailbox.list(9, { search })).map(({ messageId }) => messageId)
    expect(await found('ADA@')).toEqual(['local_k1'])
    expect(await found('5550123')).toEqual(['local_k3', 'local_k2'])
    expect([await found('%'), await found("'")]).toEqual([[], []])
    const [brief, ...others] = await mailbox.list(9, { messageId: 'local_k1', isBrief: true })
    expect([brief?.subject, brief?.html, others]).toEqual(['Hi', null, []])
  })

  test('what is deleted is gone with its content, and is not taken again', async () => {
    await mailbox.delete('local_k1')
    expect((await mailbox.list(9)).map(({ messageId }) => messageId)).toEqual(['local_k3', 'local_k2'])
    expect([await mailbox.html('local_k1'), await mailbox.attachment('local_k1', 0)]).toEqual([null, null])
    await mailbox.delete()
    await mailbox.delete('none')
    expect(await mailbox.list(9)).toEqual([])
    expect(await mailbox.email.send(email, 'k1', null)).toEqual({ kind: 'accepted', providerId: 'local_k1' })
    expect(await mailbox.list(9)).toEqual([])
  })

  test('one that was not installed takes nothing', async () => {
    const absent = createMailbox(await open(), clock)
    expect(await absent.email.send(email, 'k', null)).toMatchObject({ kind: 'unavailable' })
    expect(await absent.sms.send(text, 'k')).toMatchObject({ kind: 'unavailable' })
  })
})
