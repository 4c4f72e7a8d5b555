/** Names the organization whose object the bare worker on objects asks. */
export const ORGANIZATION_HEADER: string
export const LIST: string
export const DETAIL: string
export const INSERT: string
