import * as v from 'valibot'
import { described } from '../record/meaning.ts'
import { jurisdictions, placeKinds, regions, type PlaceDescription } from '../placement/operators/overview.ts'
import { ARCHIVE_FORMAT, ARCHIVE_VERSION } from './tar.ts'
import type {
  ArchivePosition,
  ArchivedColumn,
  ArchivedTable,
  Restoration,
  OrganizationStore,
} from '../../ports/organization-store.ts'
import type { StoredValue } from '../../ports/placement.ts'
import { archivedValueProblem } from '../limits/json.ts'
import { membersOf, parsedOr } from '../text/encoding.ts'

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
function fileOfTable(table: string): string {
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
const ORIGINS_MAX = 50

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

/** What an archive of an organization will contain, besides rows. */
export interface ArchiveHead {
  readonly organization: OrganizationFile
  readonly secrets: boolean
  /** The files with rows, in the order in which they are archived, with the columns of each. */
  readonly files: readonly { readonly file: string; readonly columns: readonly string[] }[]
}

/** Lines of a file: a row in each, every one ended by a line feed. */
export interface ArchiveLines {
  readonly lines: string
  readonly rows: number
  /** Null: these were the last. */
  readonly next: ArchivePosition | null
}

/** An organization to archive: in this process, or behind the operator interface. */
export interface ArchiveSource {
  head(): Promise<ArchiveHead>
  /** The organization's part of the head, read anew. */
  organization(): Promise<OrganizationFile>
  lines(file: string, after: ArchivePosition | null): Promise<ArchiveLines>
}

type Row = readonly StoredValue[]

/** The values of a row as an archive has them, by their fields. */
export function membersOfRow(
  row: Row,
  columns: readonly ArchivedColumn[],
  withSecrets: boolean,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    columns.map((column, index) => [column.field, archivedValue(row[index] ?? null, column, withSecrets)]),
  )
}

function archivedValue(
  value: StoredValue,
  { holds, isSecret }: ArchivedColumn,
  withSecrets: boolean,
): unknown {
  if (value === null) return null
  if (isSecret && !withSecrets) return WITHHELD
  if (holds === 'truth') return value === 1
  return holds === 'document' ? archivedDocument(String(value)) : value
}

/**
 * A JSON document as a part of the line. Where that would not give the same text back, it is the text itself, and so is
 * every document that is not an object or a list.
 */
function archivedDocument(text: string): unknown {
  const value = parsedOr(text, undefined)
  return typeof value === 'object' && value !== null && JSON.stringify(value) === text ? value : text
}

/** A row of an archive, or what is wrong with it. */
type ReadRow = { readonly row: Row } | { readonly problem: string }

/** Reads an object of an archive as the row of a table, with values for these columns and no others. */
export function rowOfMembers(value: unknown, columns: readonly ArchivedColumn[]): ReadRow {
  const members = membersOf(value)
  const unknown = Object.keys(members).find((name) => !columns.some(({ field }) => field === name))
  if (unknown !== undefined) return { problem: `has a field ${unknown} that the manifest does not name` }
  const row: StoredValue[] = []
  for (const column of columns) {
    const given = members[column.field]
    const unstorable = archivedValueProblem(given)
    if (unstorable !== null) return { problem: `has a value for ${column.field} that ${unstorable}` }
    const stored = storedValue(given, column)
    if (stored === undefined) return { problem: `has no valid value for ${column.field}` }
    row.push(stored)
  }
  return { row }
}

/** The stored form of a value; undefined: the column cannot hold it. */
function storedValue(value: unknown, { type, holds, isNullable }: ArchivedColumn): StoredValue | undefined {
  if (value === null) return isNullable ? null : undefined
  if (holds === 'truth') return typeof value === 'boolean' ? Number(value) : undefined
  if (holds === 'document') {
    if (typeof value === 'object') return JSON.stringify(value)
    if (typeof value !== 'string') return undefined
    const document = parsedOr(value, undefined)
    return document === undefined || archivedValueProblem(document) !== null ? undefined : value
  }
  if (type === 'text') return typeof value === 'string' ? value : undefined
  if (typeof value !== 'number') return undefined
  return type === 'real' || Number.isSafeInteger(value) ? value : undefined
}

/** An organization that is read from its own store, to be archived. */
export interface LocalOrganization {
  readonly organizationId: string
  readonly store: OrganizationStore
  readonly withSecrets: boolean
}

/** The head of an organization's archive; null: there is no organization. */
export async function readHead(
  { organizationId, store, withSecrets }: LocalOrganization,
  { place, region, jurisdiction }: PlaceDescription,
): Promise<ArchiveHead | null> {
  const tables = await store.tables()
  const columns = tables.find(({ name }) => name === ORGANIZATIONS)?.columns ?? []
  const [row] = (await store.read(ORGANIZATIONS, null)).rows
  if (row === undefined) return null
  const origins = originsOf(organizationId, await store.restoration())
  return {
    organization: {
      organizationId,
      place,
      region,
      jurisdiction,
      row: membersOfRow(row, columns, withSecrets),
      ...(origins.length === 0 ? {} : { origins }),
    },
    secrets: withSecrets,
    files: archivedWith(tables, withSecrets).map(({ name, columns: of }) => ({
      file: fileOfTable(name),
      columns: of.map(({ field }) => field),
    })),
  }
}

/** The other organizations from whose archives an organization was restored. */
function originsOf(organizationId: string, restoration: Restoration | null): string[] {
  const progress = v.safeParse(v.object({ lineage: Lineage }), parsedOr(restoration?.progress ?? '', null))
  const lineage = progress.success ? progress.output.lineage : []
  return [...new Set(lineage)].filter((id) => id !== organizationId).slice(0, ORIGINS_MAX)
}

/** The tables with files of their own. */
function archivedWith(tables: readonly ArchivedTable[], withSecrets: boolean): readonly ArchivedTable[] {
  return tables.filter((table) => isArchivedWith(table, withSecrets))
}

function isArchivedWith({ name, isSecret }: ArchivedTable, withSecrets: boolean): boolean {
  return name !== ORGANIZATIONS && (withSecrets || !isSecret)
}

/** Lines of a file. Null: archives have no such file. */
export async function readLines(
  { store, withSecrets }: LocalOrganization,
  file: string,
  after: ArchiveLines['next'],
): Promise<ArchiveLines | null> {
  const table = await store.table(tableOfFile(file) ?? '')
  if (table === null || !isArchivedWith(table, withSecrets)) return null
  const { rows, next } = await store.read(table.name, after)
  const lines = rows.map((row) => `${JSON.stringify(membersOfRow(row, table.columns, withSecrets))}\n`)
  return { lines: lines.join(''), rows: rows.length, next }
}

/**
 * The source for an archive of an organization in this process.
 * @param placeOf finds where it lives; null: it does not exist
 */
export function openLocalSource(
  local: LocalOrganization,
  placeOf: () => Promise<PlaceDescription | null>,
): ArchiveSource {
  const head = async () => {
    const place = await placeOf()
    const found = place === null ? null : await readHead(local, place)
    if (found === null) throw new Error(`There is no organization ${local.organizationId}`)
    return found
  }
  return {
    head,
    organization: async () => (await head()).organization,
    async lines(file, after) {
      const lines = await readLines(local, file, after)
      // The file is one that the head named.
      if (lines === null) throw new Error(`Archives have no file ${file}`)
      return lines
    },
  }
}

/** The columns of the fields that an archive has, in its order. */
export function columnsOf(table: ArchivedTable, fields: readonly string[]): readonly ArchivedColumn[] {
  return fields.flatMap((field) => table.columns.find((column) => column.field === field) ?? [])
}
