import type { archiveFormat } from '../../../domain/operators/endpoints/organization/restores.ts'
import { parsedOr, membersOf } from '../../../domain/text/json.ts'
import { tableOfFile, type Manifest, type OrganizationFile } from '../../../domain/whole/archive/format.ts'
import { rowOfMembers } from '../../../domain/whole/archive/line.ts'
import { ArchiveProblem, readArchive } from '../../../domain/whole/archive/read-archive.ts'
import { rowCheck } from '../../../domain/whole/restore/check-rows.ts'
import { columnsOf } from '../../../domain/whole/restore/write-part.ts'
import type { AnswerTo } from '../client/service/operator-service.ts'
import { openNodeDigest, type StoredArchive } from './sources.ts'

type Tables = AnswerTo<typeof archiveFormat>['body']['tables']

/** What the check of a whole archive found. */
export interface CheckedArchive {
  readonly manifest: Manifest
  readonly organization: OrganizationFile
  /** SHA-256 of the manifest. */
  readonly digest: string
  readonly formIds: readonly string[]
  readonly rows: number
}

const FORMS = 'rows/forms.ndjson'

/**
 * Reads an archive from its beginning to its end and checks all of it. Throws an `ArchiveProblem` that says what is
 * wrong with it.
 * @param tables the tables that a service knows; null: values of rows are not checked
 */
export async function checkArchive(
  archive: StoredArchive,
  tables: Tables | null,
  onProgress: (rows: number) => void,
): Promise<CheckedArchive> {
  let checked: CheckedArchive | null = null
  let manifest: { readonly manifest: Manifest; readonly digest: string } | null = null
  const formIds: string[] = []
  let rows = 0
  for await (const piece of readArchive(archive.open(), openNodeDigest)) {
    if (piece.kind === 'manifest') manifest = { manifest: piece.manifest, digest: piece.digest }
    else if (piece.kind === 'organization' && manifest !== null)
      checked = { ...manifest, organization: piece.organization, formIds, rows }
    else if (piece.kind === 'part') {
      const fields = checked?.manifest.files.find(({ file }) => file === piece.file)?.columns ?? []
      const values = checkedLines(piece, fields, tables)
      if (piece.file === FORMS) formIds.push(...values.map((value) => String(membersOf(value).formId)))
      rows += piece.lines.length
      onProgress(rows)
    }
  }
  // The reader gives both pieces, or throws.
  if (checked === null) throw new ArchiveProblem('The archive is empty.')
  return { ...checked, rows }
}

/** The values of lines. */
function checkedLines(
  { file, lines }: { readonly file: string; readonly lines: readonly string[] },
  fields: readonly string[],
  tables: Tables | null,
): readonly unknown[] {
  const table = tables?.find(({ name }) => name === tableOfFile(file))
  // A service that does not know the file refuses the manifest, with a better sentence.
  const columns = table === undefined ? null : columnsOf(table, fields)
  // The service compares with its own time.
  const check = rowCheck(table?.name ?? '', fields, Infinity)
  return lines.map((line) => {
    const value = parsedOr(line, undefined)
    if (value === undefined) throw new ArchiveProblem(`${file} has a line that is no JSON.`)
    const reading = columns === null ? null : rowOfMembers(value, columns)
    if (reading === null) return value
    const problem = 'problem' in reading ? reading.problem : check(reading.row)
    if (problem !== null) throw new ArchiveProblem(`A line of ${file} ${problem}.`)
    return value
  })
}
