/** A change of a piece of a text. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** One small mistake: what kind it is, and the edits that make it. */
export interface Change {
  readonly kind: string
  readonly edits: readonly Edit[]
}

/** A change of one file, which the tests should notice. */
export interface Mutant extends Change {
  /** The path of the file, relative to the project's root. */
  readonly file: string
  readonly line: number
  /** The changed lines before and after, on one line each. */
  readonly before: string
  readonly after: string
}

/** The text with all edits made. Edits do not overlap. */
export function edited(text: string, edits: readonly Edit[]): string {
  const fromTheEnd = edits.toSorted((left, right) => right.start - left.start)
  return fromTheEnd.reduce(
    (done, { start, end, text: put }) => done.slice(0, start) + put + done.slice(end),
    text,
  )
}

/** The mutant that a change makes of a file. */
export function mutantOf(file: string, text: string, change: Change): Mutant {
  const start = Math.min(...change.edits.map((edit) => edit.start))
  const end = Math.max(...change.edits.map((edit) => edit.end))
  const from = text.lastIndexOf('\n', start - 1) + 1
  const newline = text.indexOf('\n', end)
  const to = newline === -1 ? text.length : newline
  const lines = text.slice(from, to)
  const moved = change.edits.map((edit) => ({ ...edit, start: edit.start - from, end: edit.end - from }))
  return {
    ...change,
    file,
    line: text.slice(0, start).split('\n').length,
    before: onOneLine(lines),
    after: onOneLine(edited(lines, moved)),
  }
}

function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** What names a mutant in every version of its file that still contains the changed lines. */
export function nameOf({
  file,
  kind,
  before,
  after,
}: Pick<Mutant, 'file' | 'kind' | 'before' | 'after'>): string {
  return JSON.stringify([file, kind, before, after])
}
