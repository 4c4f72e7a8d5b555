import { beforeEach, describe, expect, test } from 'vitest'
import { sendEmail, sendMessage } from '../../support/contract/endpoints.ts'
import { everyText } from '../../support/databases/whole-database.ts'
import {
  email,
  message,
  openSendingService,
  type SendingService,
} from '../../support/services/sending-service.ts'
import { triedPlaces } from '../../support/runner/thorough.ts'
import { PLACES } from '../../support/scratch/scratch-places.ts'

// Requests that carry an `Idempotency-Key`, in both places. What is cut off is in test/faults/sends.long.test.ts.

const DAY_MS = 86_400_000

const sends = [
  {
    endpoint: sendMessage,
    good: message,
    other: { ...message, body: 'Ho' },
    people: ['2125550123', '+12125550124', 'x'],
  },
  {
    endpoint: sendEmail,
    good: email,
    other: { ...email, html: 'Ho' },
    people: ['a@example.com', 'b@example.com', 'x'],
  },
] as const

/** Makes a provider wait before it takes a message. */
function hold(sender: { send: (...message: never[]) => Promise<unknown> }, until: Promise<unknown>): void {
  const { send } = sender
  sender.send = async (...message) => {
    await until
    return send(...message)
  }
}

describe.each(triedPlaces(PLACES))('in a place that is $kind', (choice) => {
  describe.each(sends)('$endpoint.id', ({ endpoint, good, other, people }) => {
    let sending: SendingService
    let postKeyed: (key: string, body: unknown, withKey?: string) => ReturnType<SendingService['post']>

    beforeEach(async () => {
      sending = await openSendingService(choice)
      postKeyed = (key, body, withKey) => sending.post(endpoint, body, withKey, { 'idempotency-key': key })
    })

    test('the same key with the same body answers the same, and sends nothing again', async () => {
      const body = { ...good, to: people }
      const first = await postKeyed('k', body)
      expect([first.status, first.body.results?.length, sending.delivered()]).toEqual([207, 3, 2])
      const spelled = { unknown: 1, ...Object.fromEntries(Object.entries(body).toReversed()) }
      for (const again of [body, spelled]) expect(await postKeyed('k', again)).toEqual(first)
      expect([sending.delivered(), (await sending.logged('acme')).length]).toEqual([2, 3])
      const one = await postKeyed('one', good)
      expect(await postKeyed('one', { ...good, to: [good.to] })).toEqual(one)
      expect([one.status, sending.delivered()]).toEqual([200, 3])
    })

    test('with another body it is 422, and sends nothing', async () => {
      await postKeyed('k', good)
      for (const changed of [other, { ...good, to: people }]) {
        const { status, body } = await postKeyed('k', changed)
        expect([status, body]).toEqual([422, { error: expect.stringContaining('Idempotency-Key') as string }])
      }
      expect(sending.delivered()).toBe(1)
    })

    test('of requests at the same moment one sends; the others are told to wait, and are answered afterwards', async () => {
      const gate = Promise.withResolvers<undefined>()
      for (const { sender } of [sending.mails, sending.texts]) hold(sender, gate.promise)
      const begun = Array.from({ length: 8 }, () => postKeyed('k', { ...good, to: people }))
      const waiting: Awaited<(typeof begun)[number]>[] = []
      for (const one of begun) void one.then((answer) => waiting.push(answer))
      await expect.poll(() => waiting.length).toBe(7)
      for (const { status, retryAfter, body } of waiting) {
        expect([status, retryAfter]).toEqual([409, '60'])
        expect(body.error).toMatch(/still at work.*after 2026-06-15T12:10:00\.000Z/i)
      }
      expect(sending.delivered()).toBe(0)
      gate.resolve(undefined)
      const [sent] = (await Promise.all(begun)).filter(({ status }) => status !== 409)
      expect([sent?.status, sending.delivered()]).toEqual([207, 2])
      expect(await postKeyed('k', { ...good, to: people })).toEqual(sent)
    })

    test('another endpoint, another organization and the platform have keys of their own; without one all is sent', async () => {
      const { otherKey, platformKey } = sending.keys
      for (const withKey of [undefined, otherKey, platformKey]) {
        expect((await postKeyed('k', good, withKey)).status).toBe(200)
        expect((await postKeyed('k', good, withKey)).status).toBe(200)
      }
      expect(sending.delivered()).toBe(3)
      const [elsewhere] = sends.filter((one) => one.endpoint !== endpoint)
      await sending.post(elsewhere?.endpoint ?? endpoint, elsewhere?.good, undefined, {
        'idempotency-key': 'k',
      })
      expect(sending.delivered()).toBe(4)
      for (let count = 0; count < 2; count += 1) await sending.post(endpoint, good)
      expect(sending.delivered()).toBe(6)
    })

    test('a request that was refused keeps no key', async () => {
      for (const withKey of [sending.keys.key, sending.keys.bareKey])
        expect((await postKeyed('k', { ...good, to: [] }, withKey)).status).toBe(400)
      expect((await postKeyed('k', good, sending.keys.bareKey)).status).toBe(422)
      const anonymous = await sending.service.send(endpoint.path, {
        method: 'POST',
        headers: { 'idempotency-key': 'k' },
      })
      expect(anonymous.status).toBe(401)
      expect((await postKeyed('k', good)).status).toBe(200)
      expect(sending.delivered()).toBe(1)
    })

    test.each(['', 'x'.repeat(256), 'ä', 'a\tb', '\u007f'])('the key %j is 400', async (key) => {
      const { status, body } = await postKeyed(key, { ...good, to: 5 })
      const details = [
        'Idempotency-Key: must be 1 to 255 printable ASCII characters',
        expect.stringMatching(/^to: /),
      ]
      expect([status, body]).toEqual([400, { error: 'Invalid request format', details }])
      expect((await postKeyed(key, good)).status).toBe(400)
      expect(sending.delivered()).toBe(0)
    })

    test('a key of 255 characters, among them spaces, is one; after a day it is free', async () => {
      const key = `a ~${'x'.repeat(252)}`
      await postKeyed(key, good)
      sending.service.clock.advance(DAY_MS - 1)
      expect((await postKeyed(key, other)).status).toBe(422)
      sending.service.clock.advance(1)
      expect((await postKeyed(key, other)).status).toBe(200)
      expect(sending.delivered()).toBe(2)
    })

    test('what is kept names neither the key nor the body; who was erased is in no answer', async () => {
      const to = [people[0], people[1]]
      const first = await postKeyed(`order of ${people[1]}`, { ...good, to })
      const { storage } = sending
      const database = choice.kind === 'own' ? await storage.databaseOf('acme') : storage.database
      const kept = (await everyText(database)).filter(({ table }) => table === 'send_requests')
      expect(kept.length).toBeGreaterThan(0)
      expect(kept.filter(({ text }) => /order|Hi|2125550|example\.com/.test(text))).toEqual([])
      const [gone] = (await sending.logged('acme')).filter((send) => send.to.endsWith(people[1].slice(-9)))
      const admin = await sending.service.addOperatorKey('admin')
      const erased = await sending.service.send('/operator/v1/organizations/acme/contacts/erase', {
        key: admin,
        json: endpoint === sendEmail ? { emails: [gone?.to] } : { phones: [gone?.to] },
      })
      expect(erased.status).toBe(200)
      expect((await everyText(database)).filter(({ text }) => text.includes(gone?.to ?? '-'))).toEqual([])
      // The caller names the recipient itself, and learns that the message was sent.
      expect(await postKeyed(`order of ${people[1]}`, { ...good, to })).toEqual(first)
      expect(sending.delivered()).toBe(2)
    })
  })
})
