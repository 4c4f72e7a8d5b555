import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Finding } from '../../../../../../domain/forms/editing/findings.ts'
import type { FormPath } from '../../../../../../domain/forms/definition/problem.ts'
import { sentencesOf } from '../../../../../../domain/forms/definition/problem.ts'
import type { Change, Editing } from '../state/editing.ts'

/** What the parts of the editor share. */
export interface EditorContent {
  readonly editing: Editing
  readonly change: (change: Change) => void
  readonly findings: readonly Finding[]
}

export const EditorContext = createContext<EditorContent | null>(null)

/** The form that is being edited, for components within the editor. */
export function useEditor(): EditorContent {
  const content = useContext(EditorContext)
  if (content === null) throw new Error('Nothing is being edited')
  return content
}

/** What there is to say at a control. */
export interface Said {
  /** What is wrong; null: nothing. */
  readonly error: string | null
  /** What may not be meant; empty: nothing. */
  readonly warning: string
}

/** Whether a path leads into a part of the form, or to it. */
export function isWithin(path: FormPath, part: FormPath): boolean {
  return part.every((key, index) => path[index] === key)
}

/**
 * What there is to say about a part of the form.
 * @param isDeep whether also about what is within it
 */
export function saidAt(findings: readonly Finding[], part: FormPath, isDeep = false): Said {
  const here = findings.filter(({ path }) => isWithin(path, part) && (isDeep || path.length === part.length))
  const wrong = sentencesOf(here.filter(({ kind }) => kind !== 'warning'))
  const doubtful = sentencesOf(here.filter(({ kind }) => kind === 'warning'))
  return { error: wrong.length === 0 ? null : wrong.join(' '), warning: doubtful.join(' ') }
}

/** What there is to say at the control of a part of the form. */
export function useSaid(part: FormPath, isDeep = false): Said {
  return saidAt(useEditor().findings, part, isDeep)
}
