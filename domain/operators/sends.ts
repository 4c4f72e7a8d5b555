import * as v from 'valibot'
import type { SendRecord } from '../../ports/messaging.ts'
import { UNKNOWN, UNKNOWN_AFTER_MS } from '../messaging/attempt.ts'
import { mark, ofOrganization } from '../record/command.ts'
import { described, worded } from '../record/meaning.ts'
import { jsonResponse } from '../record/operation.ts'
import { pageOf, pageParameters, samplePagination, servePage, type AskedPage } from './list.ts'
import { operated } from './serve.ts'
import type { OperatorWorld } from './world.ts'
import { instant } from './schema.ts'

/** A send in its published form. */
export const Send = v.strictObject({
  channel: worded(described(v.picklist(['sms', 'mms', 'email']), 'How it went.'), {
    choices: { sms: 'SMS', mms: 'MMS', email: 'Email' },
  }),
  from: described(v.string(), 'The sender as the recipient sees it.'),
  to: described(v.string(), 'The recipient.'),
  providerId: described(v.nullable(v.string()), "The provider's id of the message; null: none."),
  outcome: described(
    v.picklist(['pending', 'accepted', 'failed', 'unknown']),
    `Whether the provider took it. \`failed\`: it did not, or it told later that the email did not arrive. \`pending\`: it is about to be handed over, or has been, and its outcome is not recorded yet. \`unknown\`: that has been so for ${UNKNOWN_AFTER_MS / 60_000} minutes, because the service was cut off. It may or may not have been sent.`,
  ),
  error: worded(
    described(
      v.nullable(v.string()),
      'Why it failed, or why its outcome is unknown, in short; null: neither.',
    ),
    { label: 'Reason' },
  ),
  at: described(instant, 'When it was recorded, which is just before it might be handed over.'),
})

const page = pageOf('SendPage', Send)

const samplePage: v.InferOutput<typeof page> = {
  data: [
    {
      channel: 'email',
      from: 'Acme Car Wash <acme@mail.example.com>',
      to: 'ada@example.com',
      providerId: '49a3999c-0ce1-4ea6-ab68-afcd6dc2e794',
      outcome: 'accepted',
      error: null,
      at: '2026-05-19T17:45:16.000Z',
    },
  ],
  pagination: samplePagination,
}

const common = { method: 'GET', access: 'support', tag: 'Sends', query: pageParameters } as const

export const listPlatformSends = operated({
  id: 'platformSends.list',
  path: '/operator/v1/platform-sends',
  ...common,
  summary: 'List what was sent with platform keys',
  description: 'Newest first.',
  responses: { 200: jsonResponse('A page of sends.', page, samplePage), 400: 'BadRequest' },
  answer: async ({ operation, query }, world) => {
    return listed(operation.id, null, query, world)
  },
})

export const listSends = operated({
  id: 'sends.list',
  path: '/operator/v1/organizations/{organizationId}/sends',
  ...common,
  needsOrganization: true,
  summary: 'List what an organization sent',
  description: 'Newest first; its notification emails too.',
  responses: { 200: jsonResponse('A page of sends.', page, samplePage), 400: 'BadRequest', 404: 'NotFound' },
  commands: [
    {
      words: ['sends'],
      flags: { org: ofOrganization('either'), platform: mark('either') },
      summary: 'Print what was sent, newest first',
      details: [
        'The channel is sms, mms or email. The outcome is pending until it is recorded, then accepted or failed; what has been',
        'pending for ten minutes is unknown: the service was cut off, and the message may or may not have been sent.',
        'An email that was accepted and came back later has failed.',
        '--platform prints what was sent with platform keys.',
      ],
      examples: ['--org lakeside', '--org lakeside --limit 20', '--platform --json'],
      instead: { platform: { operation: listPlatformSends } },
      columns: [
        { head: 'at', of: ({ at }) => at },
        { head: 'channel', of: ({ channel }) => channel },
        { head: 'outcome', of: ({ outcome }) => outcome },
        { head: 'to', of: ({ to }) => to, mayBeCut: true },
        { head: 'from', of: ({ from }) => from, mayBeCut: true },
        { head: 'provider id', of: ({ providerId }) => providerId },
        { head: 'error', of: ({ error }) => error, mayBeCut: true },
      ],
      piped: 'json',
    },
  ],
  answer: async ({ operation, params: { organizationId = '' }, query }, world) => {
    return listed(operation.id, organizationId, query, world)
  },
})

function listed(endpointId: string, organizationId: string | null, query: AskedPage, world: OperatorWorld) {
  const log = world.sends.open(organizationId)
  const nowMs = world.clock.nowMs()
  return servePage(
    query,
    {
      scope: { endpointId, organizationId },
      read: (after, limit) =>
        log.list(after === null ? null : { at: String(after.value), sendId: after.id }, limit),
      positionOf: ({ at, sendId }) => ({ value: at, id: sendId }),
    },
    world,
    (send) => publishedSend(send, nowMs),
  )
}

/** The published form of a send at an instant. What has been pending for long is unknown. */
export function publishedSend(
  { channel, from, to, providerId, outcome, error, at }: SendRecord,
  nowMs: number,
): v.InferOutput<typeof Send> {
  const isUnknown = outcome === 'pending' && nowMs - Date.parse(at) >= UNKNOWN_AFTER_MS
  return isUnknown
    ? { channel, from, to, providerId, outcome: 'unknown', error: UNKNOWN, at }
    : { channel, from, to, providerId, outcome, error, at }
}
