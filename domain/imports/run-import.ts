import type { Organization } from '../../ports/organization.ts'
import type { TenantWriter } from '../../ports/tenant-writer.ts'
import type { ImportContext } from '../record/field.ts'
import { importContext } from './context.ts'
import type { Chunk } from './chunks.ts'
import { chunksOf } from './chunks.ts'
import { createChunkCheck } from './check-chunk.ts'
import { readCsv } from './csv.ts'
import type { ImportProblem } from './entry.ts'
import type { ImportKind } from './kind.ts'
import { linesOf } from './lines.ts'
import { readNdjson } from './ndjson.ts'
import { toRows } from './to-rows.ts'

export type ImportFormat = 'ndjson' | 'csv'

/** Where the bytes of an import come from. Each `open` reads them from the start. */
export interface ImportSource {
  open(): AsyncIterable<Uint8Array>
}

/** Where rows go, and what the check of a file looks up. Opened for one organization. */
export type ImportWriter = Pick<TenantWriter, 'upsert' | 'foreignIds' | 'findMany'>

export interface ImportRequest {
  readonly kind: ImportKind
  readonly format: ImportFormat
  readonly source: ImportSource
  readonly organization: Organization
  readonly writer: ImportWriter
  /** Called after every chunk with the number of rows that the current pass has processed. */
  readonly onProgress: (pass: 'checking' | 'writing', rows: number) => void
}

export type ImportOutcome =
  | { readonly kind: 'imported'; readonly read: number; readonly changed: number; readonly unchanged: number }
  /** Nothing was written. At `problemsMax` problems the check ends, so there may be more. */
  | { readonly kind: 'invalid'; readonly problems: readonly ImportProblem[] }
  /** The file changed after the check; `written` rows of it were imported before the change was noticed. */
  | { readonly kind: 'file_changed'; readonly written: number }

/** Most problems that are collected before the check gives up. */
export const problemsMax = 20

/**
 * Imports a file in two passes: the first checks every line and writes nothing, the second writes. What is written was
 * checked: a chunk that differs from the one that the first pass saw ends the import. Memory is bounded by the size of
 * a chunk, except for the ids seen so far. They are kept in order to refuse an id that occurs twice: otherwise the two
 * rows would replace each other on every import, and importing a file again would change rows. Throws what the store
 * and the source throw.
 */
export async function runImport(request: ImportRequest): Promise<ImportOutcome> {
  const context = importContext(request.organization)
  const { problems, digests } = await checkFile(request, context)
  if (problems.length > 0) return { kind: 'invalid', problems }
  return writeFile(request, context, digests)
}

async function checkFile(
  request: ImportRequest,
  context: ImportContext,
): Promise<{ readonly problems: readonly ImportProblem[]; readonly digests: readonly string[] }> {
  const check = createChunkCheck(request, context)
  const problems: ImportProblem[] = []
  const digests: string[] = []
  let rows = 0
  for await (const chunk of chunks(request)) {
    problems.push(...(await check(chunk.entries)))
    if (problems.length >= problemsMax) return { problems: problems.slice(0, problemsMax), digests }
    digests.push(chunk.digest)
    rows += chunk.entries.length
    request.onProgress('checking', rows)
  }
  return { problems, digests }
}

async function writeFile(
  request: ImportRequest,
  context: ImportContext,
  digests: readonly string[],
): Promise<ImportOutcome> {
  let read = 0
  let changed = 0
  let index = 0
  for await (const chunk of chunks(request)) {
    if (digests[index] !== chunk.digest) return { kind: 'file_changed', written: read }
    const rows = await toRows(request, context, chunk.entries)
    changed += (await request.writer.upsert(request.kind.collection, rows)).changed
    read += rows.length
    index += 1
    request.onProgress('writing', read)
  }
  if (index !== digests.length) return { kind: 'file_changed', written: read }
  return { kind: 'imported', read, changed, unchanged: read - changed }
}

function chunks({ source, format, kind }: ImportRequest): AsyncGenerator<Chunk> {
  const lines = linesOf(source.open())
  return chunksOf(format === 'csv' ? readCsv(lines, kind) : readNdjson(lines))
}
