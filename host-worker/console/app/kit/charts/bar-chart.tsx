import { scaleBand, scaleLinear } from 'd3-scale'
import { useId } from 'preact/hooks'
import { countText } from '../text.ts'

/** A bar with its name. */
export interface Bar {
  readonly name: string
  readonly value: number
}

const WIDTH = 720
const HEIGHT = 180
const FOOT = 24
const HEAD = 20
const NAMES_MAX = 8

/** Bars over names, such as days. The same numbers are in a table for whoever cannot see them. */
export function BarChart({
  title,
  unit,
  bars,
}: {
  readonly title: string
  readonly unit: string
  readonly bars: readonly Bar[]
}) {
  const id = useId()
  const most = Math.max(1, ...bars.map(({ value }) => value))
  const across = scaleBand(
    bars.map(({ name }) => name),
    [0, WIDTH],
  ).padding(0.25)
  const up = scaleLinear([0, most], [HEIGHT - FOOT, HEAD])
  const every = Math.ceil(bars.length / NAMES_MAX)
  return (
    <figure class="chart" aria-labelledby={id}>
      <figcaption id={id} class="visually-hidden">
        {title}
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
        <line class="axis" x1={0} x2={WIDTH} y1={HEIGHT - FOOT} y2={HEIGHT - FOOT} />
        <text class="tick" x={0} y={12}>
          {countText(most)}
        </text>
        <line class="grid" x1={0} x2={WIDTH} y1={HEAD} y2={HEAD} />
        {bars.map(({ name, value }, index) => (
          <g key={name}>
            <rect
              class="bar"
              x={across(name)}
              width={across.bandwidth()}
              y={up(value)}
              height={HEIGHT - FOOT - up(value)}
              rx={3}
            >
              <title>{`${name}: ${countText(value)} ${unit}`}</title>
            </rect>
            {index % every === 0 && (
              <text
                class="tick"
                x={(across(name) ?? 0) + across.bandwidth() / 2}
                y={HEIGHT - 6}
                text-anchor="middle"
              >
                {name}
              </text>
            )}
          </g>
        ))}
      </svg>
      <div class="visually-hidden">
        <table>
          <caption>{title}</caption>
          <tbody>
            {bars.map(({ name, value }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{`${countText(value)} ${unit}`}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  )
}
