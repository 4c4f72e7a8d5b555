import type { ComponentChildren } from 'preact'

/** What is shown of a value. A text keeps its marks of direction to itself, so that they turn nothing around it. */
export function isolated(shown: ComponentChildren): ComponentChildren {
  return typeof shown === 'string' && shown !== '' ? <bdi>{shown}</bdi> : shown
}
