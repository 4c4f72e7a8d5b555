/** The built browser client. */
export const source: string
/** Changes with the source. */
export const hash: string
