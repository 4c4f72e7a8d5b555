import type { ArchivePosition, ArchivedTable, Restoration, OrganizationStore } from '../../ports/archives.ts'
import type { StoredValue } from '../../ports/moves.ts'
import type { RecordedErasure } from '../../ports/erasure.ts'
import { resources } from '../resources/index.ts'
import { parsedOr } from '../text/encoding.ts'
import {
  eraseKnown,
  knownPerson,
  erasedAddresses,
  marksSince,
  REQUEST_MS,
  type ErasedAddresses,
} from './removal.ts'
import type { ErasingAgain, RestoreProgress, RestoreWorld } from './restoration.ts'

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
export async function eraseAgain(
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
