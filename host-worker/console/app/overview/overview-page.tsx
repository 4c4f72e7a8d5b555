import { Link } from 'wouter-preact'
import { BarChart } from '../kit/charts/bar-chart.tsx'
import { Card, Figure } from '../kit/card.tsx'
import { PageHeader } from '../kit/page-header.tsx'
import { Shown } from '../kit/states.tsx'
import { agoText, countText, dayText } from '../kit/text.ts'
import type { Listed } from '../service/listed.ts'
import { useQuery } from '../service/use-query.ts'
import type { OverviewFigures } from './figures.ts'
import { readFigures } from './figures.ts'
import { countByDay, lastDays, sumOutbox } from './sums.ts'

const DAYS = 14
const EVERY_MS = 60_000

/** How the service is: organizations, what came in, what went out, and what still waits. */
export function Page() {
  const figures = useQuery(
    'overview',
    (client, signal) => readFigures(client, signal, lastDays(Date.now(), DAYS)[0] ?? ''),
    { everyMs: EVERY_MS },
  )
  return (
    <>
      <PageHeader title="Overview" />
      <Shown reading={figures} lines={8}>
        {(known) => <Figures known={known} nowMs={Date.now()} />}
      </Shown>
    </>
  )
}

function Figures({ known, nowMs }: { readonly known: OverviewFigures; readonly nowMs: number }) {
  const { organizations, outbox, sends, submissions, isActivityWhole } = known
  const accepted = sends.filter(({ outcome }) => outcome === 'accepted').length
  const lost = sends.filter(({ outcome }) => outcome === 'failed' || outcome === 'unknown').length
  const { pending, held, failed, oldestDueAt } = sumOutbox(outbox.items, nowMs)
  const since = `In the last ${DAYS} days`
  const bars = countByDay(
    submissions.map(({ submittedAt }) => submittedAt),
    lastDays(nowMs, DAYS),
  ).map(({ day, count }) => ({ name: dayText(day), value: count }))
  return (
    <>
      <div class="figures">
        <Figure label="Organizations" value={atLeast(organizations)}>
          <Link href="/organizations">See all</Link>
        </Figure>
        <Figure label="Submissions" value={countText(submissions.length)}>
          {since}
        </Figure>
        <Figure label="Sends accepted" value={countText(accepted)}>
          {since}
        </Figure>
        <Figure label="Sends failed" value={countText(lost)}>
          {since}
        </Figure>
      </div>
      <Card title="Submissions a day">
        <BarChart title={`Submissions a day, in the last ${DAYS} days`} unit="submissions" bars={bars} />
      </Card>
      <Card title="Outbox">
        <div class="figures plain">
          <Figure label="Waiting" value={countText(pending)}>
            {oldestDueAt === null ? 'None is due' : `The oldest was due ${agoText(oldestDueAt, nowMs)}`}
          </Figure>
          <Figure label="Held" value={countText(held)}>
            From an archive, not tried by themselves
          </Figure>
          <Figure label="Failed" value={countText(failed)}>
            Tried as often as it makes sense
          </Figure>
        </div>
        {!outbox.isWhole && (
          <p class="soft">These are the first {countText(outbox.items.length)} entries; there are more.</p>
        )}
      </Card>
      {!isActivityWhole && (
        <p class="soft">
          Sends and submissions are those of the first organizations, and the newest of each: there are more
          than this page reads.
        </p>
      )}
    </>
  )
}

function atLeast({ items, isWhole }: Listed<unknown>): string {
  return countText(items.length) + (isWhole ? '' : '+')
}
