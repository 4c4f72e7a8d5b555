import type { ImportProblem, RepeatedKey, StagedKeys, ImportSessions } from '../../ports/import-sessions.ts'
import type { StoredRow, TenantWriter } from '../../ports/records.ts'
import type { ImportContext } from '../record/field.ts'
import type { Entry } from './file/lines.ts'
import type { ImportKind, ImportRecord, Reference, LineReading, ImportTools } from './kinds.ts'
import type { ImportIssue, Resource } from '../record/resource.ts'
import { OWNER_FIELD } from './file/header.ts'
import { storabilityProblems } from '../limits/json.ts'
import { fnv1a } from '../text/encoding.ts'
import { echoed } from '../limits/limits.ts'
import { reads } from '../resources/index.ts'
import type { ReadEndpoint } from '../record/endpoint.ts'
import { tenantApi } from '../tenant-api.ts'
import type { Clock, RandomSource } from '../../ports/platform.ts'
import type { Organization } from '../../ports/organizations.ts'
import type { PosWriter } from '../../ports/sources.ts'
import { phoneToE164 } from '../text/phone-number.ts'

/** The look-ups of stored data that the check needs. */
export type Lookup = Pick<TenantWriter, 'foreignIds' | 'findMany'>

/** The ports that the imports of one organization need. */
export interface ImportWorld {
  readonly organization: Organization
  readonly sessions: ImportSessions
  readonly lookup: Lookup
  readonly tools: ImportTools
  readonly clock: Clock
  readonly random: RandomSource
  /** Called only for kinds that are stored at a point of sale. */
  readonly pos: () => PosDestination
}

/**
 * The writer for an organization's rows of a point of sale, or a sentence that says why they cannot be imported here.
 */
export type PosDestination = { readonly writer: PosWriter } | { readonly refusal: string }

/** The settings of an organization on which reading its imports depends. */
export function importContext({
  organizationId,
  phoneCountry,
}: Pick<Organization, 'organizationId' | 'phoneCountry'>): ImportContext {
  return { organizationId, phoneCountry, toE164: (text) => phoneToE164(text, phoneCountry) }
}

/** The result of checking the lines of a part. */
interface CheckedPart {
  /**
   * The problems in the order of the lines. Repeated keys are not among them, because only the whole file shows those.
   */
  readonly problems: readonly ImportProblem[]
  /** The rows of the lines without problems. */
  readonly rows: readonly StoredRow[]
  readonly keys: readonly KeyedLine[]
}

interface NumberedRecord {
  readonly line: number
  readonly record: ImportRecord
}

/** Checks the lines of a part, each by itself and against what is stored. */
export async function checkPart(
  entries: readonly Entry[],
  kind: ImportKind,
  context: ImportContext,
  lookup: Lookup,
): Promise<CheckedPart> {
  const problems: ImportProblem[] = []
  const records: NumberedRecord[] = []
  const rows: StoredRow[] = []
  const keys: KeyedLine[] = []
  for (const entry of entries) {
    if ('issue' in entry) {
      problems.push({ line: entry.line, ...entry.issue })
      continue
    }
    const { line } = entry
    const record = withTrimmedIds(entry.record, kind)
    records.push({ line, record })
    const reading = checkLine(record, kind, context)
    if ('row' in reading) rows.push(reading.row)
    else for (const issue of reading.issues) problems.push({ line, ...issue })
    // Keys are stored. In a line that does not fit, a secret may stand where the key is expected.
    const isKeyed = 'row' in reading || kind.secretField === null
    const keyed = isKeyed ? keyedLine(line, record, kind) : null
    if (keyed !== null) keys.push(keyed)
  }
  problems.push(...(await foreignIds(records, kind, lookup)), ...(await dangling(records, kind, lookup)))
  return { problems: problems.sort((left, right) => left.line - right.line), rows, keys }
}

/**
 * The line with the ids trimmed by which it is told from others and refers to them, as its row has them, so that ` a `
 * and `a` are one id even in a line that cannot be read.
 */
function withTrimmedIds(record: ImportRecord, { key, references }: ImportKind): ImportRecord {
  const ids = [...key, ...references.map(({ field }) => field)].flatMap((field) => {
    const id = record[field]
    return typeof id === 'string' ? [[field, id.trim()] as const] : []
  })
  return { ...record, ...Object.fromEntries(ids) }
}

async function foreignIds(
  records: readonly NumberedRecord[],
  kind: ImportKind,
  lookup: Lookup,
): Promise<readonly ImportProblem[]> {
  if (!kind.serviceWideIds) return []
  const keyed = records.map(({ line, record }) => ({ line, key: keyOf(record, kind) }))
  return foreignProblems(
    keyed.filter(({ key }) => key !== ''),
    kind,
    lookup,
  )
}

/** The problems of lines whose id is unique in the whole service and belongs to another organization. */
export async function foreignProblems(
  keys: readonly KeyedLine[],
  { collection, keyField }: ImportKind,
  lookup: Lookup,
): Promise<readonly ImportProblem[]> {
  const ids = keys.map(({ key }) => key)
  const foreign = new Set(await lookup.foreignIds(collection, ids))
  return keys
    .filter(({ key }) => foreign.has(key))
    .map(({ line }) => ({ line, field: keyField, message: 'belongs to another organization' }))
}

async function dangling(
  records: readonly NumberedRecord[],
  kind: ImportKind,
  lookup: Lookup,
): Promise<readonly ImportProblem[]> {
  const found: ImportProblem[] = []
  for (const reference of kind.references) found.push(...(await danglingBy(reference, records, lookup)))
  return found
}

async function danglingBy(
  { field, collection, idField }: Reference,
  records: readonly NumberedRecord[],
  lookup: Lookup,
): Promise<readonly ImportProblem[]> {
  const referring = records.filter(({ record }) => typeof record[field] === 'string')
  const ids = new Set(referring.map(({ record }) => String(record[field])))
  const rows = ids.size === 0 ? [] : await lookup.findMany(collection, [idField], [...ids])
  const stored = new Set(rows.map((row) => row[idField]))
  return referring
    .filter(({ record }) => !stored.has(record[field]))
    .map(({ line }) => ({
      line,
      field,
      message: `names none of the ${collection} stored for this organization`,
    }))
}

/** Reads one line: its row, or every problem that the line shows by itself. No problem shows a secret of the line. */
function checkLine(record: ImportRecord, kind: ImportKind, context: ImportContext): LineReading<StoredRow> {
  const reading = readLine(record, kind, context)
  if ('row' in reading) return reading
  const hidden = reading.issues.map((issue) => conceal(issue, record, kind))
  return { issues: hidden.map(({ field, message }) => ({ field: echoed(field), message })) }
}

function readLine(record: ImportRecord, kind: ImportKind, context: ImportContext): LineReading<StoredRow> {
  const unstorable = storabilityProblems(record).map(({ path, message }) => ({ field: path, message }))
  const unusable = [...fieldIssues(record, kind, context), ...unstorable]
  const wrong = new Set(unusable.map(({ field }) => field))
  // What is wrong with a field already is not judged again.
  const known = Object.fromEntries(Object.entries(record).filter(([field]) => kind.problemOf(field) === null))
  const reading = kind.read(known, context)
  const others = 'issues' in reading ? reading.issues.filter(({ field }) => !wrong.has(field)) : []
  const found = [...unusable, ...others]
  const issues = found.some(({ field }) => field === kind.keyField)
    ? found
    : [...found, ...reservedIssues(record, kind)]
  return issues.length > 0 ? { issues } : reading
}

function reservedIssues(record: ImportRecord, kind: ImportKind): readonly ImportIssue[] {
  if (!isReservedId(kind.collection, kind.keyField, keyOf(record, kind))) return []
  const message =
    'is reserved: the path of a route has another meaning with this word in the place of the id. Choose another id'
  return [{ field: kind.keyField, message }]
}

function fieldIssues(
  record: ImportRecord,
  kind: ImportKind,
  { organizationId }: ImportContext,
): readonly ImportIssue[] {
  const issues: ImportIssue[] = []
  for (const field of Object.keys(record)) {
    const message =
      field === OWNER_FIELD ? ownerProblem(record[field], organizationId) : kind.problemOf(field)
    if (message !== null) issues.push({ field, message })
  }
  return issues
}

function ownerProblem(given: unknown, organizationId: string): string | null {
  return typeof given === 'string' && given.trim() === organizationId
    ? null
    : `must be ${organizationId}, the organization into which the file is imported`
}

/** The values that identify a line among those of its kind; empty when the line lacks them. */
function keyOf(record: ImportRecord, kind: ImportKind): string {
  const key = record[kind.keyField]
  return typeof key === 'string' ? key : ''
}

/** The key of a line, with the line's number. */
interface KeyedLine {
  readonly key: string
  readonly line: number
}

/** The key of a line; null when the line lacks a part of it, which is reported as a problem of the line. */
function keyedLine(line: number, record: ImportRecord, { key }: ImportKind): KeyedLine | null {
  const parts = key.map((field) => record[field])
  const [only] = parts
  if (!parts.every((part) => typeof part === 'string' && part !== '')) return null
  return { line, key: parts.length === 1 ? String(only) : JSON.stringify(parts) }
}

/** Distributes the keys of a part over the buckets. */
export function inBuckets(lines: readonly KeyedLine[], buckets: number): readonly StagedKeys[] {
  const staged = new Map<number, { readonly keys: string[]; readonly lines: number[] }>()
  for (const { key, line } of lines) {
    const bucket = fnv1a(key) % buckets
    const known = staged.get(bucket) ?? { keys: [], lines: [] }
    known.keys.push(key)
    known.lines.push(line)
    staged.set(bucket, known)
  }
  return [...staged].map(([bucket, held]) => ({ bucket, ...held }))
}

/** The problems of lines that repeat the key of an earlier line. */
export function repetitionProblems(
  repeated: readonly RepeatedKey[],
  { keyField }: ImportKind,
): readonly ImportProblem[] {
  return repeated.flatMap(({ lines: [first, ...others] }) =>
    others.map((line) => ({ line, field: keyField, message: `is the same as in line ${first}` })),
  )
}

const HIDDEN = '(hidden)'

/** A shorter value is only concealed where it stands alone, because it could occur in any text by chance. */
const SECRET_MIN_LENGTH = 4

/** A problem of a line with the secret value removed. Problems quote the line's keys, and a key can be any text. */
function conceal({ field, message }: ImportIssue, record: ImportRecord, kind: ImportKind): ImportIssue {
  const value = kind.secretField === null ? null : record[kind.secretField]
  if (typeof value !== 'string' && typeof value !== 'number') return { field, message }
  const secret = String(value)
  if (secret.length < SECRET_MIN_LENGTH) return { field: field === secret ? HIDDEN : field, message }
  return { field: field.replaceAll(secret, HIDDEN), message: message.replaceAll(secret, HIDDEN) }
}

/** A place in a path at which the id of a row of a collection follows a prefix. */
interface Place {
  /** The collection and the field of the id, as `nameOf` joins them. */
  readonly id: string
  readonly prefix: string
}

const places = reads.flatMap(placesOf)
const reserved = new Map(
  places.map(({ id, prefix }) => {
    const own = places.filter((place) => place.id === id).map((place) => place.prefix)
    return [id, new Set([...own, prefix].flatMap(literalsBehind))] as const
  }),
)

/** Segments that every program resolves before it sends a path, however they are encoded. */
const DIRECTIONS = ['.', '..']

/**
 * Whether a collection may not have a row with this id in this field, because no request could name it: a voucher
 * `redemptions` could not be retrieved, because `/vouchers/redemptions` is another route, nor a voucher `..`, because
 * `/vouchers/..` is sent as `/`.
 */
export function isReservedId(collection: string, field: string, id: string): boolean {
  const words = reserved.get(nameOf(collection, field))
  return words !== undefined && (words.has(id) || DIRECTIONS.includes(id))
}

function placesOf(endpoint: ReadEndpoint): readonly Place[] {
  const parent =
    endpoint.parent === null ? [] : [placeOf(endpoint.path, endpoint.parent.param, endpoint.parent.resource)]
  return endpoint.kind === 'detail'
    ? [...parent, placeOf(endpoint.path, endpoint.param, endpoint.resource)]
    : parent
}

function placeOf(path: string, param: string, { collection, idField }: Resource): Place {
  return { id: nameOf(collection, idField), prefix: path.slice(0, path.indexOf(`{${param}}`)) }
}

function nameOf(collection: string, field: string): string {
  return `${collection} ${field}`
}

function literalsBehind(prefix: string): readonly string[] {
  return tenantApi.routes
    .filter(({ path }) => path.startsWith(prefix))
    .map(({ path }) => path.slice(prefix.length).split('/')[0] ?? '')
    .filter((segment) => segment !== '' && !segment.startsWith('{'))
}
