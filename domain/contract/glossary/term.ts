/** What a published name means, and a value it may have. Without a value, one follows from the schema. */
export type Term = readonly [meaning: string, example?: unknown]

/**
 * Terms by property name, or by `Schema.property` (with the names of the objects in between, as in
 * `Case.history.notes`) where the name means something else or has another value there.
 */
export type Terms = Readonly<Record<string, Term>>
