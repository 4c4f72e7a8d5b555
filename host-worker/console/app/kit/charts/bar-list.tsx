import type { ComponentChildren } from 'preact'
import { countText } from '../text.ts'

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
