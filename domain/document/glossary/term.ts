/** What a published name means, and a value it may have. Without a value, one follows from the schema. */
export type Term = readonly [meaning: string, example?: unknown]

/**
 * Terms by property name, or with the names of the objects around it and of the schema in front (`history.notes`,
 * `Case.history.notes`) where it means something else or has another value there.
 */
export type Terms = Readonly<Record<string, Term>>
