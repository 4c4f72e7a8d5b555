import { useId } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { Card, Figure, PageHeader, Shown, agoText, countText, dayText } from '../kit/page.tsx'
import type { Client } from '../service/client.ts'
import { readListed, useQuery, type Listed } from '../service/hooks.ts'

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

interface FiguresProps {
  readonly known: Awaited<ReturnType<typeof readFigures>>
  readonly nowMs: number
}

function Figures({ known, nowMs }: FiguresProps) {
  const { organizations, outbox, sends, submissions, isActivityWhole } = known
  const accepted = sends.filter(({ outcome }) => outcome === 'accepted').length
  const lost = sends.filter(({ outcome }) => outcome === 'failed' || outcome === 'unknown').length
  const waiting = Map.groupBy(outbox.items, ({ status }) => status)
  const countOf = (status: (typeof outbox.items)[number]['status']): string =>
    countText(waiting.get(status)?.length ?? 0)
  const [oldestDueAt] = (waiting.get('pending') ?? [])
    .map(({ nextAttemptAt }) => nextAttemptAt)
    .filter((at) => Date.parse(at) <= nowMs)
    .sort()
  const since = `In the last ${DAYS} days`
  const byDay = Map.groupBy(submissions, ({ submittedAt }) => submittedAt.slice(0, 10))
  const bars = lastDays(nowMs, DAYS).map((day) => ({
    name: dayText(day),
    value: byDay.get(day)?.length ?? 0,
  }))
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
        <BarChart
          title={`Submissions a day, in the last ${DAYS} days`}
          unit={['submission', 'submissions']}
          bars={bars}
        />
      </Card>
      <Card title="Outbox">
        <div class="figures plain">
          <Figure label="Waiting" value={countOf('pending')}>
            {oldestDueAt === undefined ? 'None is due' : `The oldest was due ${agoText(oldestDueAt, nowMs)}`}
          </Figure>
          <Figure label="Held" value={countOf('held')}>
            From an archive, not tried by themselves
          </Figure>
          <Figure label="Failed" value={countOf('failed')}>
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

/** The maximum number of organizations whose activity is read, a few at a time. */
const ORGANIZATIONS_MAX = 40
const AT_ONCE = 4

/** Reads the overview from the lists of the operator interface, whose pages it bounds. */
async function readFigures(client: Client, signal: AbortSignal, firstDay: string) {
  const [organizations, outbox] = await Promise.all([
    readListed(client, 'organizations.list', {}, signal, () => true),
    readListed(client, 'outbox.list', {}, signal, () => true),
  ])
  const asked = organizations.items.slice(0, ORGANIZATIONS_MAX)
  const found = await inTurns(asked, async ({ organizationId }) => {
    const call = { params: { organizationId } }
    return Promise.all([
      readListed(client, 'sends.list', call, signal, ({ at }) => at >= firstDay),
      readListed(client, 'submissions.list', call, signal, ({ submittedAt }) => submittedAt >= firstDay),
    ])
  })
  const isAll = organizations.isWhole && asked.length === organizations.items.length
  return {
    organizations,
    outbox,
    sends: found.flatMap(([sends]) => sends.items.filter(({ at }) => at >= firstDay)),
    submissions: found.flatMap(([, submissions]) =>
      submissions.items.filter(({ submittedAt }) => submittedAt >= firstDay),
    ),
    /** Whether the sends and submissions of every organization are counted, each back to the first day. */
    isActivityWhole: isAll && found.every(([sends, submissions]) => sends.isWhole && submissions.isWhole),
  }
}

async function inTurns<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  for (let start = 0; start < items.length; start += AT_ONCE)
    results.push(...(await Promise.all(items.slice(start, start + AT_ONCE).map(work))))
  return results
}

const DAY_MS = 86_400_000

/** The days (of UTC) up to now, the oldest first, as `YYYY-MM-DD`. */
function lastDays(nowMs: number, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) =>
    new Date(nowMs - (count - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  )
}

interface BarChartProps {
  readonly title: string
  /** What is counted: of one, and of any other number. */
  readonly unit: readonly [one: string, more: string]
  readonly bars: readonly { readonly name: string; readonly value: number }[]
}

/**
 * Bars over names, such as days: elements, not a drawing, so that texts keep their size at any width; the style sheet leaves
 * out names that do not fit beside each other. The same numbers are in a table for whoever cannot see them.
 */
function BarChart({ title, unit, bars }: BarChartProps) {
  const id = useId()
  const most = Math.max(1, ...bars.map(({ value }) => value))
  const counted = (count: number) => `${countText(count)} ${count === 1 ? unit[0] : unit[1]}`
  return (
    <figure class="chart" aria-labelledby={id}>
      <figcaption id={id} class="visually-hidden">
        {title}
      </figcaption>
      <p class="tick" aria-hidden="true">
        {countText(most)}
      </p>
      <div class="chart-bars" aria-hidden="true">
        {bars.map(({ name, value }) => (
          <div key={name} title={`${name}: ${counted(value)}`}>
            <span class="bar" style={{ height: `${(value / most) * 100}%` }} />
            <span class="tick">{name}</span>
          </div>
        ))}
      </div>
      <div class="visually-hidden">
        <table>
          <caption>{title}</caption>
          <tbody>
            {bars.map(({ name, value }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{counted(value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  )
}
