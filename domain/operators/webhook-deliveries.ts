import * as v from 'valibot'
import type { WebhookDelivery } from '../../ports/outbox.ts'
import { DELIVERY_PREFIX } from '../forms/outbox.ts'
import { echoed } from '../limits/limits.ts'
import { mark, sets, text } from '../record/command.ts'
import { described, worded } from '../record/meaning.ts'
import { jsonResponse } from '../record/operation.ts'
import { errorReply, jsonReply, PRIVATE } from '../record/reply.ts'
import { randomBase62 } from '../text/encoding.ts'
import { INSTANT_FORM, isCalendarDate, parseInstant, toInstant } from '../text/instant.ts'
import { TEST_EVENT, namedBy, publicId } from '../webhooks/webhook.ts'
import { optionalWord, pageOf, pageParameters, pageResponse, servePage } from './list.ts'
import { count, instant, jsonBody, operated } from './serve.ts'
import { belongingBy, common, NO_SECRET, findWebhook, ofWebhook, ONE, unknownWebhook } from './webhooks.ts'

const ofDelivery = belongingBy('deliveryId', (text) => unknownDelivery(text))

function unknownDelivery(text: string) {
  return errorReply(404, `There is no delivery ${echoed(text)} any more.`)
}

const DELIVERY_ID_LENGTH = 22

export const testWebhook = operated({
  id: 'webhooks.test',
  path: `${ONE}/test`,
  belonging: ofWebhook,
  method: 'POST',
  ...common,
  access: 'support',
  action: 'webhook.test',
  summary: 'Call a webhook to try it',
  description:
    'With the event `test`, also when it is off. What it answers is in its deliveries a moment later.',
  responses: {
    202: jsonResponse(
      'It is called.',
      v.strictObject({
        deliveryId: described(v.string(), 'Names the delivery.'),
      }),
      {
        deliveryId: 'acme:whd_9fK2mT4vXw7LqRzN',
      },
    ),
    404: 'NotFound',
    409: 'Conflict',
  },
  commands: [
    {
      words: ['webhook', 'test'],
      positionals: ['ID'],
      summary: 'Call a webhook with the event "test", to try it',
      details: [
        'It is called also when it is off. "webhook deliveries ID" shows a moment later what it answered.',
      ],
      examples: ['lakeside:wh_2Zk8QwVt7LhXn4Rm'],
      says: ({ deliveryId }) => ({ notes: [`${deliveryId} is on its way.`] }),
    },
  ],
  answer: async ({ params: { webhookId = '' }, change }, world) => {
    const found = await findWebhook(webhookId, world)
    if (found === null) return unknownWebhook(webhookId)
    const { organizationId, id, store, read } = found
    const webhook = await read()
    if (webhook === null) return unknownWebhook(webhookId)
    if (webhook.secret === null) return errorReply(409, NO_SECRET)
    const outboxId =
      DELIVERY_PREFIX + randomBase62(DELIVERY_ID_LENGTH, (length) => world.random.bytes(length))
    await change.announce({ type: 'webhook', id: webhookId }, organizationId)
    const now = toInstant(world.clock.nowMs())
    const event = { deliveryId: outboxId, webhookId: id, event: TEST_EVENT, subjectId: id, at: now }
    if (!(await store.announce(event, now))) return unknownWebhook(webhookId)
    world.wake([{ organizationId, outboxId }])
    return jsonReply(202, { deliveryId: publicId(organizationId, outboxId) }, PRIVATE)
  },
})

const Answer = v.strictObject({
  at: described(instant, 'When it was called.'),
  status: described(v.nullable(v.number()), 'The HTTP status; null: there was no answer.'),
  durationMs: described(count, 'How long it took, in ms.'),
  text: described(v.string(), 'The first KiB of its body.'),
  reason: described(v.nullable(v.string()), 'Why it was no success; null: it was one.'),
})

const Delivery = v.strictObject({
  deliveryId: described(v.string(), 'Names the delivery. What follows the colon is its `webhook-id`.'),
  event: described(v.string(), 'What it was told of.'),
  subjectId: described(v.string(), 'The id of the submission or contact that it tells of.'),
  at: described(instant, 'When that happened.'),
  status: worded(
    described(
      v.picklist(['waiting', 'delivered', 'failed', 'dropped']),
      '`waiting`: it is tried again. `dropped`: it was not sent, because the webhook was off, or what it tells of is gone.',
    ),
    { label: 'State' },
  ),
  attempts: described(count, 'How often it was called.'),
  answers: described(v.array(Answer), 'The latest answers, oldest first.'),
})
type Delivery = v.InferOutput<typeof Delivery>

function publishedDelivery(organizationId: string, delivery: WebhookDelivery): Delivery {
  const { webhookId: _webhookId, deliveryId, answers, ...shown } = delivery
  return { ...shown, deliveryId: publicId(organizationId, deliveryId), answers: [...answers] }
}

const sampleDelivery: Delivery = {
  deliveryId: 'acme:whd_sub_2Zk8QwVt7LhXn4RmPq9sBc_2Zk8QwVt7LhXn4Rm',
  event: 'submission.created',
  subjectId: 'sub_2Zk8QwVt7LhXn4RmPq9sBc',
  at: '2026-05-19T17:45:12.000Z',
  status: 'waiting',
  attempts: 1,
  answers: [
    {
      at: '2026-05-19T17:45:13.000Z',
      status: 503,
      durationMs: 212,
      text: 'Back soon.',
      reason: 'It answered 503.',
    },
  ],
}

const lastAnswer = ({ answers }: Delivery) => answers.at(-1) ?? null

export const listDeliveries = operated({
  id: 'webhooks.deliveries',
  path: `${ONE}/deliveries`,
  belonging: ofWebhook,
  method: 'GET',
  ...common,
  access: 'support',
  summary: 'List what a webhook was told, and what it answered',
  description:
    'The latest event first. Kept for 30 days, without what was sent. What was not tried yet is in the outbox.',
  query: {
    status: optionalWord('Only those that did not succeed.', ['failed'], 'failed'),
    ...pageParameters,
  },
  responses: {
    200: pageResponse('A page of deliveries.', pageOf('WebhookDeliveryPage', Delivery), sampleDelivery),
    404: 'NotFound',
  },
  commands: [
    {
      words: ['webhook', 'deliveries'],
      positionals: ['ID'],
      flags: {
        failed: sets('status', mark('optional', 'failed')),
      },
      summary: 'List what a webhook was told, and what it answered last',
      details: [
        'The latest event first; they are kept for 30 days. --failed: only what did not succeed, or not yet. --json has all',
        'answers. What was not tried yet is in "outbox list".',
      ],
      examples: ['lakeside:wh_2Zk8QwVt7LhXn4Rm --failed'],
      columns: [
        { head: 'delivery', of: ({ deliveryId }) => deliveryId },
        { head: 'at', of: ({ at }) => at },
        { head: 'state', of: ({ status }) => status },
        { head: 'event', of: ({ event }) => event },
        { head: 'attempts', of: ({ attempts }) => attempts, isNamed: true },
        { head: 'status', of: (delivery) => lastAnswer(delivery)?.status ?? null, isNamed: true },
        { head: 'ms', of: (delivery) => lastAnswer(delivery)?.durationMs ?? null, isNamed: true },
        { head: 'answer', of: (delivery) => answerLine(delivery), isOmitted: true, mayBeCut: true },
      ],
      shown: { count: 50, which: 'newest' },
    },
  ],
  answer: async ({ operation, params: { webhookId = '' }, query }, world) => {
    const found = await findWebhook(webhookId, world)
    if (found === null || (await found.read()) === null) return unknownWebhook(webhookId)
    const { organizationId, id, store } = found
    const isUndelivered = query.status !== null
    return servePage(query, world, {
      scope: {
        endpointId: operation.id,
        organizationId: JSON.stringify([organizationId, id, isUndelivered]),
      },
      read: (after, limit) => store.deliveries(id, isUndelivered, after, limit),
      positionOf: ({ at, deliveryId }) => ({ value: at, id: deliveryId }),
      publish: (delivery) => publishedDelivery(organizationId, delivery),
    })
  },
})

function answerLine(delivery: Delivery): string | null {
  const answer = lastAnswer(delivery)
  if (answer === null) return null
  return answer.text === '' ? answer.reason : JSON.stringify(answer.text)
}

const Resent = v.strictObject({
  resent: described(count, 'How many are sent again. Those that are being worked on are not.'),
  next: described(v.nullable(v.string()), 'What to send to go on; null: all were looked at.'),
})

type Resent = v.InferOutput<typeof Resent>

/** How many deliveries one request sends again. */
const RESENT_MAX = 200

const Since = v.pipe(
  v.string(),
  v.check((given) => sinceOf(given) !== null, `must be a day as 2026-05-01, or ${INSTANT_FORM}`),
)

function sinceOf(given: string): string | null {
  return isCalendarDate(given) ? `${given}T00:00:00.000Z` : parseInstant(given)
}

export const resendSince = operated({
  id: 'webhooks.resend',
  path: `${ONE}/resend`,
  belonging: ofWebhook,
  method: 'POST',
  ...common,
  access: 'support',
  action: 'webhook.resend',
  summary: 'Tell a webhook of everything again since an instant',
  description:
    'What it was told since then, as far as that is kept (30 days), each under the `webhook-id` that it had and with its data as it is now. Some at a time: while the answer has a `next`, send the same again with it.',
  body: jsonBody(
    v.strictObject({
      since: described(Since, 'The instant, or the day (UTC).'),
      next: v.exactOptional(
        described(
          v.pipe(v.string(), v.regex(/^[^\s]{1,40} whd_[\w-]{1,200}$/)),
          'The `next` of the answer before.',
        ),
      ),
    }),
    { since: '2026-05-19T00:00:00Z' },
  ),
  responses: {
    202: jsonResponse('They are sent again.', Resent, { resent: 12, next: null }),
    404: 'NotFound',
    409: 'Conflict',
  },
  answer: async ({ params: { webhookId = '' }, body, change }, world) => {
    const found = await findWebhook(webhookId, world)
    const webhook = (await found?.read()) ?? null
    if (found === null || webhook === null) return unknownWebhook(webhookId)
    if (!webhook.isOn) return errorReply(409, IS_OFF)
    const { organizationId, id, store } = found
    await change.announce({ type: 'webhook', id: webhookId }, organizationId)
    const [value = '', deliveryId = ''] = (body.next ?? '').split(' ')
    const after = body.next === undefined ? null : { value, id: deliveryId }
    const since = sinceOf(body.since) ?? ''
    const page = await store.deliveries(id, false, after, RESENT_MAX)
    const wanted = page.filter((delivery) => delivery.at >= since)
    const last = wanted.length === RESENT_MAX ? wanted.at(-1) : undefined
    const resent = await store.resend(
      wanted.map((delivery) => delivery.deliveryId),
      toInstant(world.clock.nowMs()),
    )
    world.wake(resent.slice(0, WOKEN_MAX).map((outboxId) => ({ organizationId, outboxId })))
    const next = last === undefined ? null : `${last.at} ${last.deliveryId}`
    return jsonReply(202, { resent: resent.length, next }, PRIVATE)
  },
})

const IS_OFF = 'The webhook is off. Switch it on before.'

/** How many entries are worked on at once after a request; the sweep finds the others within a minute. */
const WOKEN_MAX = 20

export const resendDelivery = operated({
  id: 'webhookDeliveries.resend',
  path: '/operator/v1/webhook-deliveries/{deliveryId}/resend',
  belonging: ofDelivery,
  method: 'POST',
  ...common,
  access: 'support',
  action: 'webhook.resend',
  summary: 'Send a delivery again',
  description:
    'Under the `webhook-id` that it had, with its data as it is now, and with all attempts before it.',
  responses: {
    202: jsonResponse('It is sent again.', Resent, { resent: 1, next: null }),
    404: 'NotFound',
    409: 'Conflict',
  },
  commands: [
    {
      words: ['webhook', 'resend'],
      positionals: ['ID'],
      flags: { since: sets('since', text('ISO')) },
      summary: 'Send a delivery again, or all of a webhook since an instant',
      details: [
        'ID is what "webhook deliveries" shows; with --since a webhook, which is told again of all since then, as far as it is',
        'kept (30 days). Each has the webhook-id that it had, so that a receiver can tell that it knows it.',
      ],
      examples: [
        'lakeside:whd_sub_2Zk8QwVt7LhXn4RmPq9sBc_2Zk8QwVt7LhXn4Rm',
        'lakeside:wh_2Zk8QwVt7LhXn4Rm --since 2026-05-19T08:00:00Z',
      ],
      instead: { since: { operation: resendSince } },
      again: ({ next }) => (next === null ? null : { next }),
      sum: (before, answer) => ({ ...answer, resent: before.resent + answer.resent }),
      says: ({ resent }) => ({
        notes: [`${resent} ${resent === 1 ? 'delivery is' : 'deliveries are'} sent again.`],
      }),
    },
  ],
  answer: async ({ params: { deliveryId = '' }, change }, world) => {
    const named = namedBy(deliveryId)
    const organization =
      named === null ? null : await world.administration.findOrganization(named.organizationId)
    const unknown = unknownDelivery(deliveryId)
    if (named === null || organization === null) return unknown
    const store = world.webhooks(named.organizationId)
    const delivery = await store.findDelivery(named.id)
    const webhook = delivery === null ? null : await store.find(delivery.webhookId)
    if (delivery === null || webhook === null) return unknown
    if (!webhook.isOn && delivery.event !== TEST_EVENT) return errorReply(409, IS_OFF)
    const { organizationId, id: outboxId } = named
    await change.announce(
      { type: 'webhook', id: publicId(organizationId, webhook.webhookId) },
      organizationId,
    )
    const resent = await store.resend([outboxId], toInstant(world.clock.nowMs()))
    if (resent.length === 0) return errorReply(409, 'It is being worked on. Look again in a minute.')
    world.wake([{ organizationId, outboxId }])
    return jsonReply(202, { resent: 1, next: null }, PRIVATE)
  },
})
