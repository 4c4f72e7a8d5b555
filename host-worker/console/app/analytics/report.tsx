import type { ComponentChildren } from 'preact'
import { Card } from '../kit/card.tsx'
import { NO_VALUE } from '../kit/no-value.tsx'
import { Empty, Shown } from '../kit/states.tsx'
import type { Column } from '../kit/table/table.tsx'
import { countText } from '../kit/text.ts'
import type { Failure } from '../service/failure.ts'
import type { Reading } from '../service/use-query.ts'

interface ReportProps<Data> {
  readonly title: string
  readonly reading: Reading<Data>
  readonly actions?: ComponentChildren
  readonly children: (data: Data) => ComponentChildren
}

/** A report with its states. That an organization does not have it is no failure. */
export function Report<Data>({ title, reading, actions, children }: ReportProps<Data>) {
  if (reading.state === 'failed' && isNotHad(reading.failure))
    return <NotHad title={title} failure={reading.failure} />
  return (
    <Card title={title} actions={actions}>
      <Shown reading={reading} lines={6}>
        {children}
      </Shown>
    </Card>
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
