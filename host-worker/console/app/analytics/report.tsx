import type { ComponentChildren } from 'preact'
import { useEffect, useId, useState } from 'preact/hooks'
import { useLocation, useSearch } from 'wouter-preact'
import { searchText } from '../../../../domain/text/http.ts'
import { Button, CsvButton, TextField } from '../kit/controls.tsx'
import { Card, Empty, NO_VALUE, Shown, countText } from '../kit/page.tsx'
import { Table, type Column } from '../kit/table.tsx'
import { type Failure } from '../service/client.ts'
import type { Reading } from '../service/hooks.ts'

interface ReportProps<Data> {
  readonly title: string
  readonly reading: Reading<Data>
  /** What can be saved as a sheet: the name of its file, and its rows. */
  readonly sheet: string
  readonly rowsOf: (data: Data) => readonly Readonly<Record<string, unknown>>[]
  readonly children: (data: Data) => ComponentChildren
}

/** A report with its states. That an organization does not have it is no failure. */
export function Report<Data>({ title, reading, sheet, rowsOf, children }: ReportProps<Data>) {
  if (reading.state === 'failed' && isNotHad(reading.failure))
    return <NotHad title={title} failure={reading.failure} />
  const save = reading.state === 'ready' && <CsvButton name={sheet} rows={rowsOf(reading.data)} />
  return (
    <Card title={title} actions={save}>
      <Shown reading={reading} lines={6}>
        {children}
      </Shown>
    </Card>
  )
}

interface ListingProps<Row> {
  readonly title: string
  /** What the parts of a bar count, and a bar for each row. */
  readonly series: readonly string[]
  readonly lineOf: (row: Row) => Line
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string
}

/** Rows as bars, and as a table with the same numbers. */
export function Listing<Row>({ title, series, lineOf, ...table }: ListingProps<Row>) {
  return (
    <>
      <BarList title={title} series={series} lines={table.rows.map(lineOf)} />
      <Table label={title} {...table} />
    </>
  )
}

/** Whether the organization lacks what a report needs. */
export function isNotHad({ status }: Failure): boolean {
  return status === 403
}

/** In place of a report that an organization does not have. */
export function NotHad({ title, failure }: { readonly title: string; readonly failure: Failure }) {
  return (
    <Card title={title}>
      <Empty title="This organization does not have this report.">{failure.message}</Empty>
    </Card>
  )
}

/** A number of a report, with its unit. */
export function figureText(value: number | null | undefined, unit = ''): ComponentChildren {
  return value === null || value === undefined ? NO_VALUE : countText(value) + (unit === '' ? '' : ` ${unit}`)
}

/** A sum of money in units of the currency, which the reports do not name. */
export function moneyText(amount: number | null | undefined): ComponentChildren {
  return amount === null || amount === undefined ? NO_VALUE : amount.toFixed(2)
}

/** A text of a report. It keeps its direction to itself. */
export function wordText(text: string | null): ComponentChildren {
  return text === null || text === '' ? NO_VALUE : <bdi>{text}</bdi>
}

/** A column of numbers. */
export function numbers<Row>(
  title: string,
  valueOf: (row: Row) => number | null,
  unit?: string,
): Column<Row> {
  return { title, align: 'end', cell: (row) => figureText(valueOf(row), unit) }
}

/** The days of all reports. */
export function RangeForm() {
  const [choices, choose] = useChoices()
  const [start, setStart] = useState(choices.start)
  const [end, setEnd] = useState(choices.end)
  useEffect(() => {
    setStart(choices.start)
    setEnd(choices.end)
  }, [choices.start, choices.end])
  const isReversed = start !== '' && end !== '' && end < start
  return (
    <form
      class="card filters"
      aria-label="Days"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isReversed) choose({ start, end })
      }}
    >
      <TextField
        label="First day"
        hint="Days are those of UTC."
        type="date"
        value={start}
        onValue={setStart}
      />
      <TextField
        label="Last day"
        hint="It is included."
        type="date"
        value={end}
        onValue={setEnd}
        error={isReversed ? 'This day is before the first one.' : null}
      />
      <div class="buttons">
        <Button type="submit" kind="primary">
          Show
        </Button>
        <Button
          onClick={() => {
            setStart('')
            setEnd('')
            choose({ start: '', end: '' })
          }}
        >
          All days
        </Button>
      </div>
    </form>
  )
}

/** What is chosen on the page of the analytics, as the address has it. */
export interface Choices {
  /** Days, both included; empty: no bound. */
  readonly start: string
  readonly end: string
  /** What tells cohorts apart, and which members are listed. */
  readonly dimension: Dimension
  readonly status: Status
}

export const DIMENSIONS = ['none', 'plan', 'site'] as const
export const STATUSES = ['all', 'active', 'churned'] as const
type Dimension = (typeof DIMENSIONS)[number]
type Status = (typeof STATUSES)[number]

/** The choices in the query of the address. What it does not have, or nothing that one can choose, is the default. */
function choicesIn(search: string): Choices {
  const given = new URLSearchParams(search)
  const chosen = <Choice extends string>(name: string, choices: readonly [Choice, ...Choice[]]): Choice =>
    choices.find((choice) => choice === given.get(name)) ?? choices[0]
  return {
    ...{ start: given.get('start') ?? '', end: given.get('end') ?? '' },
    ...{ dimension: chosen('dimension', DIMENSIONS), status: chosen('status', STATUSES) },
  }
}

/** The query of an address for choices, without the defaults. */
export function searchOf({ start, end, dimension, status }: Choices): string {
  return searchText({
    ...{ start, end },
    ...{ dimension: dimension === 'none' ? '' : dimension, status: status === 'all' ? '' : status },
  })
}

/** The choices of the address, and how to make others. */
export function useChoices(): readonly [Choices, (next: Partial<Choices>) => void] {
  const choices = choicesIn(useSearch())
  const [location, navigate] = useLocation()
  return [
    choices,
    (next) => {
      navigate(location + searchOf({ ...choices, ...next }))
    },
  ]
}

/** A bar with its name, made of one part for each series. */
export interface Line {
  readonly name: string
  readonly values: readonly number[]
}

interface BarListProps {
  readonly title: string
  /** What the parts of a bar count, in their order. */
  readonly series: readonly string[]
  readonly lines: readonly Line[]
}

const LINES_MAX = 60

/**
 * Bars below each other, which have room for names of any length on any screen. Only for a place beside a table with the
 * same numbers: a screen reader is read that one alone.
 */
export function BarList({ title, series, lines }: BarListProps) {
  const most = Math.max(1, ...lines.map(({ values }) => sumOf(values)))
  const shown = lines.slice(0, LINES_MAX)
  return (
    <figure class="bar-list" aria-hidden="true">
      <figcaption>
        {title}
        {series.length > 1 && <Legend series={series} />}
      </figcaption>
      {shown.map(({ name, values }, position) => (
        <div class="bar-line" key={position}>
          <bdi>{name}</bdi>
          <span class="bar-track">
            {values.map((value, index) => (
              <span
                key={series[index]}
                class={`bar-part series-${index}`}
                title={`${countText(value)} ${series[index] ?? ''}`}
                style={{ width: `${(Math.max(0, value) / most) * 100}%` }}
              />
            ))}
            <span class="bar-sum">{values.map(countText).join(' / ')}</span>
          </span>
        </div>
      ))}
      {shown.length < lines.length && <Left count={lines.length - shown.length} />}
    </figure>
  )
}

function Legend({ series }: { readonly series: readonly string[] }): ComponentChildren {
  return (
    <span class="legend">
      {series.map((name, index) => (
        <span key={name}>
          <span class={`swatch series-${index}`} /> {name}
        </span>
      ))}
    </span>
  )
}

function Left({ count }: { readonly count: number }) {
  return <p class="soft">The table has {countText(count)} more.</p>
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}

/** A cell: its place by two names, how dark it is (0 to 1; null: it has no value), and its text. */
export interface HeatCell {
  readonly row: string
  readonly column: string
  readonly share: number | null
  readonly text: ComponentChildren
}

interface HeatMapProps {
  readonly title: string
  /** What the rows are, such as “Month”. */
  readonly corner: string
  readonly cells: readonly HeatCell[]
}

/** A table whose cells are the darker the larger their share. What does not fit is scrolled to, by keyboard too. */
export function HeatMap({ title, corner, cells }: HeatMapProps) {
  const columns = [...new Set(cells.map(({ column }) => column))]
  const rows = Map.groupBy(cells, ({ row }) => row)
  const most = Math.max(0, ...cells.map(({ share }) => share ?? 0))
  const id = useId()
  return (
    <figure class="heat-map">
      {/* Outside of what is scrolled, so that it is never cut. */}
      <figcaption id={id}>{title}</figcaption>
      <div class="heat" role="region" aria-labelledby={id} tabIndex={0}>
        <table aria-labelledby={id}>
          <thead>
            <tr>
              <th scope="col">{corner}</th>
              {columns.map((column) => (
                <th key={column} scope="col">
                  <bdi>{column}</bdi>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {[...rows].map(([row, ofRow]) => (
              <tr key={row}>
                <th scope="row">
                  <bdi>{row}</bdi>
                </th>
                {columns.map((column) => {
                  const cell = ofRow.find((one) => one.column === column)
                  const heat = most === 0 ? 0 : (cell?.share ?? 0) / most
                  return (
                    <td key={column} style={{ '--heat': `${Math.round(heat * HEAT_MAX)}%` }}>
                      {cell?.text ?? <span class="soft">–</span>}
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  )
}

/** The darkest cell, in percent of the accent colour: text on it keeps a contrast of 4.5 in both themes. */
const HEAT_MAX = 45
