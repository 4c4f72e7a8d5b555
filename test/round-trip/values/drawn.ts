/** A value of an import line, and what the API must show for it. */
export interface Drawn {
  /** Undefined: the line leaves it out. */
  readonly given: unknown
  /** Undefined: the answer leaves it out. */
  readonly shown: unknown
}

export type JsonObject = Readonly<Record<string, unknown>>

export const same = (value: unknown): Drawn => ({ given: value, shown: value })
