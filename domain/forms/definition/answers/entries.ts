/** A number of a JSON body that cannot be kept as it was written there. `JSON.parse` would round it silently. */
export class InexactNumber {
  /** As it was written. */
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/**
 * The keys of a request body with their values: from JSON one value each, with its JSON type, or an `InexactNumber`;
 * from a form all repetitions, as text.
 */
export type Entries = ReadonlyMap<string, readonly unknown[]>

/** A request body that was understood. */
export interface SubmittedBody {
  /** The format of the body. Form encodings only know text, and repeat a name for a list; JSON has types and lists. */
  readonly format: 'json' | 'form'
  readonly entries: Entries
}

/** Why a body was not understood: it is malformed, or of a kind that is not accepted. */
export interface BodyProblem {
  readonly kind: 'malformed' | 'unsupported'
  /** A sentence for people. */
  readonly message: string
  /** Whether only the page that sent it can be mended: whoever filled it in can do nothing. */
  readonly isOfPage?: true
}

/** The problem of a body that is not UTF-8. */
export const notUtf8: BodyProblem = {
  kind: 'malformed',
  message:
    'This was sent in another encoding than UTF-8. A page that is not in UTF-8 needs accept-charset="utf-8" on its form.',
  isOfPage: true,
}

/** Groups pairs by name; the order of names and of values is kept. */
export function groupEntries(pairs: Iterable<readonly [string, unknown]>): Entries {
  const entries = new Map<string, unknown[]>()
  for (const [name, value] of pairs) {
    const values = entries.get(name)
    if (values === undefined) entries.set(name, [value])
    else values.push(value)
  }
  return entries
}
