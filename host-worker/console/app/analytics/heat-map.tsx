import { scaleBand, scaleLinear } from 'd3-scale'

interface Cell {
  readonly column: string
  readonly line: string
  readonly pct: number
}

const WIDTH = 720
const LINE = 28
const SIDE = 110
const FOOT = 24
const NAMES_MAX = 8

/** Shares over two names, the darker the larger. The table beside it has the numbers. */
export function HeatMap({ cells }: { readonly cells: readonly Cell[] }) {
  const columns = [...new Set(cells.map(({ column }) => column))]
  const lines = [...new Set(cells.map(({ line }) => line))]
  const height = lines.length * LINE + FOOT
  const across = scaleBand(columns, [SIDE, WIDTH]).padding(0.06)
  const down = scaleBand(lines, [0, height - FOOT]).padding(0.06)
  const shade = scaleLinear([0, Math.max(1, ...cells.map(({ pct }) => pct))], [0.06, 1])
  const every = Math.ceil(columns.length / NAMES_MAX)
  return (
    <div class="chart">
      <svg viewBox={`0 0 ${WIDTH} ${height}`} aria-hidden="true">
        {lines.map((line) => (
          <text key={line} class="tick" x={0} y={(down(line) ?? 0) + LINE / 2 + 4}>
            {line.length > 16 ? `${line.slice(0, 15)}…` : line}
          </text>
        ))}
        {cells.map(({ column, line, pct }) => (
          <rect
            key={`${column} ${line}`}
            class="bar"
            x={across(column)}
            y={down(line)}
            width={across.bandwidth()}
            height={down.bandwidth()}
            fill-opacity={shade(pct)}
          >
            <title>{`${column}, ${line}: ${pct.toFixed(1)} % left`}</title>
          </rect>
        ))}
        {columns.map((column, index) =>
          index % every === 0 ? (
            <text key={column} class="tick" x={across(column)} y={height - 6}>
              {column}
            </text>
          ) : null,
        )}
      </svg>
    </div>
  )
}
