import type { ComponentChildren } from 'preact'

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
