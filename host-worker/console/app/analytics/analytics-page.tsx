import { useState } from 'preact/hooks'
import { Redirect, Route, Switch, useLocation } from 'wouter-preact'
import { Button, SelectField, calls, saveRows, toast } from '../kit/controls.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { Card, Empty, Facts, FailureNote, PageHeader, Tabs, countText } from '../kit/page.tsx'
import { PagedTable, Table, type Column } from '../kit/table.tsx'
import type { Client } from '../service/client.ts'
import { useAction, useCall, useList } from '../service/hooks.ts'
import type { BodyOf } from '../service/operations.ts'
import { CancellationSurvey, Cancellations, RetentionOffers } from './cancellations.tsx'
import {
  HORIZONS,
  inColumns,
  shareOf,
  spread,
  type CohortsBody,
  type Cohort,
  type Horizon,
} from './cohort.ts'
import {
  BarList,
  DIMENSIONS,
  HeatMap,
  NotHad,
  RangeForm,
  Report,
  STATUSES,
  figureText,
  isNotHad,
  moneyText,
  numbers,
  searchOf,
  useChoices,
  wordText,
  type Choices,
  type HeatCell,
  type Line,
} from './report.tsx'

const reports = [
  { path: '/analytics/cancellations', title: 'Cancellations', View: Cancellations },
  { path: '/analytics/survey', title: 'Survey', View: CancellationSurvey },
  { path: '/analytics/offers', title: 'Offers', View: RetentionOffers },
  { path: '/analytics/cohorts', title: 'Cohorts', View: Cohorts },
  { path: '/analytics/members', title: 'Members', View: Members },
] as const

/** The five reports about memberships, each at an address of its own, of the days that are chosen there. */
export function Page() {
  const [location] = useLocation()
  const [choices] = useChoices()
  return (
    <>
      <PageHeader title="Analytics">
        <Tabs
          label="Reports"
          tabs={reports.map(({ path, title }) => ({
            title,
            href: path + searchOf(choices),
            isHere: path === location,
          }))}
        />
      </PageHeader>
      <RangeForm />
      <Switch>
        {reports.map(({ path, View }) => (
          <Route key={path} path={path} component={View} />
        ))}
        <Route>
          <Redirect to={reports[0].path + searchOf(choices)} replace />
        </Route>
      </Switch>
    </>
  )
}

type Member = BodyOf<'analytics.members'>['members'][number]

const PAGE_ROWS = 100
const SHEET_ROWS = 1000

const STATUS_NAMES = { all: 'Any', active: 'Active', churned: 'Left' } as const

/** Members by their signup, read page by page, and all of them as a file. */
export function Members() {
  const [choices, choose] = useChoices()
  const { start, end, status } = choices
  const [opened, setOpened] = useState<Member | null>(null)
  const pages = useList(JSON.stringify(['members', start, end, status]), async (client, cursor, signal) => {
    const page = await readMembers(client, choices, Number(cursor ?? 0), PAGE_ROWS, signal)
    const next = page.pagination.nextOffset
    return { data: page.members, pagination: { nextCursor: next === null ? null : String(next) } }
  })
  const sheet = useAction(
    (client) => allMembers(client, choices),
    (members) => {
      saveRows('members', members)
      toast(`The file has ${members.length} members.`)
    },
  )
  const { failure } = pages
  if (failure !== null && isNotHad(failure)) return <NotHad title="Members" failure={failure} />
  return (
    <Card
      title="Members"
      actions={
        <Button
          aria-label="Download CSV of members"
          isRunning={sheet.isRunning}
          onClick={calls(sheet.run, undefined)}
        >
          Download CSV
        </Button>
      }
    >
      {sheet.failure !== null && <FailureNote failure={sheet.failure} />}
      <div class="filters">
        <SelectField
          label="Status"
          value={status}
          onValue={(value) => {
            choose({ status: STATUSES.find((one) => one === value) ?? 'all' })
          }}
          options={STATUSES.map((value) => ({ value, label: STATUS_NAMES[value] }))}
        />
      </div>
      <PagedTable
        label="Members"
        pages={pages}
        columns={[
          {
            title: 'Membership',
            width: 'minmax(0, 1.5fr)',
            cell: (member) => (
              <Button onClick={calls(setOpened, member)}>
                <bdi>{member.membershipId}</bdi>
              </Button>
            ),
          },
          { title: 'Signed up', cell: ({ signupDate }) => wordText(signupDate) },
          { title: 'Status', cell: ({ status: own }) => own },
          { title: 'Left', cell: ({ cancelDate }) => wordText(cancelDate) },
          { title: 'Plan', cell: ({ planName }) => wordText(planName) },
          { title: 'Amount', align: 'end', cell: ({ billingAmount }) => moneyText(billingAmount) },
        ]}
        rowKey={({ membershipId }) => membershipId}
        empty={<Empty title="Nobody of this status signed up in these days." />}
      />
      {opened !== null && (
        <Dialog title={opened.membershipId} onClose={calls(setOpened, null)}>
          <MemberFacts member={opened} />
        </Dialog>
      )}
    </Card>
  )
}

function MemberFacts({ member }: { readonly member: Member }) {
  return (
    <Facts
      facts={[
        ['Customer', wordText(member.customerId)],
        ['Signed up', wordText(member.signupDate)],
        ['Status', member.status],
        ['Left', wordText(member.cancelDate)],
        ['Type', wordText(member.churnType)],
        ['Stayed', figureText(member.tenureDays, 'days')],
        ['Plan', wordText(member.planName)],
        ['Amount', moneyText(member.billingAmount)],
        ['On trial', member.isOnTrial ? 'yes' : 'no'],
        ['Amount of the trial', moneyText(member.trialAmount)],
        ['Billed at', siteText(member.billingSiteCode, member.billingSiteName)],
        ['Signed up at', siteText(member.creationSiteCode, member.creationSiteName)],
        ['Tags', wordText(member.tags.join(', '))],
      ]}
    />
  )
}

function siteText(code: string | null, name: string | null) {
  return wordText([code, name].filter((one) => one !== null).join(', '))
}

async function readMembers(
  client: Client,
  { start, end, status }: Choices,
  offset: number,
  limit: number,
  signal?: AbortSignal,
) {
  const query = { signupStart: start, signupEnd: end, status, limit: String(limit), offset: String(offset) }
  return client.call('analytics.members', { query }, signal)
}

/** All members that are chosen, in as few requests as the interface allows. */
async function allMembers(client: Client, choices: Choices): Promise<readonly Member[]> {
  const members: Member[] = []
  for (let offset: number | null = 0; offset !== null;) {
    const page: BodyOf<'analytics.members'> = await readMembers(client, choices, offset, SHEET_ROWS)
    members.push(...page.members)
    offset = page.pagination.nextOffset
  }
  return members
}

const DIMENSION_NAMES = { none: 'Nothing', plan: 'Plan', site: 'Site' } as const

/** Members by the month of their signup: how many left, and after how long. */
export function Cohorts() {
  const [{ start, end, dimension }, choose] = useChoices()
  const reading = useCall('analytics.cohorts', { query: { start, end, dimension } })
  return (
    <Report
      title="Signup cohorts"
      reading={reading}
      sheet="cohorts"
      rowsOf={({ cohorts }) => cohorts.map(spread)}
    >
      {(report) => (
        <>
          <div class="filters">
            <SelectField
              label="Months are divided by"
              value={dimension}
              onValue={(value) => {
                choose({ dimension: DIMENSIONS.find((one) => one === value) ?? 'none' })
              }}
              options={DIMENSIONS.map((value) => ({ value, label: DIMENSION_NAMES[value] }))}
            />
          </div>
          <Coverage report={report} />
          {report.cohorts.length === 0 ? (
            <Empty title="Nobody signed up in these months." />
          ) : (
            <CohortFigures report={report} />
          )}
        </>
      )}
    </Report>
  )
}

function Coverage({ report: { signupDateCoverage } }: { readonly report: CohortsBody }) {
  const { withSignupDate, members, coveragePct } = signupDateCoverage
  return (
    <p class="soft">
      Whole months. The signup of {countText(withSignupDate)} of {countText(members)} members is known (
      {figureText(coveragePct, '%')}).
    </p>
  )
}

function CohortFigures({ report: { cohorts, dimension } }: { readonly report: CohortsBody }) {
  const [horizon, setHorizon] = useState<(typeof HORIZONS)[number]>('365')
  const isDivided = dimension !== 'none'
  return (
    <>
      {isDivided && (
        <div class="filters">
          <SelectField
            label="The map shows who left within"
            value={horizon}
            onValue={(value) => {
              setHorizon(HORIZONS.find((one) => one === value) ?? '365')
            }}
            options={HORIZONS.map((value) => ({ value, label: `${value} days` }))}
          />
        </div>
      )}
      <HeatMap
        title={
          isDivided
            ? `Share that left within ${horizon} days, by month and ${dimension}`
            : 'Share that left, by month and days since the signup'
        }
        corner="Month"
        cells={isDivided ? cellsByValue(cohorts, horizon) : cellsByHorizon(cohorts)}
      />
      <BarList title="Signups by month" series={['still active', 'left']} lines={signupsByMonth(cohorts)} />
      <Table
        label="Cohorts"
        columns={[
          { title: 'Month', cell: ({ cohortMonth }: Cohort) => cohortMonth },
          ...(isDivided ? [valueColumn(DIMENSION_NAMES[dimension])] : []),
          numbers<Cohort>('Size', ({ cohortSize }) => cohortSize),
          numbers<Cohort>('Active', ({ stillActive }) => stillActive),
          numbers<Cohort>('Left', ({ churned }) => churned),
          numbers<Cohort>('Rate', ({ churnRatePct }) => churnRatePct, '%'),
          numbers<Cohort>('Voluntary', ({ voluntary }) => voluntary),
          numbers<Cohort>('Involuntary', ({ involuntary }) => involuntary),
        ]}
        rows={cohorts}
        rowKey={({ cohortMonth, dimensionValue }) => JSON.stringify([cohortMonth, dimensionValue])}
      />
    </>
  )
}

function valueColumn(title: string): Column<Cohort> {
  return { title, width: 'minmax(0, 2fr)', cell: ({ dimensionValue }) => wordText(dimensionValue) }
}

/** A row for each month, a column for each horizon. */
function cellsByHorizon(cohorts: readonly Cohort[]): readonly HeatCell[] {
  return cohorts.flatMap((cohort) =>
    HORIZONS.map((days) => ({ row: cohort.cohortMonth, column: `${days} days`, ...heatOf(cohort, days) })),
  )
}

/** A row for each month, a column for each plan or site, of one horizon. The unknown one is last. */
function cellsByValue(cohorts: readonly Cohort[], days: Horizon): readonly HeatCell[] {
  return inColumns(cohorts).map((cohort) => ({
    row: cohort.cohortMonth,
    column: cohort.dimensionValue ?? 'Not known',
    ...heatOf(cohort, days),
  }))
}

function heatOf(cohort: Cohort, days: Horizon): Pick<HeatCell, 'share' | 'text'> {
  const share = shareOf(cohort, days)
  const text = (
    <>
      {share === null ? 'no value' : `${(share * 100).toFixed(0)} %`}
      <small>
        {countText(cohort.churnWithin[days])} of {countText(cohort.cohortSize)}
      </small>
    </>
  )
  return { share, text }
}

/** How many signed up in each month and are still there, and how many left. */
function signupsByMonth(cohorts: readonly Cohort[]): readonly Line[] {
  return [...Map.groupBy(cohorts, ({ cohortMonth }) => cohortMonth)].map(([name, ofMonth]) => ({
    name,
    values: [
      ofMonth.reduce((sum, { stillActive }) => sum + stillActive, 0),
      ofMonth.reduce((sum, { churned }) => sum + churned, 0),
    ],
  }))
}
