import type {
  ImportFormat,
  ImportSession,
  MatchedRows,
  MatchKeys,
  Matches,
  Matching,
  Touch,
} from '../../ports/import-sessions.ts'
import type { StoredRow } from '../../ports/records.ts'
import { echoed, attributeBounds } from '../limits/limits.ts'
import { storedFields, type ImportIssue } from '../record/resource.ts'
import { contacts } from '../resources/contacts.ts'
import { ATTRIBUTE } from './file/header.ts'
import type { ImportContext, StorageType } from '../record/field.ts'

// A list of contacts as people have it. A row without an id is of the contact that has its email, else its phone, as a
// submission finds it; else it is a new one. That is decided when the row is written, in the order of the file, so rows
// of one file that name the same contact are merged. A CSV file is such a list also when all of its rows have ids. NDJSON
// whose rows have ids comes from programs: each of them says all of its contact, and clears what it does not name.

type Reading = { readonly row: StoredRow } | { readonly issues: readonly ImportIssue[] }

/** What of an import kind is another for contacts. */
interface ContactParts {
  readonly typeOf: (field: string) => StorageType | null
  readonly problemOf: (field: string) => string | null
  readonly read: (record: StoredRow, context: ImportContext) => Reading
  readonly matching: ((rows: readonly StoredRow[], format: ImportFormat) => Matching) | null
}

/** The import of contacts, which may leave the id out and name single attributes. */
export function contactKind<Kind extends ContactParts>(plain: Kind): Kind & ContactParts {
  return {
    ...plain,
    typeOf: (name) => (name.startsWith(ATTRIBUTE) ? 'text' : plain.typeOf(name)),
    problemOf: (name) => (name.startsWith(ATTRIBUTE) ? nameProblem(name) : plain.problemOf(name)),
    read: (record, context) => {
      const attributes = attributesOf(record)
      const fields = Object.entries(record).filter(([name]) => !name.startsWith(ATTRIBUTE))
      if (!isBlank(record.contactId))
        return withAttributes(plain.read(Object.fromEntries(fields), context), attributes)
      const given = fields.filter(([, value]) => !isBlank(value))
      const named = Object.fromEntries(given)
      const reading = plain.read({ ...named, contactId: NOBODY }, context)
      if (named.email !== undefined || named.phone !== undefined)
        return withAttributes(
          'row' in reading ? { row: { ...reading.row, contactId: null } } : reading,
          attributes,
        )
      return { issues: [UNKNOWN, ...('issues' in reading ? reading.issues : []), ...attributes.issues] }
    },
    matching: (rows, format) => {
      if (rows.some(({ contactId }) => contactId === null)) return 2
      if (format === 'csv') return 1
      return rows.some((row) => Object.keys(row).some((name) => name.startsWith(ATTRIBUTE))) ? 1 : 0
    },
  }
}

/** Stands for the id of a row that has none, while its other fields are read. */
const NOBODY = 'nobody'

const UNKNOWN: ImportIssue = {
  field: contacts.idField,
  message:
    'is missing, and so are email and phone: the row would come anew with each import. Give one of the three',
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
}

function nameProblem(column: string): string | null {
  const { length } = column.slice(ATTRIBUTE.length)
  if (length >= 1 && length <= attributeBounds.nameLength) return null
  return `must name an attribute by 1 to ${attributeBounds.nameLength} characters, not ${length}`
}

/** The attributes that a record names one by one, and what is wrong with them. Blank ones count as not named. */
function attributesOf(record: StoredRow): {
  readonly row: StoredRow
  readonly issues: readonly ImportIssue[]
} {
  const named = Object.entries(record).filter(
    ([name, value]) => name.startsWith(ATTRIBUTE) && !isBlank(value),
  )
  const { most, valueLength } = attributeBounds
  const issues = named.flatMap(([field, value]): ImportIssue[] => {
    if (typeof value !== 'string') return [{ field, message: 'must be a text' }]
    if (value.length <= valueLength) return []
    return [{ field, message: `must have at most ${valueLength} characters, not ${value.length}` }]
  })
  if (named.length > most)
    issues.push({ field: 'attributes', message: `must be at most ${most}, not ${named.length}` })
  return { row: Object.fromEntries(named), issues }
}

function withAttributes(reading: Reading, { row, issues }: ReturnType<typeof attributesOf>): Reading {
  if ('issues' in reading) return { issues: [...reading.issues, ...issues] }
  return issues.length > 0 ? { issues } : { row: { ...reading.row, ...row } }
}

/** Whether rows of a file leave what they do not name, so that several may be of one contact. */
export function isList({ matching, format }: Pick<ImportSession, 'matching' | 'format'>): boolean {
  return matching === 2 || (matching === 1 && format === 'csv')
}

/** What may find the contacts of these rows. One that has an id is found by nothing else. */
export function matchKeysOf(rows: readonly StoredRow[]): MatchKeys {
  const valuesOf = (field: string, some = rows) => [
    ...new Set(some.flatMap((row) => (typeof row[field] === 'string' ? [row[field]] : []))),
  ]
  const nameless = rows.filter(({ contactId }) => typeof contactId !== 'string')
  return {
    ids: valuesOf('contactId'),
    emails: valuesOf('emailKey', nameless),
    phones: valuesOf('phone', nameless),
  }
}

/** The stored fields of a contact but its id, and whether a null in a row leaves what is stored. */
const fields = storedFields(contacts).flatMap(([name, entry]) =>
  entry.origin === 'assigned' || name === contacts.idField || name === 'attributes'
    ? []
    : [{ name, isKept: 'default' in entry }],
)

/** A contact while the rows of a chunk are gone through. */
interface Person {
  readonly contactId: string
  readonly stored: StoredRow | null
  /** The contact as the rows so far leave it. */
  row: StoredRow
  /** The rows that are of the contact, by their places in the chunk. */
  readonly given: Map<number, StoredRow>
}

/** The contacts that rows may be of, in the state in which the rows before leave them. */
class People {
  readonly #byId = new Map<string, Person>()
  readonly #byEmail = new Map<unknown, Set<Person>>()
  readonly #byPhone = new Map<unknown, Set<Person>>()

  add(contactId: string, stored: StoredRow | null): Person {
    const person: Person = { contactId, stored, row: {}, given: new Map() }
    this.#byId.set(contactId, person)
    this.change(person, stored ?? { contactId })
    return person
  }

  change(person: Person, row: StoredRow): void {
    moved(this.#byEmail, person, person.row.emailKey, row.emailKey)
    moved(this.#byPhone, person, person.row.phone, row.phone)
    person.row = row
  }

  /** Whom a row names: by id, else the oldest with its email, else the oldest with its phone and no other email. */
  find({ contactId, emailKey, phone }: StoredRow): Person | undefined {
    if (typeof contactId === 'string') return this.#byId.get(contactId)
    return (
      oldest(this.#byEmail.get(emailKey)) ??
      oldest(this.#byPhone.get(phone), ({ row }) => isNone(row.emailKey) || isNone(emailKey))
    )
  }

  /**
   * Takes out whom earlier rows of the chunk have made under an id of the import, and whom this row gives another id, and
   * returns those rows. A contact that an earlier chunk has made is stored, may be known to others, and stays.
   */
  take(row: StoredRow, own: string): ReadonlyMap<number, StoredRow> {
    const made = typeof row.contactId === 'string' ? this.find({ ...row, contactId: null }) : undefined
    if (made === undefined || made.stored !== null || !made.contactId.startsWith(own)) return new Map()
    this.#byId.delete(made.contactId)
    this.change(made, {})
    return made.given
  }

  met(): readonly Person[] {
    return [...this.#byId.values()].filter(({ given }) => given.size > 0)
  }
}

function isNone(value: unknown): boolean {
  return value === null || value === undefined
}

function moved(index: Map<unknown, Set<Person>>, person: Person, from: unknown, to: unknown): void {
  if (from === to) return
  if (!isNone(from)) index.get(from)?.delete(person)
  if (isNone(to)) return
  const there = index.get(to) ?? new Set()
  index.set(to, there.add(person))
}

function oldest(some: ReadonlySet<Person> | undefined, fits: (person: Person) => boolean = () => true) {
  let found: Person | undefined
  for (const person of some ?? [])
    if (fits(person) && (found === undefined || isOlder(person, found))) found = person
  return found
}

/** Whoever has no time of creation yet is created now. */
function isOlder(one: Person, than: Person): boolean {
  const [left = '~', right = '~'] = [one, than].map(({ row: { createdAt } }) =>
    typeof createdAt === 'string' ? createdAt : undefined,
  )
  return left === right ? one.contactId < than.contactId : left < right
}

/**
 * Contacts as the rows of a step leave them, one row after the other.
 * @param keys of these rows, by which the contacts were found
 */
export function matchRows(
  session: ImportSession,
  { rows, place }: { readonly rows: readonly StoredRow[]; readonly place: number },
  found: Matches,
  keys: MatchKeys,
): MatchedRows {
  const people = new People()
  for (const stored of found.contacts) people.add(String(stored.contactId), stored)
  const own = ownPrefix(session.importId)
  const isListed = isList(session)
  const unfit = new Map<string, number>()
  for (const [index, row] of rows.entries()) {
    const renamed = people.take(row, own)
    const person = people.find(row) ?? people.add(idOf(row, own, place + index), null)
    for (const [at, one] of [...renamed, [index, row] as const]) person.given.set(at, one)
    // Renamed rows may lie between others of the contact. So all of its rows are gone through again in their order.
    if (renamed.size > 0) people.change(person, person.stored ?? { contactId: person.contactId })
    for (const one of renamed.size > 0 ? inOrder(person.given) : [row]) {
      const attributes = mergedAttributes(person.row.attributes, one, isListed)
      if (attributes.unfit > 0) unfit.set(person.contactId, attributes.unfit)
      const changed = changedFields(person.row, one, isListed)
      people.change(person, { ...changed, attributes: attributes.merged })
    }
  }
  const warnings = [...unfit].map(
    ([id, count]) =>
      `${echoed(id)}: ${count} new attributes were left out, because a contact has at most ${attributeBounds.most}.`,
  )
  return {
    ...told(people.met(), found.touched, { own, isById: session.matching === 1 }),
    warnings: [...session.warnings, ...warnings].slice(0, WARNINGS_MAX),
    at: found.at,
    keys: {
      ...keys,
      ids: [...new Set([...keys.ids, ...found.contacts.map(({ contactId }) => String(contactId))])],
    },
  }
}

function inOrder(given: ReadonlyMap<number, StoredRow>): readonly StoredRow[] {
  return [...given].toSorted(([left], [right]) => left - right).map(([, row]) => row)
}

const WARNINGS_MAX = 50

/** What the ids begin with that an import gives. They are in the order of its rows, so that the first stays the oldest. */
function ownPrefix(importId: string): string {
  return `con_${importId.replace(/^imp_/, '').slice(0, 12)}`
}

const ROWS_OF_CHUNK_MAX = 10_000
const NUMBER_LENGTH = 10

/** The place in the file of the first of the rows that are left of a chunk: no two rows have the same, later ones a larger. */
export function placeInFile(chunk: number, left: number): number {
  return (chunk + 1) * ROWS_OF_CHUNK_MAX - left
}

function idOf({ contactId }: StoredRow, own: string, place: number): string {
  if (typeof contactId === 'string') return contactId
  return `${own}${String(place).padStart(NUMBER_LENGTH, '0')}`
}

function changedFields(before: StoredRow, row: StoredRow, isListed: boolean): StoredRow {
  const after: Record<string, unknown> = { ...before }
  for (const { name, isKept } of fields) {
    const value = row[name] ?? null
    const isGiven = isListed ? !isBlank(value) : value !== null || !isKept
    if (isGiven) after[name] = value
  }
  return after
}

/** The attributes after a row: those that it names, and those that it leaves. */
function mergedAttributes(
  before: unknown,
  row: StoredRow,
  isListed: boolean,
): { readonly merged: unknown; readonly unfit: number } {
  const given = row.attributes ?? null
  const named = Object.keys(row)
    .filter((name) => name.startsWith(ATTRIBUTE))
    .map((name) => [name.slice(ATTRIBUTE.length), row[name]] as const)
  if (given === null && named.length === 0) return { merged: before ?? null, unfit: 0 }
  const left = given === null || isListed ? Object.entries(before ?? {}) : []
  const merged = new Map<string, unknown>(left)
  let unfit = 0
  for (const [name, value] of [...Object.entries(given ?? {}), ...named]) {
    if (merged.has(name) || merged.size < attributeBounds.most) merged.set(name, value)
    else unfit += 1
  }
  return { merged: Object.fromEntries(merged), unfit }
}

/** The contacts to write, and what they add to the counts. */
function told(
  met: readonly Person[],
  touched: Matches['touched'],
  { own, isById }: { readonly own: string; readonly isById: boolean },
): Pick<MatchedRows, 'rows' | 'touched' | 'counts'> {
  const counts = { changedRows: 0, newRows: 0, mergedRows: 0 }
  const rows: StoredRow[] = []
  const touches: (readonly [string, Touch])[] = []
  for (const { contactId, stored, row, given } of met) {
    const before = touched.get(contactId)
    const isOwn = contactId.startsWith(own)
    const isMet = (before ?? -1) >= 0 || (isOwn && stored !== null)
    counts.mergedRows += given.size - (isMet ? 0 : 1)
    // Rows of one contact may differ among themselves; what counts is what they make of it together.
    const differs = stored === null || !isSame(stored, row)
    if (differs) rows.push(row)
    if (differs && !(isOwn && stored !== null) && (before ?? 0) <= 0) counts.changedRows += 1
    if (stored === null) counts.newRows += 1
    const touch: Touch = stored === null ? 2 : differs ? 1 : 0
    const after = before !== undefined && before > touch ? before : touch
    // By ids, only those are met again that are marked, and a dry run notes each state of them.
    const isNoted = isById ? before !== undefined && (differs || after > before) : after > (before ?? -1)
    if (!isOwn && isNoted) touches.push([contactId, after])
  }
  return { rows, touched: touches, counts }
}

function isSame(left: StoredRow, right: StoredRow): boolean {
  return [...fields.map(({ name }) => name), 'attributes'].every(
    (name) => left[name] === right[name] || JSON.stringify(left[name]) === JSON.stringify(right[name]),
  )
}
