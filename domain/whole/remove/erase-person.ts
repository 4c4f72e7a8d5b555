import type { Person } from '../../../ports/whole/erasure.ts'
import { spellingsOf } from '../../text/contact/email-address.ts'
import type { RemovalWorld } from './world.ts'
import { REQUEST_MS } from './world.ts'

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
 * are found: after an interruption, the same request erases what is left.
 */
export async function erasePerson(
  organizationId: string,
  named: Person,
  from: string | null,
  { whole, clock }: Pick<RemovalWorld, 'whole' | 'clock'>,
): Promise<Erased | { readonly unknown: readonly string[] } | { readonly importId: string }> {
  const store = whole(organizationId)
  const person = await store.findPerson(named)
  const unknown = named.contactIds.filter((id) => !person.contactIds.includes(id))
  if (unknown.length > 0) return { unknown }
  const importId = await store.openImport()
  if (importId !== null) return { importId }
  // Rows without a contact have addresses as they were given.
  const emailKeys = person.emailKeys.flatMap(spellingsOf)
  const known = { ...person, emailKeys, numbers: await numbersOf(person) }
  const untilMs = clock.nowMs() + REQUEST_MS
  let rows = 0
  let next = from
  do {
    const step = await store.eraseSome(known, next)
    rows += step.rows
    next = step.next
  } while (next !== null && clock.nowMs() < untilMs)
  return { contactIds: person.contactIds, rows, next }
}

/** The metadata of numbers is large, so it is loaded for people with numbers only. */
async function numbersOf({ phones }: Person): Promise<readonly string[]> {
  if (phones.length === 0) return []
  const { digitsOfPhone } = await import('../../text/contact/phone-number.ts')
  return phones.flatMap(digitsOfPhone)
}
