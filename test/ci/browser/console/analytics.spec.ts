import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { useConsoleRoom } from './console-room.ts'

/** The five reports of a tenant, as charts with their tables. */
const room = useConsoleRoom()

type Figures = Readonly<Record<string, number | null>>
type Value = string | number | null | undefined
type Rows = readonly Readonly<Record<string, Value>>[]

interface SurveyRow {
  readonly reason: string
  readonly rawCodes: readonly string[]
  readonly count: number
  readonly pct: number
}

async function read<Body>(path: string): Promise<Body> {
  const response = await fetch(`${room.service.origin}/api/v1/${path}`, {
    headers: { authorization: `Bearer ${room.service.demoKey}` },
  })
  expect(response.status).toBe(200)
  return (await response.json()) as Body
}

/** The cells of a table, row by row, once it has as many rows. */
async function cellsOf(page: Page, name: string, rows: number): Promise<readonly (readonly string[])[]> {
  const found = page.getByRole('table', { name, exact: true }).getByRole('row')
  await expect.poll(() => found.count()).toBe(rows + 1)
  const texts: string[][] = []
  for (const row of (await found.all()).slice(1)) texts.push(await row.getByRole('cell').allInnerTexts())
  return texts
}

const pct = (value: Value) => (value === null ? 'no value' : `${String(value)} %`)
const word = (value: Value) => (value === null ? 'no value' : String(value))
const money = (value: Value) => (typeof value === 'number' ? value.toFixed(2) : 'no value')

const RANGE = 'start=2025-01-01&end=2026-06-30'

test('cancellations: the numbers of the interface, of the days in the address', async () => {
  const body = await read<{ totals: Figures; reasons: Rows; tenure: Figures & { buckets: Rows } }>(
    `cancellations?${RANGE}`,
  )
  const { page } = await room.visit(`/analytics/cancellations?${RANGE}`, room.service.demoKey)
  expect(body.reasons.length).toBeGreaterThan(1)
  expect(await cellsOf(page, 'Cancellations by reason', body.reasons.length)).toEqual(
    body.reasons.map((row) => [word(row.reason), word(row.churnType), word(row.count), pct(row.pct)]),
  )
  expect(await cellsOf(page, 'Cancellations by days since the signup', 6)).toEqual(
    body.tenure.buckets.map((row) => [word(row.label), word(row.count), pct(row.pct)]),
  )
  const { totals, tenure } = body
  expect((await page.locator('.figure').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))).toEqual([
    `Cancellations ${totals.cancellations} ${totals.unknown} of a type that is not known`,
    `Voluntary ${totals.voluntary} ${pct(totals.voluntaryPct)}`,
    `Involuntary ${totals.involuntary} ${pct(totals.involuntaryPct)}`,
    `Days until then, median ${tenure.medianDays} Mean ${tenure.averageDays}; known of ${tenure.known}, not of ${tenure.unknown}`,
  ])
  expect(await page.locator('.bar-line .bar-sum').allInnerTexts()).toEqual(
    [...body.reasons, ...body.tenure.buckets].map((row) => word(row.count)),
  )
}, 90_000)

test('survey and offers: the numbers of the interface, and no value where there is none', async () => {
  const survey = await read<{ reasons: readonly SurveyRow[]; other: Figures }>(`cancellation-survey?${RANGE}`)
  const { page } = await room.visit(`/analytics/survey?${RANGE}`, room.service.demoKey)
  expect(await cellsOf(page, 'Reasons that members gave', survey.reasons.length + 1)).toEqual([
    ...survey.reasons.map(({ reason, rawCodes, count, pct: share }) => [
      ...[word(reason), rawCodes.join(', '), word(count), pct(share)],
    ]),
    ['Other', 'no value', word(survey.other.count), pct(survey.other.pct)],
  ])
  const body = await read<{ offers: Rows; totals: Figures }>(`retention-offers?${RANGE}`)
  await page.getByRole('link', { name: 'Offers' }).click()
  expect(await cellsOf(page, 'Decisions by offer', body.offers.length)).toEqual(
    body.offers.map((row) => [
      ...[word(row.offerName), word(row.targetPlanName), money(row.targetPlanPrice), word(row.viewed)],
      ...[word(row.accepted), word(row.declined), pct(row.acceptanceRatePct)],
    ]),
  )
  expect(body.offers.some(({ targetPlanPrice }) => targetPlanPrice === null)).toBe(true)
  expect(page.url()).toContain(RANGE)
}, 90_000)

interface Cohort {
  readonly cohortMonth: string
  readonly dimensionValue: string | null
  readonly cohortSize: number
  readonly churnWithin: Readonly<Record<string, number>>
  readonly churnRatePct: number | null
}

test('cohorts: each cell of the map is of the interface, by month, plan and site', async () => {
  const { cohorts } = await read<{ cohorts: Cohort[] }>(`cohorts?${RANGE}`)
  const { page } = await room.visit(`/analytics/cohorts?${RANGE}`, room.service.demoKey)
  const map = page.getByRole('region', { name: /Share that left/ })
  await expect.poll(() => map.getByRole('row').count()).toBe(cohorts.length + 1)
  const shown = await map.locator('td').allInnerTexts()
  expect(shown.map((text) => text.replace(/\s+/g, ' '))).toEqual(
    cohorts.flatMap(({ cohortSize, churnWithin }) =>
      ['30', '60', '90', '180', '365'].map((days) => {
        const left = churnWithin[days] ?? -1
        return `${((left / cohortSize) * 100).toFixed(0)} % ${left} of ${cohortSize}`
      }),
    ),
  )
  await page.getByLabel('Months are divided by').selectOption('plan')
  await page.waitForURL(/dimension=plan/)
  const divided = await read<{ cohorts: Cohort[]; dimensionValues: string[] }>(
    `cohorts?${RANGE}&dimension=plan`,
  )
  const table = page.getByRole('table', { name: 'Cohorts', exact: true })
  await expect.poll(() => table.getAttribute('aria-rowcount')).toBe(String(divided.cohorts.length + 1))
  expect(await map.getByRole('columnheader').allInnerTexts()).toEqual([
    ...['Month', ...divided.dimensionValues],
    ...(divided.cohorts.some(({ dimensionValue }) => dimensionValue === null) ? ['Not known'] : []),
  ])
  const [first] = divided.cohorts
  expect((await table.getByRole('row').nth(1).getByRole('cell').allInnerTexts()).slice(0, 3)).toEqual([
    ...[first?.cohortMonth, word(first?.dimensionValue), word(first?.cohortSize)],
  ])
}, 90_000)

test('members: by status, with all fields of one, and all of them in a file', async () => {
  const { members } = await read<{ members: Rows }>('members?status=churned&limit=1000')
  const { page, check } = await room.visit('/analytics/members', room.service.demoKey)
  await page.getByLabel('Status').selectOption('churned')
  await page.waitForURL(/status=churned/)
  const table = page.getByRole('table', { name: 'Members' })
  const [first] = members
  await table.getByRole('button', { name: word(first?.membershipId) }).click()
  await page
    .getByRole('dialog')
    .getByText(`${String(first?.tenureDays)} days`)
    .waitFor()
  await check()
  await page.keyboard.press('Escape')
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download CSV of members' }).click()
  const chunks: Buffer[] = []
  for await (const chunk of await (await downloading).createReadStream()) chunks.push(chunk as Buffer)
  const lines = Buffer.concat(chunks).toString().split('\r\n')
  expect(lines.length).toBe(members.length + 1)
  expect(members.length).toBeGreaterThan(0)
  expect(lines[1]?.split(',')[0]).toBe(first?.membershipId)
}, 90_000)

test('days are chosen by keyboard, and the wrong order is said at its place', async () => {
  const { page, check } = await room.visit('/analytics/cancellations', room.service.demoKey)
  await page.getByLabel('First day').fill('2026-02-01')
  await page.getByLabel('Last day').fill('2026-01-01')
  await page.getByText('This day is before the first one.').waitFor()
  await check()
  await page.getByLabel('Last day').fill('2026-03-01')
  await page.getByLabel('Last day').press('Enter')
  await page.waitForURL(/start=2026-02-01&end=2026-03-01/)
  await page.getByRole('link', { name: 'Survey' }).focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(/survey\?start=2026-02-01&end=2026-03-01/)
}, 90_000)

test('what is not there is said: no report, no source, no answer, nothing in these days', async () => {
  const { page, check } = await room.visit(
    '/analytics/cancellations?start=1999-01-01&end=1999-01-02',
    room.service.demoKey,
  )
  await page.getByText('Nobody left in these days.').waitFor()
  await page.route('**/api/v1/cancellation-survey**', (route) =>
    route.fulfill({
      json: { available: false, totals: { selections: 0 }, reasons: [], other: null, source: 'exit_survey' },
    }),
  )
  await page.getByRole('link', { name: 'Survey' }).click()
  await page.getByText('The survey cannot be read now.').waitFor()
  await check()
  await page.route('**/api/v1/retention-offers**', (route) =>
    route.fulfill({ status: 403, json: { error: 'Not available to this organization.' } }),
  )
  await page.getByRole('link', { name: 'Offers' }).click()
  await page.getByText('This organization does not have this report.').waitFor()
  await check()
  await page.route('**/api/v1/cohorts**', (route) =>
    route.fulfill({ status: 429, json: { error: 'Ask again later.' } }),
  )
  await page.getByRole('link', { name: 'Cohorts' }).click()
  await page.getByRole('alert').getByText('Ask again later.').waitFor()
  await check()
  await page.unroute('**/api/v1/cohorts**')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('Nobody signed up in these months.').waitFor()
}, 90_000)

test('every report in every view', async () => {
  for (const report of ['cancellations', 'survey', 'offers', 'cohorts', 'members'])
    await room.inEveryView(`analytics-${report}`, `/analytics/${report}`, room.service.demoKey, 'Analytics')
}, 180_000)
