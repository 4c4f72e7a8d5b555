import { beforeEach, describe, expect, test } from 'vitest'
import { sendEmail } from '../../support/contract/endpoints.ts'
import { createScratchStorage } from '../../support/scratch/scratch-storage.ts'
import { openTestService } from '../../support/services/service.ts'
import { email, openSendingService, type SendingService } from '../../support/services/sending-service.ts'

let mails: SendingService['mails']
let post: SendingService['post']
let delivered: SendingService['delivered']
let logged: SendingService['logged']
let service: SendingService['service']
let bareKey: string
let platformKey: string

beforeEach(async () => {
  const sending = await openSendingService()
  ;({ mails, post, delivered, logged, service } = sending)
  ;({ bareKey, platformKey } = sending.keys)
})

describe('emails', () => {
  const last = () => mails.delivered.at(-1)?.[1]

  test('are sent as they are asked for, with the id of the provider', async () => {
    const attachments = [
      { filename: 'a.txt', content: 'aGk=' },
      { filename: 'b.png', path: 'https://a.example/b.png' },
    ]
    const full = {
      ...email,
      from: 'Shop <acme@MAIL.example.com>',
      replyTo: 'office@example.com',
      text: 'Hi, plainly',
      attachments,
    }
    const { body } = await post(sendEmail, full)
    const [sentKey] = mails.delivered.at(-1) ?? []
    expect(body).toEqual({
      success: true,
      results: [{ to: 'ada@example.com', success: true, id: `re_${sentKey}` }],
    })
    expect(last()).toEqual({
      from: { name: 'Shop', address: 'acme@mail.example.com' },
      to: 'ada@example.com',
      subject: 'Hi',
      html: '<p>Hi</p>',
      text: 'Hi, plainly',
      replyTo: 'office@example.com',
      attachments,
      isAutomatic: false,
    })
    await post(sendEmail, email)
    expect(last()?.text).toBeNull()
    expect((await logged('acme')).map(({ providerId, channel }) => [providerId, channel])).toContainEqual([
      `re_${sentKey}`,
      'email',
    ])
  })

  test.each([
    'acme@mail.example.com@evil.example',
    'Acme <acme@evil.example>',
    'acme@sub.mail.example.com',
    'acme@mail.example.com.',
    'other@mail.example.com',
    'contact@mail.example.com',
    'Acme, Inc. <acme@mail.example.com>',
    'acme@mail.example.com, x@evil.example',
  ])('from %s is 400 with a tenant key, naming what is allowed', async (from) => {
    const { status, body } = await post(sendEmail, { ...email, from })
    expect([status, JSON.stringify(body)]).toEqual([
      400,
      expect.stringContaining('"from: must be acme@mail.example.com, alone or as Name'),
    ])
    expect(delivered()).toBe(0)
  })

  test('a platform key sends from the whole domain, and from no other', async () => {
    expect(
      (await post(sendEmail, { ...email, from: 'News <news@mail.example.com>' }, platformKey)).status,
    ).toBe(200)
    expect(last()?.from).toEqual({ name: 'News', address: 'news@mail.example.com' })
    const refused = await post(sendEmail, { ...email, from: 'news@example.com' }, platformKey)
    expect([refused.status, refused.body]).toEqual([
      400,
      {
        error: 'Invalid request format',
        details: ['from: must be an address on mail.example.com, alone or as Name <address>'],
      },
    ])
  })

  test('without a mail domain nobody sends, whatever sender is asked for', async () => {
    const bare = await openTestService((clock) => createScratchStorage({ clock }), undefined, {
      email: mails.sender,
    })
    const response = await bare.send(sendEmail.path, {
      key: await bare.addPlatformKey(),
      json: { ...email, from: 'x@evil.example' },
    })
    expect([response.status, delivered()]).toEqual([500, 0])
  })

  test('without a slug a well-formed sender is 422, a malformed one 400', async () => {
    expect((await post(sendEmail, { ...email, from: 'x@mail.example.com' }, bareKey)).status).toBe(422)
    expect((await post(sendEmail, { ...email, from: 'x' }, bareKey)).status).toBe(400)
  })

  test('an international domain is written to in ASCII, is one with that form, and can be erased', async () => {
    const to = ['ada@BÜCHER.example', 'ada@xn--bcher-kva.example', 'bob@bücher.example']
    const { status, body } = await post(sendEmail, { ...email, to, replyTo: ' office@bücher.example' })
    const [ada, bob] = ['ada@xn--bcher-kva.example', 'bob@xn--bcher-kva.example']
    expect([status, body.results]).toMatchObject([200, to.map((given) => ({ to: given, success: true }))])
    expect(mails.delivered.map(([, mail]) => [mail.to, mail.replyTo])).toEqual([
      [ada, 'office@xn--bcher-kva.example'],
      [bob, 'office@xn--bcher-kva.example'],
    ])
    const recipients = async () => (await logged('acme')).map((send) => send.to).sort()
    expect(await recipients()).toEqual([ada, bob])
    const erased = await service.send('/operator/v1/organizations/acme/contacts/erase', {
      key: await service.addOperatorKey('admin'),
      json: { emails: ['ada@bücher.example'] },
    })
    expect([erased.status, await recipients()]).toEqual([200, [bob, 'erased']])
  })

  test('half characters are replaced, not refused', async () => {
    const { status } = await post(sendEmail, { ...email, subject: 'Hi \ud83d', html: '\udc00' })
    expect([status, last()?.subject, last()?.html]).toEqual([200, 'Hi \ufffd', '\ufffd'])
  })
})
