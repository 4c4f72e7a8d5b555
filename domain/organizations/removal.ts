import type { People } from '../../ports/operators.ts'
import type { Clock } from '../../ports/platform.ts'
import type {
  OrganizationStore,
  Erasure,
  ErasureStep,
  KnownPerson,
  Person,
  ErasureLedger,
  ErasureMark,
  RecordedErasure,
} from '../../ports/organization-store.ts'
import type { DeletionPlaces } from '../placement/operators/overview.ts'
import { unlessElsewhere } from '../placement/find/errors.ts'
import { toInstant } from '../text/instant.ts'
import type { Secrets, SecretVersion } from '../access/secrets.ts'
import { spellingsOf } from '../text/email-spellings.ts'
import { emailKey } from '../text/typed-text.ts'
import { toBase64Url, utf8 } from '../text/encoding.ts'

/** The ports by which an organization, or something of it, is removed. */
interface RemovalWorld {
  readonly organizationStore: (organizationId: string) => OrganizationStore
  readonly deletionPlaces: DeletionPlaces
  readonly people: Pick<People, 'forget'>
  readonly clock: Clock
}

/**
 * For how long one request works, in ms. Whoever asked for more asks again: requests of any length would be cut off by
 * the platform, in the middle.
 */
export const REQUEST_MS = 10_000

/** What a request deleted of an organization. */
interface Deleted {
  /** How many rows, by the name of their table. */
  readonly rows: Readonly<Record<string, number>>
  /** Whether nothing is left, and the id is free. */
  readonly isDone: boolean
}

/**
 * Deletes an organization, for a bounded time: first its keys and forms end, then all of its rows are removed, then what
 * the directory holds. Called again, it goes on where it stopped.
 */
export async function deleteOrganization(
  organizationId: string,
  world: RemovalWorld,
): Promise<Deleted | 'has_children' | 'unknown'> {
  const { clock, deletionPlaces } = world
  const untilMs = clock.nowMs() + REQUEST_MS
  const store = world.organizationStore(organizationId)
  // An earlier deletion may have removed the database, and stopped before the directory knew.
  const begun = await unlessElsewhere(() => store.beginDeletion(toInstant(clock.nowMs())))
  if (begun === 'has_children') return begun
  if (begun === 'unknown' && !(await deletionPlaces.isPlaced(organizationId))) return begun
  const rows: Record<string, number> = {}
  for (;;) {
    const deleted = await unlessElsewhere(() => store.deleteSome())
    if (deleted === null) break
    rows[deleted.table] = (rows[deleted.table] ?? 0) + deleted.rows
    if (clock.nowMs() >= untilMs) return { rows, isDone: false }
  }
  await world.people.forget(organizationId)
  await deletionPlaces.release(organizationId)
  return { rows, isDone: true }
}

/** The ports by which a person is erased. */
interface ErasureWorld extends Pick<RemovalWorld, 'organizationStore' | 'clock'> {
  readonly erasures: ErasureLedger
  readonly secrets: Pick<Secrets, 'current'>
}

/** What a request erased of a person. */
interface Erased {
  readonly contactIds: readonly string[]
  /** How many rows were changed, or removed because they were still to be sent. */
  readonly rows: number
  /** Where the next request continues; null: everything was looked at. */
  readonly next: string | null
}

/**
 * Erases a person, for a bounded time. Their contacts come last, because these name the addresses by which the other rows
 * are found: after an interruption, the same request erases what is left. It is recorded who is erased before anything
 * is, so that no archive of before brings them back.
 * @param isDryRun whether the person's rows are only counted: nothing is changed or recorded
 */
export async function erasePerson(
  organizationId: string,
  named: Person,
  { from, isDryRun }: { readonly from: string | null; readonly isDryRun: boolean },
  { organizationStore, clock, erasures, secrets }: ErasureWorld,
): Promise<Erased | { readonly unknown: readonly string[] } | { readonly importId: string }> {
  const store = organizationStore(organizationId)
  const { clockAt, ...person } = await store.findPerson(named)
  const unknown = named.contactIds.filter((id) => !person.contactIds.includes(id))
  if (unknown.length > 0) return { unknown }
  const importId = await store.openImport()
  if (importId !== null) return { importId }
  const known = await knownPerson(person)
  if (isDryRun) {
    const counted = await stepThrough(from, clock, (position) => store.findSome(known, position))
    return { contactIds: person.contactIds, rows: counted.rows, next: counted.next }
  }
  const marks = await marksOf(organizationId, known, secrets)
  const record = (at: string | null) => {
    const now = toInstant(clock.nowMs())
    // The organization's clock moves by a millisecond at least.
    return erasures.record(organizationId, marks, toInstant(Date.parse(at ?? now) + 1), now)
  }
  await record(clockAt)
  const erased = await stepThrough(from, clock, (position) => store.eraseSome(known, position))
  // An archive of any state until now may have the person. Every later change of the organization has a later instant.
  await record(erased.clockAt)
  return { contactIds: person.contactIds, rows: erased.rows, next: erased.next }
}

/** Takes one step after another, for as long as a request may last. The rows of all of them are counted. */
async function stepThrough(
  from: string | null,
  clock: Clock,
  take: (position: string | null) => Promise<ErasureStep>,
): Promise<ErasureStep> {
  const untilMs = clock.nowMs() + REQUEST_MS
  let [rows, contacts] = [0, 0]
  for (let next = from; ;) {
    const step = await take(next)
    rows += step.rows
    contacts += step.contacts
    next = step.next
    if (next === null || clock.nowMs() >= untilMs) return { ...step, rows, contacts }
  }
}

/**
 * A person with every spelling of their addresses, because rows without a contact have them as they were given. The
 * metadata of numbers is large, so it is loaded for people with numbers only.
 */
export async function knownPerson({ contactIds, emailKeys, phones }: Person): Promise<KnownPerson> {
  const person = { contactIds, emailKeys: [...new Set(emailKeys.flatMap(spellingsOf))], phones }
  if (phones.length === 0) return { ...person, numbers: [] }
  const { digitsOfPhone } = await import('../text/phone-number.ts')
  return { ...person, numbers: phones.flatMap(digitsOfPhone) }
}

/** Erases a known person completely. Returns how many rows, and how many contacts, were changed. */
export async function eraseKnown(
  store: Pick<Erasure, 'eraseSome'>,
  person: KnownPerson,
  closedAt: string,
): Promise<{ readonly rows: number; readonly contacts: number }> {
  let [rows, contacts] = [0, 0]
  for (let next: string | null = null; ;) {
    const step = await store.eraseSome(person, next, closedAt)
    rows += step.rows
    contacts += step.contacts
    next = step.next
    if (next === null) return { rows, contacts }
  }
}

/** What is hashed: an address in the form in which all spellings of it are equal. */
type Hashed = Exclude<ErasureMark['kind'], 'contact'>

async function hashOf(kind: Hashed, value: string, organizationId: string, secret: SecretVersion) {
  return toBase64Url(await secret.mac('erased-address', utf8(`${kind}\n${organizationId}\n${value}`)))
}

/** The marks of a person of an organization, under the present root secret. */
async function marksOf(
  organizationId: string,
  { contactIds, emailKeys, phones, numbers }: KnownPerson,
  { current }: Pick<Secrets, 'current'>,
): Promise<readonly ErasureMark[]> {
  const international = new Set(phones.map(digitsOf))
  const addresses: readonly (readonly [Hashed, string])[] = [
    ...emailKeys.map((key) => ['email', key] as const),
    ...[...international].map((digits) => ['phone', digits] as const),
    ...numbers.filter((digits) => !international.has(digits)).map((digits) => ['national', digits] as const),
  ]
  const hashed = addresses.map(async ([kind, address]) => ({
    kind,
    value: await hashOf(kind, address, organizationId, current),
    secretVersion: current.version,
  }))
  const contacts = contactIds.map((value) => ({ kind: 'contact', value, secretVersion: '' }) as const)
  return [...contacts, ...(await Promise.all(hashed))]
}

const PAGE = 5_000

/** All marks of organizations that were erased after an instant. */
export async function marksSince(
  organizationIds: readonly string[],
  instant: string,
  ledger: ErasureLedger,
): Promise<readonly RecordedErasure[]> {
  const marks: RecordedErasure[] = []
  for (let after: RecordedErasure | null = null; ;) {
    const page: readonly RecordedErasure[] = await ledger.since(organizationIds, instant, after, PAGE)
    marks.push(...page)
    after = page.at(-1) ?? null
    if (page.length < PAGE) return marks
  }
}

/** What texts hold of erased people. */
interface FoundAddresses {
  readonly emailKeys: readonly string[]
  readonly phones: readonly string[]
  /** Digits as people write them. */
  readonly numbers: readonly string[]
}

/** Recognises addresses of erased people. */
export interface ErasedAddresses {
  readonly isEmpty: boolean
  /** How many marks cannot be compared, because they were made under a root secret that the service no longer has. */
  readonly unreadable: number
  /** Those of the texts that are addresses of erased people. */
  among(texts: Iterable<string>): Promise<FoundAddresses>
}

/** Prepares to compare texts with marks. */
export function erasedAddresses(
  marks: readonly RecordedErasure[],
  secrets: Pick<Secrets, 'find'>,
): ErasedAddresses {
  const addresses = marks.filter(({ kind }) => kind !== 'contact')
  const readable = addresses.filter(({ secretVersion }) => secrets.find(secretVersion) !== null)
  const hashes = new Set(readable.map(({ kind, value }) => `${kind} ${value}`))
  const keys = [
    ...Map.groupBy(
      readable,
      ({ organizationId, secretVersion }) => `${secretVersion} ${organizationId}`,
    ).values(),
  ].flatMap(([one]) => {
    const secret = one === undefined ? null : secrets.find(one.secretVersion)
    return one === undefined || secret === null ? [] : [{ organizationId: one.organizationId, secret }]
  })
  const isErased = async (kind: Hashed, value: string) => {
    for (const { organizationId, secret } of keys)
      if (hashes.has(`${kind} ${await hashOf(kind, value, organizationId, secret)}`)) return true
    return false
  }
  return {
    isEmpty: hashes.size === 0,
    unreadable: addresses.length - readable.length,
    async among(texts) {
      const [emailKeys, phones, numbers] = [new Set<string>(), new Set<string>(), new Set<string>()]
      for (const text of new Set(texts)) {
        if (text.length > TEXT_MAX_LENGTH) continue
        if (text.includes('@')) {
          if (await isErased('email', emailKey(text))) emailKeys.add(emailKey(text))
          continue
        }
        const digits = digitsOf(text)
        if (!DIGITS.test(digits)) continue
        const isInternational = await isErased('phone', digits)
        if (isInternational) phones.add(`+${digits}`)
        if (isInternational || (!text.startsWith('+') && (await isErased('national', digits))))
          numbers.add(digits)
      }
      return { emailKeys: [...emailKeys], phones: [...phones], numbers: [...numbers] }
    },
  }
}

/** No longer text is an address. */
const TEXT_MAX_LENGTH = 320

/** The digits of a phone number: a country's numbers have four at least, and E.164 allows fifteen. */
const DIGITS = /^\d{4,15}$/

/** A number without what people write between its digits, and without zeros at the beginning. */
function digitsOf(text: string): string {
  return text.replaceAll(/[ +\-()./]/g, '').replace(/^0+/, '')
}
