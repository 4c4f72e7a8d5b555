/** The header that names the organization whose object the bare worker on objects calls. */
export const ORGANIZATION_HEADER: string
export const LIST: string
export const DETAIL: string
export const INSERT: string
