import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { TheirText, isolated } from './text.tsx'

/** A titled part of a page. */
export function Card({
  title,
  actions,
  children,
}: {
  readonly title: string
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}) {
  const id = useId()
  return (
    <section class="card" aria-labelledby={id}>
      <header class="card-head">
        <h2 id={id}>{title}</h2>
        {actions}
      </header>
      {children}
    </section>
  )
}

/** A number with what it counts, and a remark. */
export function Figure({
  label,
  value,
  children,
}: {
  readonly label: string
  readonly value: string
  readonly children?: ComponentChildren
}) {
  return (
    <div class="figure">
      <p class="figure-label">{label}</p>
      <p class="figure-value">{value}</p>
      {children !== undefined && <div class="soft">{children}</div>}
    </div>
  )
}

/** Names with their values. Null shows that there is no value. */
export function Facts({
  facts,
}: {
  readonly facts: readonly (readonly [name: string, value: ComponentChildren])[]
}) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>
            <TheirText text={name} />
          </dt>
          <dd>{value === null || value === '' ? <span class="soft">none</span> : isolated(value)}</dd>
        </div>
      ))}
    </dl>
  )
}

export type Tone = 'good' | 'bad' | 'waiting' | 'neutral'

/** A state in a word. The colour says nothing that the word does not. */
export function Badge({
  tone = 'neutral',
  children,
}: {
  readonly tone?: Tone
  readonly children: ComponentChildren
}) {
  return <span class={`badge ${tone}`}>{children}</span>
}

interface ProgressProps {
  /** What is making progress. */
  readonly label: string
  /** How much is done, from 0 to `most`; null: nobody knows. */
  readonly done: number | null
  readonly most: number
}

/** A bar that shows how far something is. */
export function ProgressBar({ label, done, most }: ProgressProps) {
  return <progress aria-label={label} {...(done === null || most === 0 ? {} : { value: done, max: most })} />
}
