import * as v from 'valibot'
import { echoed } from '../limits/limits.ts'
import {
  ALERT_EMAIL,
  AUTOMATION_RUN,
  NOTIFICATION_DIGEST,
  NOTIFICATION_EMAIL,
  WEBHOOK_DELIVERY,
} from '../forms/outbox.ts'
import { ofOrganization } from '../record/command.ts'
import { described, worded } from '../record/meaning.ts'
import { jsonResponse } from '../record/operation.ts'
import { errorReply, PRIVATE } from '../record/reply.ts'
import { toInstant } from '../text/instant.ts'
import type { Position } from '../../ports/records.ts'
import type { PlacedOutboxPosition } from '../placement/find/visit-families.ts'
import {
  organizationFilter,
  pageParameters,
  placesPageOf,
  samplePagination,
  servePage,
  servePlacesPage,
  type AskedPage,
} from './list.ts'
import { ofParameter } from './authorize.ts'
import { operated } from './serve.ts'
import type { OperatorWorld } from './world.ts'
import { showOrganization } from './organizations.ts'
import { instant } from './schema.ts'

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
    200: jsonResponse('A page of entries.', placesPageOf('OutboxPage', Entry), {
      data: [sample],
      pagination: samplePagination,
    }),
    400: 'BadRequest',
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
    return servePage(
      query,
      {
        scope: { endpointId: operation.id, organizationId },
        read: (after, limit) =>
          world.outbox.list(
            organizationId,
            after === null ? null : { createdAt: String(after.value), outboxId: after.id },
            limit,
          ),
        positionOf: ({ createdAt, outboxId }) => ({ value: createdAt, id: outboxId }),
      },
      world,
      (entry) => entry,
    )
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
  return servePlacesPage(
    query,
    {
      scope: { endpointId, organizationId: null },
      read: async (after, limit) => {
        const position = after === null ? null : positionIn(after)
        const { next, ...page } = await world.overview.outbox(position, limit)
        return { ...page, next: next === null ? null : positionOut(next) }
      },
    },
    world,
    (entry) => entry,
  )
}

/** Separates a family's id, which cannot contain this character, from the id of an entry. */
const BETWEEN = '/'

function positionOut({ familyId, entry }: PlacedOutboxPosition): Position {
  const { createdAt = null, outboxId = '' } = entry ?? {}
  return { value: createdAt, id: `${familyId ?? ''}${BETWEEN}${outboxId}` }
}

function positionIn({ value, id }: Position): PlacedOutboxPosition {
  const at = id.indexOf(BETWEEN)
  const familyId = id.slice(0, at)
  return {
    familyId: familyId === '' ? null : familyId,
    entry: value === null ? null : { createdAt: String(value), outboxId: id.slice(at + 1) },
  }
}

function missing(outboxId: string) {
  return errorReply(404, `There is no entry ${echoed(outboxId)} that waits or failed.`)
}
