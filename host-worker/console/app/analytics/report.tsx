import type { ComponentChildren } from 'preact'
import { Card } from '../kit/card.tsx'
import { Empty, Shown } from '../kit/states.tsx'
import type { Reading } from '../service/use-query.ts'

/** Days, both included; empty: no bound. */
export interface Range {
  readonly start: string
  readonly end: string
}

interface ReportProps<Data> {
  readonly title: string
  readonly reading: Reading<Data>
  readonly actions?: ComponentChildren
  readonly children: (data: Data) => ComponentChildren
}

/** A report with its states. That an organization does not have it is no failure. */
export function Report<Data>({ title, reading, actions, children }: ReportProps<Data>) {
  const isRefused = reading.state === 'failed' && reading.failure.kind === 'refused'
  return (
    <Card title={title} actions={actions}>
      {isRefused ? (
        <Empty title="This organization does not have this report.">{reading.failure.message}</Empty>
      ) : (
        <Shown reading={reading} lines={6}>
          {children}
        </Shown>
      )}
    </Card>
  )
}

/** A percentage; what has none is left empty. */
export function percentText(pct: number | null): string {
  return pct === null ? '' : `${pct} %`
}
