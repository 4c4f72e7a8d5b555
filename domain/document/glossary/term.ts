/** The meaning of a published name, and an example of its value. Without an example, one is derived from the schema. */
export type Term = readonly [meaning: string, example?: unknown]

/**
 * Terms by property name. Where a property has another meaning or example, its name is preceded by the names of the
 * objects around it and of the schema (`history.notes`, `Case.history.notes`).
 */
export type Terms = Readonly<Record<string, Term>>
