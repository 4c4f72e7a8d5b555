import type { ComponentChildren } from 'preact'
import type { Failure } from '../service/failure.ts'
import type { Reading } from '../service/use-query.ts'
import { Button } from './button.tsx'

/** Says why something was not read or done, and offers to try again. */
export function FailureNote({
  failure,
  onRetry,
}: {
  readonly failure: Failure
  readonly onRetry?: () => void
}) {
  return (
    <div class={`note ${failure.kind === 'offline' ? 'offline' : 'failed'}`} role="alert">
      <p>
        {failure.kind === 'offline' && <strong>Offline. </strong>}
        {failure.message}
      </p>
      {onRetry !== undefined && <Button onClick={onRetry}>Try again</Button>}
    </div>
  )
}

/** What is shown where there is nothing: what would be here, and what to do. */
export function Empty({
  title,
  children,
}: {
  readonly title: string
  readonly children?: ComponentChildren
}) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children !== undefined && <div class="soft">{children}</div>}
    </div>
  )
}

/** The place of something that is being read. */
export function Loading({ lines = 3 }: { readonly lines?: number }) {
  return (
    <div class="loading">
      <p class="visually-hidden" role="status">
        Loading…
      </p>
      {Array.from({ length: lines }, (_, index) => (
        <div key={index} class="bone" aria-hidden="true" />
      ))}
    </div>
  )
}

interface ShownProps<Data> {
  readonly reading: Reading<Data>
  /** How many lines high its place is while it is loading. */
  readonly lines?: number
  readonly children: (data: Data) => ComponentChildren
}

/** Shows what was read, and its states before and instead of that. */
export function Shown<Data>({ reading, lines = 3, children }: ShownProps<Data>) {
  if (reading.state === 'loading') return <Loading lines={lines} />
  if (reading.state === 'failed') return <FailureNote failure={reading.failure} onRetry={reading.reload} />
  return (
    <>
      {reading.failure !== null && <FailureNote failure={reading.failure} onRetry={reading.reload} />}
      {children(reading.data)}
    </>
  )
}
