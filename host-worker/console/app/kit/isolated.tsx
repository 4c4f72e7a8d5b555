import type { ComponentChildren } from 'preact'
import { TheirText } from './their-text.tsx'

/** What is shown of a value. A text keeps its marks of direction to itself, so that they turn nothing around it. */
export function isolated(shown: ComponentChildren): ComponentChildren {
  return typeof shown === 'string' && shown !== '' ? <TheirText text={shown} /> : shown
}
