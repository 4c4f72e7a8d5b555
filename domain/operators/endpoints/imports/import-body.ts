import * as v from 'valibot'
import type { ImportSession } from '../../../../ports/import-sessions.ts'
import { importFormats, FILE_MAX_BYTES, PART_BYTES } from '../../../imports/file/transfer.ts'
import { importKindNames } from '../../../imports/kinds.ts'
import { component, described } from '../../../record/meaning.ts'

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const instant = v.pipe(v.string(), v.isoTimestamp())

const Mapping = v.record(v.string(), v.string('must be the name of a field, or empty'))
const MAPPING =
  'For CSV: the fields of columns whose names do not say it, by the names of the columns. Empty: the column is left out.'

const Problem = v.strictObject({
  line: described(v.pipe(v.number(), v.integer()), 'The line of the file, counted from 1.'),
  field: described(v.string(), 'The field, as a dotted path; `(line)` for the line as a whole.'),
  message: described(v.string(), 'What is wrong with it.'),
})

const problems = described(
  v.array(Problem),
  'What is wrong with the file, in the order of the lines. With any, nothing of it is written. The list is cut.',
)

export const PublishedImport = v.strictObject({
  importId: described(v.string(), 'Names the import.'),
  kind: described(v.string(), 'What the rows are.'),
  format: described(v.picklist(importFormats), 'How the file is written.'),
  state: described(
    v.picklist(['receiving', 'writing', 'done', 'checked', 'refused', 'aborted']),
    '`receiving`: parts are awaited, and nothing was written. `writing`: it was decided that every row is written, and that is not taken back. `done`: they are. `checked`: a dry run found nothing wrong; nothing was written. `refused`: `problems` says why; nothing was written. `aborted`: it was given up; nothing was written.',
  ),
  dryRun: described(v.boolean(), 'Whether the file is only checked. Nothing of it is ever written.'),
  mapping: described(Mapping, MAPPING),
  totalBytes: described(count, 'The size of the file.'),
  receivedBytes: described(count, 'How much of it has come.'),
  nextPart: described(count, 'The number of the part that is awaited.'),
  partBytes: described(count, 'The size that parts should have.'),
  readRows: described(count, 'Rows that were read and checked.'),
  skippedRows: described(count, 'Rows of a CSV file that were skipped because all their cells are empty.'),
  writtenRows: described(count, 'Rows that were written.'),
  changedRows: described(count, 'Written rows that are new, or that replaced different content.'),
  problems,
  warnings: described(
    v.array(v.string()),
    'What you should know although nothing is wrong with the file, as sentences. The list is cut.',
  ),
  openedAt: described(instant, 'When it was opened.'),
  touchedAt: described(instant, 'When something last happened to it.'),
})

export const ImportBody = component('Import', described(PublishedImport, 'The import of one file.'))

export const RefusedBody = component(
  'RefusedImport',
  described(v.strictObject({ error: v.string(), problems }), 'Why a file was not imported.'),
)

/** SHA-256 in base64url. */
const DIGEST_LENGTH = 43
const DIGEST = new RegExp(`^[\\w-]{${DIGEST_LENGTH}}$`)

export const OpenedFile = v.strictObject({
  kind: described(v.picklist(importKindNames), 'What the rows are.'),
  format: described(v.picklist(importFormats), 'How the file is written.'),
  totalBytes: described(
    v.pipe(
      v.number('must be a whole number'),
      v.safeInteger('must be a whole number'),
      v.minValue(0, 'must not be negative'),
      v.maxValue(FILE_MAX_BYTES, `must be at most ${FILE_MAX_BYTES}: cut the file`),
    ),
    'The size of the file.',
  ),
  digest: described(
    v.pipe(
      v.string('must be a string'),
      v.regex(DIGEST, `must be a SHA-256 in base64url, ${DIGEST_LENGTH} characters`),
    ),
    'SHA-256, in base64url, of the SHA-256 digests of all parts, one behind the other (32 bytes each).',
  ),
  dryRun: v.exactOptional(
    described(
      v.boolean('must be true or false'),
      'Only check the file, by all rules, and never write anything of it. Commit it as any other.',
    ),
  ),
  mapping: v.exactOptional(described(Mapping, MAPPING)),
})

export const sampleImport: v.InferOutput<typeof PublishedImport> = {
  importId: 'imp_3kTzB0n9QmVx1aYe5RcL0d',
  kind: 'contacts',
  format: 'ndjson',
  state: 'receiving',
  dryRun: false,
  mapping: {},
  totalBytes: 1_048_576,
  receivedBytes: 524_288,
  nextPart: 3,
  partBytes: PART_BYTES,
  readRows: 1_834,
  skippedRows: 0,
  writtenRows: 0,
  changedRows: 0,
  problems: [],
  warnings: [],
  openedAt: '2026-03-01T14:05:06.123Z',
  touchedAt: '2026-03-01T14:05:07.456Z',
}

/** An import in its published form. */
export function published(session: ImportSession): v.InferOutput<typeof PublishedImport> {
  const { importId, kind, format, state, isDryRun, mapping, totalBytes, receivedBytes, nextPart } = session
  const {
    readRows,
    skippedRows,
    writtenRows,
    changedRows,
    problems: found,
    warnings,
    openedAt,
    touchedAt,
  } = session
  return {
    ...{ importId, kind, format, state, dryRun: isDryRun, mapping: { ...mapping } },
    ...{ totalBytes, receivedBytes, nextPart, partBytes: PART_BYTES },
    ...{
      readRows,
      skippedRows,
      writtenRows,
      changedRows,
      problems: [...found],
      warnings: [...warnings],
      openedAt,
      touchedAt,
    },
  }
}
