import type {
  OrganizationStore,
  ArchivePosition,
  ArchivedTable,
  Restoration,
  RecordedErasure,
} from '../../ports/organization-store.ts'
import { parsedOr, membersOf } from '../text/encoding.ts'
import { copyFiles, tableOfFile, rowOfMembers, columnsOf } from './archive.ts'
import type { StoredValue } from '../../ports/placement.ts'
import { rowCheck } from './read-archive.ts'
import {
  withFormIds,
  UNREADABLE,
  progressOf,
  type RestoreWorld,
  type RestoreAnswer,
  type ErasingAgain,
  type RestoreProgress,
} from './restoration.ts'
import { MovingError } from '../placement/find/errors.ts'
import { toInstant } from '../text/instant.ts'
import { resources } from '../resources/index.ts'
import {
  eraseKnown,
  knownPerson,
  erasedAddresses,
  marksSince,
  REQUEST_MS,
  type ErasedAddresses,
} from './removal.ts'

/** A part of an archive as it was sent. */
interface SentPart {
  readonly organizationId: string
  readonly restoreId: string
  /** Counts from 1. */
  readonly part: number
  readonly file: string
  readonly lines: readonly string[]
}

type Row = readonly StoredValue[]

/** Writes the next part of an archive. One that was written before is accepted again. */
export async function writePart(sent: SentPart, world: RestoreWorld): Promise<RestoreAnswer | null> {
  const { organizationId, restoreId, part, file, lines } = sent
  const store = world.organizationStore(organizationId)
  const restoration = await store.restoration()
  if (restoration?.restoreId !== restoreId) return null
  if (part < restoration.nextPart) return { restoration }
  if (restoration.endedAt !== null || part > restoration.nextPart)
    return { refusal: `Part ${part} is out of order: the next one is part ${restoration.nextPart}.` }
  const progress = progressOf(restoration)
  if (progress === null) return { refusal: UNREADABLE }
  const archived = progress.files.find((known) => known.file === file)
  const copied = copyFiles[file]
  const table = await store.table(copied ?? tableOfFile(file) ?? '')
  if (archived === undefined || table === null) return { refusal: `The archive has no file ${file}.` }
  const came = (progress.rows[file] ?? 0) + lines.length
  if (came > archived.rows) return { refusal: `${file} has more rows than the manifest says.` }
  const fields = copied === undefined ? archived.columns : table.columns.map(({ field }) => field)
  const columns = columnsOf(table, fields)
  const check = rowCheck(table.name, fields, world.clock.nowMs())
  const rows: Row[] = []
  for (const [index, line] of copied === undefined ? lines.entries() : []) {
    const reading = rowOfMembers(parsedOr(line, undefined), columns)
    const problem = 'problem' in reading ? reading.problem : check(reading.row)
    if (problem !== null) return { refusal: `Line ${came - lines.length + index + 1} of ${file} ${problem}.` }
    if ('problem' in reading) continue
    rows.push(withFormIds(table.name, fields, reading.row, progress.formIds))
  }
  const formIds = table.name === 'forms' ? rows.map((row) => String(row[fields.indexOf('formId')])) : []
  if (!(await world.restorePlaces.reserve(organizationId, formIds)))
    return {
      refusal: 'Another organization has one of the forms, or imports forms. Try again, or look which it is.',
    }
  const isKeyKept = (version: StoredValue) =>
    progress.isSameId && world.secrets.find(String(version)) !== null
  const kept = keptRows(table.name, fields, rows, isKeyKept)
  const keysLeft = progress.keysLeft + (table.isSecret ? rows.length - kept.length : 0)
  const changedAt = latestOf(rows, fields.indexOf('updatedAt'), progress.changedAt)
  const now = { ...progress, changedAt, rows: { ...progress.rows, [file]: came }, keysLeft }
  const next = { ...restoration, nextPart: part + 1, progress: JSON.stringify(now) }
  const outcome = await store.write({
    restoreId,
    part,
    table: table.name,
    fields,
    rows: kept,
    progress: next.progress,
  })
  if (outcome === 'unfit')
    return {
      refusal: `A line of part ${part}, of ${file}, cannot be stored: it lacks a value, is too large, or has an id that is taken.`,
    }
  return outcome === 'written' ? { restoration: next } : writtenMeanwhile(sent, world)
}

/** The latest change of these rows and of those before. */
function latestOf(rows: readonly Row[], index: number, before: string): string {
  return rows.reduce((latest, row) => {
    const at = String(row[index] ?? '')
    return at > latest ? at : latest
  }, before)
}

/** The answer when another call of the same restoration was faster. */
async function writtenMeanwhile(
  { organizationId, restoreId, part }: SentPart,
  world: RestoreWorld,
): Promise<RestoreAnswer | null> {
  const restoration = await world.organizationStore(organizationId).restoration()
  if (restoration?.restoreId !== restoreId) return null
  return part < restoration.nextPart
    ? { restoration }
    : { refusal: `Part ${part} was not written. Send it again.` }
}

/**
 * The rows that are stored of those of an archive. Nothing is sent twice: work that waited is held until an operator
 * retries it, and what only told when it may be sent is left out. A key is kept when it was made for this organization
 * under a root secret of this service; no other could be proven.
 */
function keptRows(
  table: string,
  fields: readonly string[],
  rows: readonly Row[],
  isKeyKept: (secretVersion: StoredValue) => boolean,
): readonly Row[] {
  const at = (field: string) => fields.indexOf(field)
  if (table === 'outbox') {
    const [status, lease, waiting] = [at('status'), at('leaseToken'), at('waitingSince')]
    return rows.map((row) =>
      row.map((value, index) => {
        if (index === lease || index === waiting) return null
        return index === status && value === 'pending' ? 'held' : value
      }),
    )
  }
  if (table === 'forms') {
    const definition = at('definition')
    return rows.map((row) => row.map((value, index) => (index === definition ? completed(value) : value)))
  }
  if (table === 'automation_messages') return rows.filter((row) => row[at('isSent')] === 1)
  if (table !== 'api_keys') return rows
  return rows.filter((row) => isKeyKept(row[at('secretVersion')] ?? null))
}

/** A definition that names no addresses for notifications has none. */
function completed(definition: StoredValue): StoredValue {
  const members = membersOf(parsedOr(String(definition), null))
  return 'notificationEmails' in members ? definition : JSON.stringify({ ...members, notificationEmails: [] })
}

/**
 * Opens an organization whose rows are all there, after it has erased again who was erased since the archive was made.
 * That takes a bounded time: the organization is open when the restoration has ended. Null: there is no such restoration.
 * May be repeated.
 */
export async function finishRestoring(
  organizationId: string,
  restoreId: string,
  world: RestoreWorld,
): Promise<RestoreAnswer | null> {
  const store = world.organizationStore(organizationId)
  const restoration = await store.restoration()
  if (restoration?.restoreId !== restoreId) return null
  if (restoration.endedAt !== null) return { restoration }
  const progress = progressOf(restoration)
  if (progress === null) return { refusal: UNREADABLE }
  const missing = progress.files.find(({ file, rows }) => (progress.rows[file] ?? 0) < rows)
  if (missing !== undefined)
    return {
      refusal: `${missing.file} has not come as a whole: the next part is part ${restoration.nextPart}.`,
    }
  const { progress: erased, isDone } = await eraseAgain(organizationId, restoration, progress, world)
  if (!isDone) return { restoration: { ...restoration, progress: JSON.stringify(erased) } }
  const formIds = (await valuesIn(store, 'forms', ['formId'])).map(([id]) => String(id))
  const keys = (await valuesIn(store, 'api_keys', ['keyId', 'issuedBy'])).map(([keyId, issuer = null]) => ({
    keyId: String(keyId),
    issuedBy: issuer === null ? null : String(issuer),
  }))
  if (!(await world.restorePlaces.enter(organizationId, { formIds, keys })))
    return {
      refusal: 'Another organization has one of the forms, or imports forms. Try again, or look which it is.',
    }
  const now = toInstant(world.clock.nowMs())
  const { parentId } = progress
  const row = {
    ...progress.row,
    clockAt: latestInstant([progress.row.clockAt, progress.changedAt, erased.erasing?.at]),
  }
  // Asked after the keys are in the directory: whoever ends an issuer later finds them there.
  const issuers = new Set(keys.flatMap(({ issuedBy }) => issuedBy ?? []))
  const endedIssuers = await world.operatorKeys.endedWithDescent([...issuers])
  const outcome = await opened(() => store.open({ restoreId, row, parentId, endedIssuers, now }))
  switch (outcome) {
    case 'opened':
      return { restoration: { ...restoration, progress: JSON.stringify(erased), endedAt: now } }
    case 'lost':
      return finishedMeanwhile(store, restoreId)
    case 'slug_taken':
      return {
        refusal:
          'Another organization has taken the slug meanwhile. Change the slug of that one, and finish then.',
      }
    case 'parent_missing':
      return { refusal: `There is no organization ${parentId ?? ''} in this place, which is the parent.` }
    case 'moving':
      return { refusal: 'The family of the parent is being moved. Finish when "org show" names no move.' }
  }
}

/** The organization's clock must not be behind its rows. */
function latestInstant(instants: readonly (StoredValue | undefined)[]): string {
  return instants.reduce<string>((latest, at) => (String(at ?? '') > latest ? String(at) : latest), '')
}

async function opened<Outcome>(open: () => Promise<Outcome>): Promise<Outcome | 'moving'> {
  try {
    return await open()
  } catch (error) {
    if (error instanceof MovingError) return 'moving'
    throw error
  }
}

/** The answer when another call was faster. */
async function finishedMeanwhile(store: OrganizationStore, restoreId: string): Promise<RestoreAnswer | null> {
  const restoration = await store.restoration()
  return restoration?.restoreId === restoreId && restoration.endedAt !== null ? { restoration } : null
}

/** Some fields of all rows of a table. */
async function valuesIn(
  store: OrganizationStore,
  table: string,
  fields: readonly string[],
): Promise<readonly (readonly StoredValue[])[]> {
  const columns = (await store.table(table))?.columns ?? []
  const places = fields.map((field) => columns.findIndex((column) => column.field === field))
  const found: (readonly StoredValue[])[] = []
  let after: ArchivePosition | null = null
  do {
    const { rows, next } = await store.read(table, after)
    found.push(...rows.map((row) => places.map((place) => row[place] ?? null)))
    after = next
  } while (after !== null)
  return found
}

// Who was erased stays erased: before an organization is opened, everybody is erased from it who was erased after its
// archive was made. The service knows their contacts, and hashes of their addresses; so it looks through all rows that
// may hold an address, and erases whomever it finds in the way of `contact erase`.

/** How far it came. */
interface ErasedAgain {
  readonly progress: RestoreProgress
  readonly isDone: boolean
}

/** How many contacts are erased together. */
const CONTACTS = 200

/**
 * Erases again, for a bounded time, who was erased since the archive of a closed organization was made. Called again, it
 * goes on where it stopped.
 */
async function eraseAgain(
  organizationId: string,
  { restoreId }: Restoration,
  given: RestoreProgress,
  world: RestoreWorld,
): Promise<ErasedAgain> {
  const store = world.organizationStore(organizationId)
  const untilMs = world.clock.nowMs() + REQUEST_MS
  let progress = given
  for (;;) {
    const marks = await laterMarks(organizationId, progress, world)
    const erasing = begunWith(marks, progress)
    if (erasing === null || (erasing.isDone && erasing === progress.erasing))
      return { progress, isDone: true }
    const step = await eraseSome(erasing, marks, store, world)
    progress = { ...progress, erasing: step }
    if (!(await store.saveProgress(restoreId, JSON.stringify(progress)))) return { progress, isDone: false }
    // Asked again when it is done: somebody may have been erased meanwhile.
    if (!step.isDone && world.clock.nowMs() >= untilMs) return { progress, isDone: false }
  }
}

/** Who was erased after the state that the archive holds, from the organization and from those that it came from. */
function laterMarks(
  organizationId: string,
  { lineage, row }: RestoreProgress,
  { erasures }: RestoreWorld,
): Promise<readonly RecordedErasure[]> {
  return marksSince(lineage.length === 0 ? [organizationId] : lineage, String(row.clockAt ?? ''), erasures)
}

/** The state of the work for these marks: that of before, or a new one. Null: nobody is to be erased. */
function begunWith(marks: readonly RecordedErasure[], { erasing }: RestoreProgress): ErasingAgain | null {
  const at = marks.reduce((latest, { erasedAt }) => (erasedAt > latest ? erasedAt : latest), '')
  const name = `${marks.length} ${at}`
  if (erasing?.marks === name) return erasing
  if (marks.length === 0) return null
  const { contacts, rows } = erasing ?? { contacts: 0, rows: 0 }
  const start = { contact: 0, table: 0, after: null, unreadable: 0, isDone: false }
  return { ...start, marks: name, at, contacts, rows }
}

/** Erases some recorded contacts; when all are erased, whoever is found by address in a page of a table. */
async function eraseSome(
  erasing: ErasingAgain,
  marks: readonly RecordedErasure[],
  store: OrganizationStore,
  { secrets }: RestoreWorld,
): Promise<ErasingAgain> {
  const contacts = [...new Set(marks.flatMap(({ kind, value }) => (kind === 'contact' ? [value] : [])))]
  if (erasing.contact < contacts.length) {
    const contactIds = contacts.slice(erasing.contact, erasing.contact + CONTACTS)
    // Rows may name a contact that the archive does not have.
    const person = { ...(await store.findPerson({ contactIds, emailKeys: [], phones: [] })), contactIds }
    const done = await eraseKnown(store, await knownPerson(person), erasing.at)
    return counted({ ...erasing, contact: erasing.contact + contactIds.length }, done)
  }
  const addresses = erasedAddresses(marks, secrets)
  const looked = lookedThrough[erasing.table]
  if (addresses.isEmpty || looked === undefined)
    return { ...erasing, unreadable: addresses.unreadable, isDone: true }
  const { done, next } = await eraseFound(looked, erasing, addresses, store)
  const position = next === null ? { table: erasing.table + 1, after: null } : { after: [...next] }
  return counted({ ...erasing, ...position }, done)
}

interface Changed {
  readonly rows: number
  readonly contacts: number
}

function counted(erasing: ErasingAgain, { rows, contacts }: Changed): ErasingAgain {
  return { ...erasing, rows: erasing.rows + rows, contacts: erasing.contacts + contacts }
}

/** Erases whomever a page of a table names by an address. */
async function eraseFound(
  { table: name, fields }: LookedThrough,
  { after, at }: ErasingAgain,
  addresses: ErasedAddresses,
  store: OrganizationStore,
): Promise<{ readonly done: Changed; readonly next: ArchivePosition | null }> {
  const table = await store.table(name)
  if (table === null) return { done: { rows: 0, contacts: 0 }, next: null }
  const { rows, next } = await store.read(name, after)
  const found = await addresses.among(textsIn(rows, fields, table))
  if (found.emailKeys.length + found.phones.length + found.numbers.length === 0)
    return { done: { rows: 0, contacts: 0 }, next }
  const { emailKeys, phones } = found
  const known = await knownPerson(await store.findPerson({ contactIds: [], emailKeys, phones }))
  const numbers = [...new Set([...known.numbers, ...found.numbers])]
  return { done: await eraseKnown(store, { ...known, numbers }, at), next }
}

/** A table whose rows may hold addresses, and the fields in which they do. */
interface LookedThrough {
  readonly table: string
  readonly fields: readonly string[]
}

/** What `contact erase` looks through too: contacts, rows that carry addresses, and the service's own records. */
const lookedThrough: readonly LookedThrough[] = [
  { table: 'contacts', fields: ['email', 'emailKey', 'phone'] },
  ...resources.flatMap(({ collection, person }) =>
    person === null || 'stays' in person || person.carriedIn.length === 0
      ? []
      : [{ table: collection.replaceAll('-', '_'), fields: person.carriedIn }],
  ),
  { table: 'sends', fields: ['recipient', 'error'] },
  { table: 'outbox', fields: ['payload', 'lastError'] },
  { table: 'automation_messages', fields: ['recipient'] },
]

/** The texts of rows that may be addresses. */
function textsIn(
  rows: readonly (readonly StoredValue[])[],
  fields: readonly string[],
  { columns }: ArchivedTable,
): ReadonlySet<string> {
  const texts = new Set<string>()
  const looked = columns.flatMap(({ field, holds }, index) =>
    fields.includes(field) ? [{ holds, index }] : [],
  )
  for (const row of rows)
    for (const { holds, index } of looked) {
      const value = row[index]
      if (typeof value !== 'string') continue
      if (holds === 'document') addTexts(parsedOr(value, null), texts)
      else {
        texts.add(value.trim())
        // A failure may quote an address.
        for (const [part] of value.matchAll(QUOTED)) texts.add(part)
      }
    }
  return texts
}

const QUOTED = /[^\s<>"'(),;:]+@[^\s<>"'(),;:]+|\+?\d[\d ()./-]{5,}\d/g

function addTexts(value: unknown, texts: Set<string>): void {
  if (typeof value === 'string' || typeof value === 'number') texts.add(String(value).trim())
  else if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) addTexts(inner, texts)
}
