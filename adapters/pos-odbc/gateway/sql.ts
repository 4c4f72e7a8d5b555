/** A value that is bound to a statement. Times and decimals travel as text, so that no driver rounds or shifts them. */
export type BoundValue = string | number | null

/** Part of a statement with the values of its placeholders, in order. */
export interface Fragment {
  readonly text: string
  readonly values: readonly BoundValue[]
}

/**
 * Assembles a statement from fragments. The types accept only fragments in the gaps: a value becomes a fragment through
 * `bound`, as a placeholder, so nothing that a request carries can become part of a statement's text.
 */
export function sql(texts: TemplateStringsArray, ...parts: readonly Fragment[]): Fragment {
  const text = texts.reduce((before, after, index) => `${before}${parts[index - 1]?.text ?? ''}${after}`)
  return { text, values: parts.flatMap(({ values }) => values) }
}

/** Constant text of this program, such as a table's name. */
export function raw(text: string): Fragment {
  return { text, values: [] }
}

/** A placeholder for a value. `write` wraps it as the dialect requires. */
export function bound(value: BoundValue, write: (placeholder: string) => string = (mark) => mark): Fragment {
  return { text: write('?'), values: [value] }
}

/** The fragments with a separator between them. */
export function join(fragments: readonly Fragment[], separator: string): Fragment {
  return {
    text: fragments.map(({ text }) => text).join(separator),
    values: fragments.flatMap(({ values }) => values),
  }
}
