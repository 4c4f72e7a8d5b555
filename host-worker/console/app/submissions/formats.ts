/** The formats of a file of submissions, as those of the operator's command. */
export const formats = ['csv', 'ndjson'] as const
export type Format = (typeof formats)[number]
