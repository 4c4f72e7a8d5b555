import * as v from 'valibot'
import type { OutboxSummary, SummaryScope, SummedWebhook } from '../../ports/outbox.ts'
import { providerless } from '../jobs/work.ts'
import { ofOrganization, mark, sets } from '../record/command.ts'
import { component, described, worded } from '../record/meaning.ts'
import { toInstant } from '../text/instant.ts'
import { publicId } from '../webhooks/webhook.ts'
import { ofParameter, operated, count, instant } from './serve.ts'
import {
  optionalWord,
  organizationFilter,
  pageParameters,
  placesPageOf,
  pageResponse,
  servePlacesPage,
} from './list.ts'
import { showOrganization } from './organizations.ts'

/** How many organizations one page looks at, whether it shows them or not. */
const ORGANIZATIONS_MAX = 50
/** How many entries of an organization are counted, of those that wait and of the others. */
const ENTRIES_MAX = 1000
/** How many reasons are named. */
const REASONS_MAX = 5
/** How many deliveries of a webhook are looked at. */
const DELIVERIES_MAX = 50

/** What has been due for this long is overdue, in ms: the service takes up what is due within a minute. */
const OVERDUE_MS = 300_000
/** A webhook that takes this long for half of its answers is slow, in ms. */
const SLOW_MS = 3_000

const problemWords = [
  'failed',
  'overdue',
  'no_provider',
  'webhook_off',
  'webhook_failing',
  'webhook_slow',
] as const
type Problem = (typeof problemWords)[number]

const Hook = v.strictObject({
  webhookId: described(v.string(), 'Names the webhook.'),
  url: v.string(),
  isOn: described(v.boolean(), 'Whether it is told of anything.'),
  offReason: described(
    v.nullable(v.picklist(['gone', 'failing'])),
    'Why the service switched it off; null: it is on, or somebody switched it off.',
  ),
  failingSince: described(
    v.nullable(instant),
    'When it failed for the first time since it last succeeded; null: it has not failed since.',
  ),
  waiting: described(count, 'Deliveries that wait, among the entries that are counted.'),
  tried: described(count, `Of its latest ${DELIVERIES_MAX} deliveries, those for which it was called.`),
  failed: described(count, 'Of these, those that did not succeed, or not yet.'),
  lastSuccessAt: described(v.nullable(instant), 'When one of these succeeded last; null: none did.'),
  medianMs: described(
    v.nullable(count),
    'How long half of these took to answer at most; null: there is none.',
  ),
  slowestMs: described(v.nullable(count), 'How long the slowest of these took; null: there is none.'),
})

const kind = described(v.string(), 'What is to be done.')

const Summary = v.strictObject({
  organizationId: v.string(),
  name: v.string(),
  problems: worded(
    described(
      v.array(v.picklist(problemWords)),
      `What an operator should look at: \`failed\`: entries are not tried by themselves any more. \`overdue\`: an entry has been due for ${OVERDUE_MS / 60_000} minutes. \`no_provider\`: entries wait for a provider that is not configured. \`webhook_off\`: the service switched a webhook off. \`webhook_failing\`: one fails. \`webhook_slow\`: half of the answers of one take ${SLOW_MS / 1000} seconds or more.`,
    ),
    {
      choices: {
        failed: 'Failed entries',
        overdue: 'Overdue',
        no_provider: 'No provider',
        webhook_off: 'Webhook switched off',
        webhook_failing: 'Webhook fails',
        webhook_slow: 'Webhook is slow',
      },
    },
  ),
  waiting: described(
    v.array(
      v.strictObject({
        kind,
        for: described(
          v.picklist(['due', 'working', 'bound', 'provider', 'retry', 'scheduled']),
          '`due`: its time has come. `working`: somebody is at it. `bound`: it waits to be within a bound. `provider`: none is configured. `retry`: it was tried, and is tried again later. `scheduled`: its time has not come.',
        ),
        count,
      }),
    ),
    'How many entries wait, by kind and by what for.',
  ),
  isWaitingWhole: described(
    v.boolean(),
    `Whether all are counted. False: there are ${ENTRIES_MAX} or more, and only those are counted that are due first.`,
  ),
  dueSince: described(
    v.nullable(instant),
    'Since when the entry is due that has been due longest; null: none is due.',
  ),
  stopped: described(
    v.array(v.strictObject({ kind, status: v.picklist(['held', 'failed']), count })),
    'How many entries are not tried by themselves: because they failed, or were restored from an archive.',
  ),
  isStoppedWhole: described(
    v.boolean(),
    `Whether all are counted. False: there are ${ENTRIES_MAX} or more, and only the latest are counted.`,
  ),
  reasons: described(
    v.array(
      v.strictObject({ kind, reason: v.string(), count, at: described(instant, 'When it came up last.') }),
    ),
    `Why entries failed: the ${REASONS_MAX} reasons that came up last, the latest first, with how many have each.`,
  ),
  webhooks: described(v.array(Hook), 'Whom it tells of events, by their ids.'),
})
type Summary = v.InferOutput<typeof Summary>

const sample: Summary = {
  organizationId: 'acme',
  name: 'Acme Car Wash',
  problems: ['failed'],
  waiting: [{ kind: 'notification_email', for: 'retry', count: 2 }],
  isWaitingWhole: true,
  dueSince: null,
  stopped: [{ kind: 'notification_email', status: 'failed', count: 1 }],
  isStoppedWhole: true,
  reasons: [
    {
      kind: 'notification_email',
      reason: 'The provider refused the message.',
      count: 1,
      at: '2026-05-19T17:50:12.000Z',
    },
  ],
  webhooks: [
    {
      webhookId: 'acme:wh_2Zk8QwVt7LhXn4Rm',
      url: 'https://crm.example.com/hooks/acme',
      isOn: true,
      offReason: null,
      failingSince: null,
      waiting: 0,
      tried: 50,
      failed: 0,
      lastSuccessAt: '2026-05-19T17:45:13.000Z',
      medianMs: 212,
      slowestMs: 1480,
    },
  ],
}

const SummaryBody = component('OutboxSummary', described(Summary, 'What waits and fails of an organization.'))

export const summarizeOutbox = operated({
  id: 'outbox.summary',
  method: 'GET',
  path: '/operator/v1/outbox/summary',
  access: 'support',
  openTo: 'owner',
  belonging: ofParameter,
  tag: 'Outbox',
  summary: 'Summarize what waits and what fails of each organization',
  description: `In the order of their ids. A page looks at ${ORGANIZATIONS_MAX} organizations at most, so it may be short. However much waits, no more than ${ENTRIES_MAX} entries that wait, ${ENTRIES_MAX} others, and ${DELIVERIES_MAX} deliveries of each webhook are looked at of one organization.`,
  query: {
    organizationId: organizationFilter,
    only: optionalWord('Only organizations with a problem.', ['problems'], 'problems'),
    ...pageParameters,
  },
  responses: {
    200: pageResponse('A page of summaries.', placesPageOf('OutboxSummaryPage', SummaryBody), sample),
  },
  commands: [
    {
      words: ['outbox', 'summary'],
      flags: {
        org: ofOrganization('optional'),
        problems: sets('only', mark('optional', 'problems')),
      },
      summary: 'Count what waits and what fails, for each organization',
      details: [
        `Counts end at ${ENTRIES_MAX}+. --problems: only organizations of which entries failed, are overdue or have no provider,`,
        'or a webhook fails, is slow or was switched off. --json has the counts by kind, the reasons, and each webhook.',
      ],
      examples: ['', '--problems', '--org lakeside --json'],
      mustExist: showOrganization,
      columns: [
        { head: 'organization', of: ({ organizationId }) => organizationId },
        { head: 'waiting', of: (summary) => atLeast(sumOf(summary.waiting), summary.isWaitingWhole) },
        { head: 'due since', of: ({ dueSince }) => dueSince },
        { head: 'failed', of: (summary) => atLeast(failedOf(summary), summary.isStoppedWhole) },
        { head: 'problems', of: ({ problems }) => problems.join(',') },
        { head: 'reason', of: ({ reasons }) => reasons[0]?.reason ?? null, mayBeCut: true },
      ],
    },
  ],
  answer: async ({ operation, query }, world) => {
    const { organizationId, only, cursor } = query
    const nowMs = world.clock.nowMs()
    const scope: SummaryScope = {
      now: toInstant(nowMs),
      providerless: Object.values(providerless),
      entriesMax: ENTRIES_MAX,
      reasonsMax: REASONS_MAX,
      deliveriesMax: DELIVERIES_MAX,
    }
    return servePlacesPage({ limit: Math.min(query.limit, ORGANIZATIONS_MAX), cursor }, world, {
      scope: { endpointId: operation.id, organizationId: JSON.stringify([organizationId, only]) },
      read: async (after, limit) => {
        const of = organizationId === null ? { afterId: after?.id ?? null, limit } : { organizationId }
        const { rows, next, ...gaps } = await world.overview.summaries(of, scope)
        const all = rows.map((row) => published(row, nowMs))
        return {
          rows: all.filter(({ problems }) => only === null || problems.length > 0),
          next: next === null ? null : { value: null, id: next },
          ...gaps,
        }
      },
      publish: (summary) => summary,
    })
  },
})

function sumOf(counts: readonly { readonly count: number }[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0)
}

function failedOf({ stopped }: Pick<Summary, 'stopped'>): number {
  return sumOf(stopped.filter(({ status }) => status === 'failed'))
}

function atLeast(counted: number, isWhole: boolean): string {
  return `${counted}${isWhole ? '' : '+'}`
}

function published(summary: OutboxSummary, nowMs: number): Summary {
  const { organizationId, name, waiting, dueSince, stopped, reasons } = summary
  const webhooks = summary.webhooks.map((webhook) => publishedHook(organizationId, webhook))
  const shown = {
    waiting: waiting.map((group) => ({ ...group })),
    isWaitingWhole: sumOf(waiting) < ENTRIES_MAX,
    dueSince,
    stopped: stopped.map((group) => ({ ...group })),
    isStoppedWhole: sumOf(stopped) < ENTRIES_MAX,
    reasons: reasons.map((reason) => ({ ...reason })),
    webhooks,
  }
  return { organizationId, name, problems: problemsOf(shown, nowMs), ...shown }
}

function publishedHook(
  organizationId: string,
  { webhookId, url, isOn, offReason, failingSince, waiting, deliveries }: SummedWebhook,
): Summary['webhooks'][number] {
  const tried = deliveries.filter(({ at }) => at !== null)
  const times = tried.flatMap(({ durationMs }) => durationMs ?? []).toSorted((one, other) => one - other)
  const delivered = tried.filter(({ status }) => status === 'delivered').flatMap(({ at }) => at ?? [])
  return {
    webhookId: publicId(organizationId, webhookId),
    ...{ url, isOn, offReason, failingSince, waiting },
    tried: tried.length,
    failed: tried.filter(({ status }) => status === 'failed' || status === 'waiting').length,
    lastSuccessAt: delivered.toSorted().at(-1) ?? null,
    medianMs: times[Math.ceil(times.length / 2) - 1] ?? null,
    slowestMs: times.at(-1) ?? null,
  }
}

function problemsOf(
  { waiting, dueSince, stopped, webhooks }: Pick<Summary, 'waiting' | 'dueSince' | 'stopped' | 'webhooks'>,
  nowMs: number,
): Problem[] {
  const called = webhooks.filter(({ isOn }) => isOn)
  const has: Readonly<Record<Problem, boolean>> = {
    failed: failedOf({ stopped }) > 0,
    overdue: dueSince !== null && nowMs - Date.parse(dueSince) >= OVERDUE_MS,
    no_provider: waiting.some((group) => group.for === 'provider'),
    webhook_off: webhooks.some(({ offReason }) => offReason !== null),
    webhook_failing: called.some(({ failingSince }) => failingSince !== null),
    webhook_slow: called.some(({ medianMs }) => (medianMs ?? 0) >= SLOW_MS),
  }
  return problemWords.filter((problem) => has[problem])
}
