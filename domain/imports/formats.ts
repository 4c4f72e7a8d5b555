import type { ImportFormat } from '../../ports/import-sessions.ts'

/** How an imported file may be written. */
export const importFormats = ['ndjson', 'csv'] as const satisfies readonly ImportFormat[]
