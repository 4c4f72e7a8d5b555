import * as v from 'valibot'
import { described } from '../../record/meaning.ts'
import { jurisdictions, placeKinds, regions } from '../../placement/operators/choices.ts'
import { ARCHIVE_FORMAT, ARCHIVE_VERSION } from './names.ts'

/** The table whose only row is the file `organization.json`. */
export const ORGANIZATIONS = 'organizations'

/** The limits of an archive, which are checked before anything of it is kept in memory. */
export const MANIFEST_BYTES_MAX = 1_000_000
export const ORGANIZATION_BYTES_MAX = 100_000
/** A row is at most 2 MB, and its text in JSON at most six times as long. */
export const LINE_BYTES_MAX = 16_000_000
const FILES_MAX = 500

/** The value that stands for a secret in an archive without secrets. It proves nothing. */
export const WITHHELD = 'withheld'

/** The name of a table's file: the rows of `form_submissions` are in `rows/form-submissions.ndjson`. */
export function fileOfTable(table: string): string {
  return `rows/${table.replaceAll('_', '-')}.ndjson`
}

/**
 * Files of earlier versions that hold nothing but copies, each with the table whose rows hold the same. They are read and
 * not stored.
 */
export const copyFiles: Readonly<Partial<Record<string, string>>> = {
  'rows/links-tags.ndjson': 'links',
  'rows/products-site-ids.ndjson': 'products',
}

const FILE = /^rows\/([a-z][a-z0-9]*(?:-[a-z0-9]+)*)\.ndjson$/

/** The table of a file; null: no table has such a file. */
export function tableOfFile(file: string): string | null {
  return FILE.exec(file)?.[1]?.replaceAll('-', '_') ?? null
}

/** Most origins that an archive names. */
export const ORIGINS_MAX = 50

/**
 * The organizations of which an archive is, as its restoration records them: the one that was archived, and its origins.
 * Empty: a version of the service that did not record them began the restoration.
 */
export const Lineage = v.optional(v.array(v.string()), [])

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))

const digested = {
  bytes: described(count, 'Its size.'),
  sha256: described(v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)), 'Its SHA-256, in hexadecimal digits.'),
}

const column = v.pipe(v.string(), v.maxLength(100))

export const ArchivedFile = v.strictObject({
  file: described(v.pipe(v.string(), v.regex(FILE)), 'Its name.'),
  columns: described(v.pipe(v.array(column), v.maxLength(200)), 'What each of its lines has, in order.'),
  rows: described(count, 'How many lines it has.'),
  ...digested,
})
export type ArchivedFile = v.InferOutput<typeof ArchivedFile>

export const Manifest = v.strictObject({
  format: described(v.literal(ARCHIVE_FORMAT), 'The name of the format.'),
  version: described(v.literal(ARCHIVE_VERSION), 'The version of the format.'),
  organizationId: v.string(),
  secrets: described(v.boolean(), 'Whether keys and the hashes of form passwords are in it.'),
  organization: described(v.strictObject(digested), 'The file `organization.json`.'),
  files: described(
    v.pipe(v.array(ArchivedFile), v.maxLength(FILES_MAX)),
    'The files with rows, in their order.',
  ),
})
export type Manifest = v.InferOutput<typeof Manifest>

/** The content of `organization.json`: the organization's row, and where it lived. */
export const OrganizationFile = v.strictObject({
  organizationId: v.string(),
  place: described(v.picklist(placeKinds), 'Whether it lived in the shared database or in one of its own.'),
  region: described(v.nullable(v.picklist(regions)), 'Where its database was asked to be; null: anywhere.'),
  jurisdiction: described(
    v.nullable(v.picklist(jurisdictions)),
    'Where its database had to stay; null: anywhere.',
  ),
  row: described(v.record(v.string(), v.unknown()), 'Its settings, and its clock.'),
  origins: v.exactOptional(
    described(
      v.pipe(v.array(v.pipe(v.string(), v.minLength(1), v.maxLength(200))), v.maxLength(ORIGINS_MAX)),
      'The other organizations from whose archives it was restored, so that whom they erased stays erased; left out: none.',
    ),
  ),
})
export type OrganizationFile = v.InferOutput<typeof OrganizationFile>
