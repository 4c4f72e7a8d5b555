import { beforeEach, describe, expect, test } from 'vitest'
import { sendMessage } from '../../support/contract/endpoints.ts'
import { message, openSendingService, type SendingService } from '../../support/services/sending-service.ts'

let texts: SendingService['texts']
let post: SendingService['post']
let logged: SendingService['logged']
let otherKey: string
let bareKey: string
let platformKey: string

beforeEach(async () => {
  const sending = await openSendingService()
  ;({ texts, post, logged } = sending)
  ;({ otherKey, bareKey, platformKey } = sending.keys)
})

describe('text messages', () => {
  const last = () => texts.delivered.at(-1)?.[1]

  test('are sent from whom the key stands for', async () => {
    await post(sendMessage, message)
    expect(last()).toEqual({
      from: { kind: 'number', number: '+12125550100' },
      to: '+12125550123',
      body: 'Hi',
      mediaUrls: [],
    })
    await post(sendMessage, { ...message, useShortcode: true })
    expect(last()?.from).toEqual({ kind: 'shortcode' })
    expect((await post(sendMessage, { ...message, useShortcode: true }, bareKey)).status).toBe(200)
    await post(sendMessage, { ...message, useShortcode: false }, platformKey)
    expect(last()?.from).toEqual({ kind: 'shortcode' })
  })

  test('reach numbers as they are read in the country of the tenant, in the order of the request', async () => {
    const to = ['212-555-0123', '2125550124', '+12125550123', '555', '+4930123456']
    const { status, body } = await post(sendMessage, { ...message, to })
    const failure = {
      to: '555',
      success: false,
      error: expect.stringContaining('not a valid phone number') as string,
    }
    expect([status, body.results]).toEqual([
      207,
      [
        { to: '+12125550123', success: true },
        { to: '+12125550124', success: true },
        { to: '+12125550123', success: true },
        failure,
        { to: '+4930123456', success: true },
      ],
    ])
    expect(texts.delivered).toHaveLength(3)
    expect((await post(sendMessage, { ...message, to: '3012345678' }, otherKey)).body.results).toEqual([
      { to: '+493012345678', success: true },
    ])
    expect((await post(sendMessage, { ...message, to: '2125550124' }, platformKey)).body.results).toEqual([
      { to: '+12125550124', success: true },
    ])
  })

  test('of which the provider says no name are recorded without one', async () => {
    texts.answers.push({ kind: 'accepted', providerId: null })
    expect((await post(sendMessage, message)).body.results).toEqual([{ to: '+12125550123', success: true }])
    expect((await logged('acme')).map(({ providerId, outcome }) => [providerId, outcome])).toEqual([
      [null, 'accepted'],
    ])
  })

  test('with media are recorded as MMS, with the id of the provider', async () => {
    await post(sendMessage, { ...message, attachments: [{ url: 'https://a.example/1.png' }] })
    expect(last()?.mediaUrls).toEqual(['https://a.example/1.png'])
    expect(await logged('acme')).toEqual([
      {
        sendId: expect.stringMatching(/^snd_\w{22}_000$/) as string,
        channel: 'mms',
        from: '+12125550100',
        to: '+12125550123',
        providerId: 'SM1',
        outcome: 'accepted',
        error: null,
        at: '2026-06-15T12:00:00.000Z',
      },
    ])
  })
})
