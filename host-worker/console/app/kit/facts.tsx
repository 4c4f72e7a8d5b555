import type { ComponentChildren } from 'preact'
import { isolated } from './isolated.tsx'
import { TheirText } from './their-text.tsx'

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
