import * as v from 'valibot'
import { IdInput, impersonal, Instant, InstantInput, json, personal, type Field } from '../../record/field.ts'

const customerKeys = ['customerId', 'name', 'email', 'phone', 'licensePlate'] as const
const siteKeys = ['siteId', 'name', 'commonName'] as const
const historyKeys = [
  'action',
  'from',
  'to',
  'resolution',
  'notes',
  'userName',
  'userEmail',
  'channel',
] as const
const noteKeys = ['comment', 'userName', 'userEmail'] as const

const line = v.nullable(v.string())
const optionalLine = v.nullish(v.string(), null)

const Customer = v.strictObject(v.entriesFromList(customerKeys, line))
const CustomerInput = v.strictObject({
  ...v.entriesFromList(customerKeys, optionalLine),
  customerId: v.nullish(IdInput, null),
})

const Site = v.strictObject(v.entriesFromList(siteKeys, line))
const SiteInput = v.strictObject({
  ...v.entriesFromList(siteKeys, optionalLine),
  siteId: v.nullish(IdInput, null),
})

/** The person who opened the case. Always an object, with null for what is unknown; an import may leave it out. */
export function caseCustomer(): Field<v.InferOutput<typeof Customer>> {
  return personal(json(Customer, v.nullish(CustomerInput, {})), v.parse(CustomerInput, {}))
}

/** The site that the case is about. Like the customer, always an object with null for unknown values. */
export function caseSite(): Field<v.InferOutput<typeof Site>> {
  return impersonal(json(Site, v.nullish(SiteInput, {})))
}

const Entry = v.strictObject({ timestamp: Instant, ...v.entriesFromList(historyKeys, line) })
const EntryInput = v.strictObject({
  timestamp: InstantInput,
  ...v.entriesFromList(historyKeys, optionalLine),
})

/** What was done, oldest first. */
export function caseHistory(): Field<v.InferOutput<typeof Entry>[]> {
  return personal(json(v.array(Entry), v.pipe(v.array(EntryInput), v.transform(inTimeOrder))), [])
}

const noteLines = v.entriesFromList(noteKeys, line)
const Note = v.strictObject({ timestamp: Instant, ...noteLines, system: v.boolean() })
const NoteInput = v.strictObject({
  timestamp: InstantInput,
  ...v.entriesFromList(noteKeys, optionalLine),
  system: v.boolean(),
})

/** The notes, oldest first; `system` marks a note that no person wrote. */
export function caseNotes(): Field<v.InferOutput<typeof Note>[]> {
  return personal(json(v.array(Note), v.pipe(v.array(NoteInput), v.transform(inTimeOrder))), [])
}

/**
 * Sorts entries by time. Entries of the same instant keep their order. Instants are ASCII texts of equal length, so
 * they can be compared as text.
 */
function inTimeOrder<Timed extends { readonly timestamp: string }>(entries: readonly Timed[]): Timed[] {
  const compare = (left: string, right: string) => Number(left > right) - Number(left < right)
  return entries.toSorted((left, right) => compare(left.timestamp, right.timestamp))
}
