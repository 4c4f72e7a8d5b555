import type { ImportFormat } from '../../../ports/import-sessions.ts'

/** How a file is probably written, by its name. */
export function formatOfName(name: string): ImportFormat {
  return /\.(csv|tsv)$/i.test(name) ? 'csv' : 'ndjson'
}
