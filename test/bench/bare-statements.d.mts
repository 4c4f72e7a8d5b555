export const LIST: string
export const DETAIL: string
export const INSERT: string
