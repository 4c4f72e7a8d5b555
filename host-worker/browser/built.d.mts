/** The built browser client. */
export const source: string
/** A hash of the source. */
export const hash: string
