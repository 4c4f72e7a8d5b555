import type { Clock } from '../../../ports/platform.ts'
import type { Erasure, ErasureStep, KnownPerson, Person, ErasureLedger } from '../../../ports/erasure.ts'
import type { Secrets } from '../../access/secrets.ts'
import { spellingsOf } from '../../text/email-spellings.ts'
import { toInstant } from '../../text/instant.ts'
import { marksOf } from './erasure-marks.ts'
import { REQUEST_MS, type RemovalWorld } from './world.ts'

/** The ports by which a person is erased. */
export interface ErasureWorld extends Pick<RemovalWorld, 'whole' | 'clock'> {
  readonly erasures: ErasureLedger
  readonly secrets: Pick<Secrets, 'current'>
}

/** What a request erased of a person. */
export interface Erased {
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
  { whole, clock, erasures, secrets }: ErasureWorld,
): Promise<Erased | { readonly unknown: readonly string[] } | { readonly importId: string }> {
  const store = whole(organizationId)
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
  const { digitsOfPhone } = await import('../../text/phone-number.ts')
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
