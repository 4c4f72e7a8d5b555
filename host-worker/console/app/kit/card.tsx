import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

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
