import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { Button, SelectField } from '../kit/controls.tsx'
import {
  Badge,
  Card,
  Empty,
  Figure,
  PageHeader,
  Shown,
  TheirText,
  agoText,
  countText,
  momentText,
} from '../kit/page.tsx'
import { PagedTable, Table, type Column } from '../kit/table.tsx'
import { itemFieldOf } from '../operations/written.ts'
import { organizationPath, type OrganizationProps } from '../organizations/organization.ts'
import { useCall, usePages } from '../service/hooks.ts'
import type { ItemOf } from '../service/operations.ts'
import { useMay } from '../session.tsx'

type Summary = ItemOf<'outbox.summary'>
type Webhook = Summary['webhooks'][number]

const SHOWN = [
  { value: 'problems', label: 'With a problem' },
  { value: '', label: 'All' },
]

/** What waits and what fails of each organization: by itself, only of those that have a problem. */
export function Deliveries() {
  const [only, setOnly] = useState('problems')
  const pages = usePages('outbox.summary', only === 'problems' ? { query: { only } } : {})
  const isLooking = pages.isReading && pages.items.length === 0
  return (
    <>
      <PageHeader title="Deliveries" actions={<Button onClick={pages.reload}>Read again</Button>} />
      <div class="filters">
        <SelectField label="Organizations" value={only} onValue={setOnly} options={SHOWN} />
      </div>
      {isLooking && pages.state === 'ready' && <p class="soft">Looking at more organizations…</p>}
      <PagedTable
        label="Deliveries"
        pages={pages}
        columns={columns}
        rowKey={({ organizationId }) => organizationId}
        empty={
          only === 'problems' ? (
            <Empty title="No organization has a problem.">
              Nothing failed, nothing is overdue, and every webhook answers.
            </Empty>
          ) : (
            <Empty title="There is no organization yet." />
          )
        }
      />
    </>
  )
}

const columns: readonly Column<Summary>[] = [
  {
    title: 'Organization',
    width: 'minmax(0, 1.5fr)',
    cell: ({ organizationId, name }) => (
      <Link href={organizationPath(organizationId, '/deliveries')}>
        <TheirText text={name} />
      </Link>
    ),
  },
  { title: 'Problems', width: 'minmax(0, 2fr)', cell: ({ problems }) => <Problems of={problems} /> },
  { title: 'Waiting', width: '6rem', align: 'end', cell: waitingText },
  {
    title: 'Oldest due',
    cell: ({ dueSince }) => (dueSince === null ? 'none' : agoText(dueSince, Date.now())),
  },
  { title: 'Failed', width: '6rem', align: 'end', cell: (summary) => stoppedText(summary, 'failed') },
  {
    title: 'Slowest webhook',
    cell: ({ webhooks }) => {
      const slowest = Math.max(-1, ...webhooks.map(({ medianMs }) => medianMs ?? -1))
      return slowest < 0 ? 'none' : durationText(slowest)
    },
  },
  {
    title: 'See',
    width: '10rem',
    cell: ({ organizationId, name }) => (
      <span class="buttons">
        <Link href={organizationPath(organizationId, '/outbox')} aria-label={`Outbox of ${name}`}>
          Outbox
        </Link>
        <Link href={organizationPath(organizationId, '/webhooks')} aria-label={`Webhooks of ${name}`}>
          Webhooks
        </Link>
      </span>
    ),
  },
]

function Problems({ of }: { readonly of: Summary['problems'] }) {
  if (of.length === 0) return <Badge tone="good">None</Badge>
  const { choices = [] } = itemFieldOf('outbox.summary', 'problems')
  return (
    <span class="badges">
      {of.map((problem) => (
        <Badge key={problem} tone={problem === 'webhook_slow' ? 'waiting' : 'bad'}>
          {choices.find(({ value }) => value === problem)?.label ?? problem}
        </Badge>
      ))}
    </span>
  )
}

function sumOf(groups: readonly { readonly count: number }[]): number {
  return groups.reduce((sum, { count }) => sum + count, 0)
}

function waitingText({ waiting, isWaitingWhole }: Summary): string {
  return countText(sumOf(waiting)) + (isWaitingWhole ? '' : '+')
}

function stoppedText({ stopped, isStoppedWhole }: Summary, status: 'held' | 'failed'): string {
  return countText(sumOf(stopped.filter((group) => group.status === status))) + (isStoppedWhole ? '' : '+')
}

function durationText(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`
}

/** What waits and what fails of one organization, and how its webhooks answer. */
export function OrganizationDeliveries({ organizationId }: OrganizationProps) {
  const reading = useCall('outbox.summary', { query: { organizationId } })
  return (
    <Shown reading={reading} lines={8}>
      {({ data: [summary] }) =>
        summary === undefined ? (
          <Empty title="The database of this organization does not answer.">
            <Button onClick={reading.reload}>Try again</Button>
          </Empty>
        ) : (
          <Known summary={summary} onReload={reading.reload} />
        )
      }
    </Shown>
  )
}

interface KnownProps {
  readonly summary: Summary
  readonly onReload: () => void
}

function Known({ summary, onReload }: KnownProps) {
  const { organizationId, problems, waiting, dueSince, reasons, webhooks } = summary
  const path = (tab: string): string => organizationPath(organizationId, tab)
  return (
    <>
      <Card
        title="Waiting and failed"
        actions={
          <span class="buttons">
            <MayLink of="outbox.list" href={path('/outbox')} title="See the outbox" />
            <Button onClick={onReload}>Read again</Button>
          </span>
        }
      >
        <div class="stack">
          <Problems of={problems} />
          <div class="figures plain">
            <Figure label="Waiting" value={waitingText(summary)}>
              {dueSince === null ? 'None is due' : `The oldest was due ${agoText(dueSince, Date.now())}`}
            </Figure>
            <Figure label="Failed" value={stoppedText(summary, 'failed')}>
              Tried as often as it makes sense
            </Figure>
            <Figure label="Held" value={stoppedText(summary, 'held')}>
              From an archive, not tried by themselves
            </Figure>
          </div>
          {waiting.length > 0 && (
            <Table
              label="Waiting"
              columns={waitingColumns}
              rows={waiting}
              rowKey={(row) => row.kind + row.for}
            />
          )}
          {reasons.length > 0 && (
            <Table
              label="Why entries failed"
              columns={reasonColumns}
              rows={reasons}
              rowKey={({ kind, reason }) => `${kind} ${reason}`}
            />
          )}
        </div>
      </Card>
      <Card
        title="Webhooks"
        actions={<MayLink of="webhooks.list" href={path('/webhooks')} title="See them" />}
      >
        {webhooks.length === 0 ? (
          <Empty title="No other system is told of anything." />
        ) : (
          <Table
            label="Webhooks"
            columns={webhookColumns(path)}
            rows={webhooks}
            rowKey={({ webhookId }) => webhookId}
          />
        )}
      </Card>
    </>
  )
}

interface MayLinkProps {
  readonly of: Parameters<typeof useMay>[0]
  readonly href: string
  readonly title: string
}

function MayLink({ of, href, title }: MayLinkProps) {
  return useMay(of) ? <Link href={href}>{title}</Link> : null
}

const kinds: Readonly<Record<string, string>> = {
  notification_email: 'Notification',
  automation_run: 'Automation',
  webhook_delivery: 'Webhook',
  alert_email: 'Alert',
}
const reasonsToWait: Readonly<Record<Summary['waiting'][number]['for'], string>> = {
  due: 'Due now',
  working: 'Being worked on',
  bound: 'To be within a bound',
  provider: 'For a provider: none is configured',
  retry: 'For the next attempt',
  scheduled: 'For its time',
}

const waitingColumns: readonly Column<Summary['waiting'][number]>[] = [
  { title: 'What', cell: ({ kind }) => kinds[kind] ?? kind },
  { title: 'Waits', width: 'minmax(0, 2fr)', cell: (group) => reasonsToWait[group.for] },
  { title: 'Entries', width: '6rem', align: 'end', cell: ({ count }) => countText(count) },
]

const reasonColumns: readonly Column<Summary['reasons'][number]>[] = [
  { title: 'What', cell: ({ kind }) => kinds[kind] ?? kind },
  { title: 'Failed because', width: 'minmax(0, 2fr)', cell: ({ reason }) => <TheirText text={reason} /> },
  { title: 'Last', cell: ({ at }) => momentText(at) },
  { title: 'Entries', width: '6rem', align: 'end', cell: ({ count }) => countText(count) },
]

function webhookColumns(path: (tab: string) => string): readonly Column<Webhook>[] {
  return [
    {
      title: 'Webhook',
      width: 'minmax(0, 2fr)',
      cell: ({ webhookId, url }): ComponentChildren => (
        <Link href={path(`/webhooks/${encodeURIComponent(webhookId)}`)}>
          <TheirText text={url} />
        </Link>
      ),
    },
    { title: 'State', width: '8rem', cell: (webhook) => <State of={webhook} /> },
    { title: 'Waiting', width: '6rem', align: 'end', cell: ({ waiting }) => countText(waiting) },
    {
      title: 'Failed',
      width: '7rem',
      align: 'end',
      cell: ({ tried, failed }) => (tried === 0 ? 'none tried' : `${failed} of ${tried}`),
    },
    {
      title: 'Answers in',
      cell: ({ medianMs, slowestMs }) =>
        medianMs === null || slowestMs === null
          ? ''
          : `${durationText(medianMs)}, at most ${durationText(slowestMs)}`,
    },
    {
      title: 'Last success',
      cell: ({ lastSuccessAt }) =>
        lastSuccessAt === null ? 'none of the latest' : momentText(lastSuccessAt),
    },
  ]
}

function State({ of: { isOn, offReason, failingSince } }: { readonly of: Webhook }) {
  if (offReason === 'gone') return <Badge tone="bad">Off: gone</Badge>
  if (offReason === 'failing') return <Badge tone="bad">Off: failed</Badge>
  if (!isOn) return <Badge>Off</Badge>
  return failingSince === null ? <Badge tone="good">On</Badge> : <Badge tone="bad">Fails</Badge>
}
