import { useState } from 'preact/hooks'
import { Redirect, Route, Switch, useLocation } from 'wouter-preact'
import { Button, calls, saveRows, toast } from '../kit/buttons.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { SelectField } from '../kit/fields.tsx'
import { Card, Empty, Facts, FailureNote, PageHeader, Tabs } from '../kit/page.tsx'
import { PagedTable } from '../kit/table.tsx'
import type { Client } from '../service/client.ts'
import { useAction, useList } from '../service/hooks.ts'
import type { BodyOf } from '../service/operations.ts'
import { CancellationSurvey, Cancellations, RetentionOffers } from './cancellations.tsx'
import { Cohorts } from './cohorts.tsx'
import {
  NotHad,
  RangeForm,
  STATUSES,
  figureText,
  isNotHad,
  moneyText,
  searchOf,
  useChoices,
  wordText,
  type Choices,
} from './report.tsx'

const reports = [
  { path: '/analytics/cancellations', title: 'Cancellations', Report: Cancellations },
  { path: '/analytics/survey', title: 'Survey', Report: CancellationSurvey },
  { path: '/analytics/offers', title: 'Offers', Report: RetentionOffers },
  { path: '/analytics/cohorts', title: 'Cohorts', Report: Cohorts },
  { path: '/analytics/members', title: 'Members', Report: Members },
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
        {reports.map(({ path, Report }) => (
          <Route key={path} path={path} component={Report} />
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
