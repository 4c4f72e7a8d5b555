import type { ComponentChildren } from 'preact'

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
