import * as v from 'valibot'
import { echoed } from '../limits/limits.ts'
import {
  ALERT_EMAIL,
  AUTOMATION_RUN,
  NOTIFICATION_DIGEST,
  NOTIFICATION_EMAIL,
  WEBHOOK_DELIVERY,
} from '../forms/outbox.ts'
import { ofOrganization, mark } from '../record/command.ts'
import { described, worded } from '../record/meaning.ts'
import { errorReply, PRIVATE } from '../record/reply.ts'
import { toInstant } from '../text/instant.ts'
import type { Position } from '../../ports/records.ts'
import type { PlacedOutboxPosition } from '../placement/find/visit-families.ts'
import {
  organizationFilter,
  pageParameters,
  placesPageOf,
  pageResponse,
  servePage,
  servePlacesPage,
  type AskedPage,
  pageOf,
} from './list.ts'
import { ofParameter, operated, instant } from './serve.ts'
import type { OperatorWorld } from './world.ts'
import { showOrganization } from './organizations.ts'
import type { SendRecord } from '../../ports/messaging.ts'
import { UNKNOWN, UNKNOWN_AFTER_MS } from '../messaging/attempt.ts'

/** An entry in its published form. */
export const Entry = v.strictObject({
  outboxId: described(v.string(), 'Names the entry.'),
  organizationId: v.string(),
  kind: worded(
    described(
      v.string(),
      `What is to be done: \`${NOTIFICATION_EMAIL}\`, \`${NOTIFICATION_DIGEST}\` (submissions of a form that are gathered into one email), \`${AUTOMATION_RUN}\`, \`${WEBHOOK_DELIVERY}\`, or \`${ALERT_EMAIL}\`, which tells owners and admins that something failed.`,
    ),
    { label: 'What' },
  ),
  submissionId: v.string(),
  status: worded(
    described(
      v.picklist(['pending', 'held', 'failed']),
      'Whether it waits, or is not tried by itself: because it was restored from an archive, so that nothing is sent twice, or because it failed.',
    ),
    { label: 'State' },
  ),
  attempts: described(
    v.pipe(v.number(), v.integer(), v.minValue(0)),
    'How often it was tried since it was written, or retried by an operator.',
  ),
  nextAttemptAt: described(instant, 'When it is tried next, if it waits.'),
  lastError: worded(described(v.nullable(v.string()), 'Why it was not done yet; null: it was not tried.'), {
    label: 'Reason',
    none: 'not tried yet',
  }),
  createdAt: instant,
})

const sample: v.InferOutput<typeof Entry> = {
  outboxId: '4f1c2a9e-7d55-4a1b-9c1f-2f6f0d1f3b77',
  organizationId: 'acme',
  kind: NOTIFICATION_EMAIL,
  submissionId: 'sub-2026-0519',
  status: 'failed',
  attempts: 8,
  nextAttemptAt: '2026-05-19T18:10:00.000Z',
  lastError: 'The provider refused the message.',
  createdAt: '2026-05-19T17:45:12.000Z',
}

export const listOutbox = operated({
  id: 'outbox.list',
  method: 'GET',
  path: '/operator/v1/outbox',
  access: 'support',
  belonging: ofParameter,
  tag: 'Outbox',
  summary: 'List what waits or failed after a receipt',
  description:
    'Oldest first; over all organizations, first those of the shared database, then family by family. What is done is not listed: see the sends, and the runs of automations.',
  query: { organizationId: organizationFilter, ...pageParameters },
  responses: {
    200: pageResponse('A page of entries.', placesPageOf('OutboxPage', Entry), sample),
  },
  commands: [
    {
      words: ['outbox', 'list'],
      flags: { org: ofOrganization('optional') },
      summary: 'List what waits or failed after a receipt, oldest first',
      details: [
        'What is done is not listed: see "sends", and the runs of automations. A pipe has no next attempt and no reason where',
        'there is none.',
      ],
      examples: ['', '--org lakeside', '--json --limit 100'],
      mustExist: showOrganization,
      columns: [
        { head: 'entry', of: ({ outboxId }) => outboxId },
        { head: 'state', of: ({ status }) => status },
        { head: 'attempts', of: ({ attempts }) => attempts, isNamed: true },
        { head: 'organization', of: ({ organizationId }) => organizationId },
        { head: 'kind', of: ({ kind }) => kind },
        { head: 'submission', of: ({ submissionId }) => submissionId },
        {
          head: 'next',
          of: ({ status, nextAttemptAt }) => (status === 'pending' ? nextAttemptAt : null),
          isNamed: true,
          isOmitted: true,
        },
        { head: 'reason', of: ({ lastError }) => lastError, isOmitted: true, mayBeCut: true },
      ],
      shown: { count: 1000, which: 'oldest' },
    },
  ],
  answer: async ({ operation, query }, world) => {
    const { organizationId } = query
    if (organizationId === null) return serveAll(operation.id, query, world)
    return servePage(query, world, {
      scope: { endpointId: operation.id, organizationId },
      read: (after, limit) => world.outbox.list(organizationId, after, limit),
      positionOf: ({ createdAt, outboxId }) => ({ value: createdAt, id: outboxId }),
      publish: (entry) => entry,
    })
  },
})

export const retryOutbox = operated({
  id: 'outbox.retry',
  method: 'POST',
  path: '/operator/v1/outbox/{outboxId}/retry',
  access: 'support',
  belonging: {
    organizationOf: ({ params: { outboxId = '' } }, { outbox }) => outbox.ownerOf(outboxId),
    otherwise: ({ params: { outboxId = '' } }) => missing(outboxId),
  },
  action: 'outbox.retry',
  tag: 'Outbox',
  summary: 'Try a waiting, held or failed entry',
  description:
    'With all attempts before it; the service takes it up within a minute. Email providers recognise a repeated message for a day: an attempt whose fate is unknown and that is older may arrive twice.',
  responses: { 204: { description: 'It is due now.' }, 404: 'NotFound', 409: 'Conflict' },
  commands: [
    {
      words: ['outbox', 'retry'],
      positionals: ['ID'],
      summary: 'Try a waiting or failed entry again, with all attempts before it',
      details: [
        'ID is what "outbox list" shows first. The service takes the entry up within a minute. Email providers recognise a',
        'repeated message for a day: an attempt whose fate is unknown and that is older may arrive twice.',
      ],
      examples: ['obx_9fK2mT4vXw7LqRzN'],
      says: (_answer, { params: { outboxId } }) => ({ notes: [`${outboxId} is due now.`] }),
    },
  ],
  answer: async ({ params: { outboxId = '' }, change }, { clock, outbox }) => {
    const organizationId = await outbox.ownerOf(outboxId)
    if (organizationId === null) return missing(outboxId)
    const changes = change.about(organizationId, { type: 'entry', id: outboxId })
    const outcome = await changes.redrive(outboxId, toInstant(clock.nowMs()))
    if (outcome === 'missing') return missing(outboxId)
    if (outcome === 'leased')
      return errorReply(409, `${echoed(outboxId)} is being worked on. Look again in a minute.`)
    return { status: 204, headers: PRIVATE, body: null } as const
  },
})

/** Serves a page over all databases. The position in its cursor also names the database. */
function serveAll(endpointId: string, query: AskedPage, world: OperatorWorld) {
  return servePlacesPage(query, world, {
    scope: { endpointId, organizationId: null },
    read: async (after, limit) => {
      const position = after === null ? null : positionIn(after)
      const { next, ...page } = await world.overview.outbox(position, limit)
      return { ...page, next: next === null ? null : positionOut(next) }
    },
    publish: (entry) => entry,
  })
}

/** Separates a family's id, which cannot contain this character, from the id of an entry. */
const BETWEEN = '/'

function positionOut({ familyId, entry }: PlacedOutboxPosition): Position {
  const { value, id } = entry ?? { value: null, id: '' }
  return { value, id: `${familyId ?? ''}${BETWEEN}${id}` }
}

function positionIn({ value, id }: Position): PlacedOutboxPosition {
  const at = id.indexOf(BETWEEN)
  const familyId = id.slice(0, at)
  return {
    familyId: familyId === '' ? null : familyId,
    entry: value === null ? null : { value, id: id.slice(at + 1) },
  }
}

function missing(outboxId: string) {
  return errorReply(404, `There is no entry ${echoed(outboxId)} that waits or failed.`)
}

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

const sends = pageResponse('A page of sends.', pageOf('SendPage', Send), {
  channel: 'email',
  from: 'Acme Car Wash <acme@mail.example.com>',
  to: 'ada@example.com',
  providerId: '49a3999c-0ce1-4ea6-ab68-afcd6dc2e794',
  outcome: 'accepted',
  error: null,
  at: '2026-05-19T17:45:16.000Z',
})

const common = { method: 'GET', access: 'support', tag: 'Sends', query: pageParameters } as const

export const listPlatformSends = operated({
  id: 'platformSends.list',
  path: '/operator/v1/platform-sends',
  ...common,
  summary: 'List what was sent with platform keys',
  description: 'Newest first.',
  responses: { 200: sends },
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
  responses: { 200: sends },
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
  return servePage(query, world, {
    scope: { endpointId, organizationId },
    read: (after, limit) => log.list(after, limit),
    positionOf: ({ at, sendId }) => ({ value: at, id: sendId }),
    publish: (send) => publishedSend(send, nowMs),
  })
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
