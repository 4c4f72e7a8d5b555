import type { ComponentChildren } from 'preact'
import { countText } from './text.tsx'

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
  return (
    <div class="heat" role="region" aria-label={title} tabIndex={0}>
      <table>
        <caption>{title}</caption>
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
  )
}

/** The darkest cell, in percent of the accent colour: text on it keeps a contrast of 4.5 in both themes. */
const HEAT_MAX = 45
