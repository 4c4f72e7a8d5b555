/** The limits of hosted SQLite, in D1 and in Durable Objects, as the platform's manual has them. */

/** The maximum size of one value, in bytes. */
export const VALUE_MAX_BYTES = 2_000_000

/** How many parameters a statement may have. */
export const PARAMETERS_MAX = 100

/** How many arguments a function may have. */
export const ARGUMENTS_MAX = 32
