import * as v from 'valibot'
import type { StoredValue } from '../../ports/moves.ts'
import { FORM_ID } from '../forms/language/definition.ts'
import { isReservedId } from '../imports/check.ts'
import { Instant } from '../record/field.ts'
import { storedFields, type Resource } from '../record/resource.ts'
import { forms } from '../resources/forms.ts'
import { resources } from '../resources/index.ts'
import { parsedOr } from '../text/encoding.ts'
import { webhookUrlProblem, DESCRIPTION_MAX_LENGTH, FORMS_MAX } from '../webhooks/webhook.ts'

// An archive may be damaged, or written by somebody who means harm; its digests prove neither. So a row of it must be one
// that this service could have stored: what the column can hold is checked before, and here what it means.

/** How far ahead of the service's own time an instant may be that the service itself has set. */
export const AHEAD_MS = 86_400_000

type Row = readonly StoredValue[]

/** What is wrong with a row of an archive, as the rest of a sentence that begins with the row; null: nothing. */
type RowCheck = (row: Row) => string | null

/**
 * The check of the rows of a table, whose values come in the order of these fields.
 * @param nowMs the service's own time
 */
export function rowCheck(table: string, fields: readonly string[], nowMs: number): RowCheck {
  const resource = resourceOfTable.get(table)
  const own = serviceRows[table]
  if (resource !== undefined) return resourceCheck(resource, fields, nowMs)
  if (own === undefined) return () => null
  const schema = own(nowMs)
  return (row) => {
    for (const [index, field] of fields.entries()) {
      const expected = schema[field]
      if (expected !== undefined && !v.is(expected, row[index] ?? null))
        return `has a value for ${field} that this service does not store`
    }
    return null
  }
}

const resourceOfTable = new Map(
  resources.map((resource) => [resource.collection.replaceAll('-', '_'), resource] as const),
)

const CONTROL_CHARACTER = /\p{Cc}/u

function resourceCheck(resource: Resource, fields: readonly string[], nowMs: number): RowCheck {
  // A hidden field is the stored one of its name, so it comes last.
  const stored = new Map(storedFields(resource))
  const checks = fields.flatMap((name, index) => {
    const field = stored.get(name)?.field
    return field === undefined ? [] : [{ name, index, field, isKey: resource.key.includes(name) }]
  })
  return (row) => {
    for (const { name, index, field, isKey } of checks) {
      const held = row[index] ?? null
      if (held === null) continue
      const value =
        field.storage === 'json'
          ? parsedOr(String(held), null)
          : field.storage === 'boolean'
            ? held === 1
            : held
      if (!fits(field.schema, value)) return `has a value for ${name} that this service does not store`
      if (name === 'updatedAt' && Date.parse(String(held)) > nowMs + AHEAD_MS)
        return `was changed at ${String(held)}, more than a day after the time of this service`
      if (isKey && isOddId(resource, name, String(held))) return `has an id that no row can have, in ${name}`
    }
    return resource === forms ? formProblem(row, fields) : null
  }
}

/** Whether a value is one of a field. A document may lack members: an archive of an earlier version has fewer. */
function fits(schema: v.GenericSchema, value: unknown): boolean {
  const { issues } = v.safeParse(schema, value)
  return issues?.every(({ input, path }) => input === undefined && path?.length === 1) ?? true
}

function isOddId({ collection, keptFrom }: Resource, name: string, id: string): boolean {
  return keptFrom === null && (CONTROL_CHARACTER.test(id) || isReservedId(collection, name, id))
}

/** What everything that serves forms relies on. What the fields of a form are may be anything, as in an import. */
const ServedDefinition = v.looseObject({
  formId: v.string(),
  fields: v.array(v.unknown()),
  // Added where it is missing.
  notificationEmails: v.optional(v.array(v.string())),
})

function formProblem(row: Row, fields: readonly string[]): string | null {
  const at = (name: string) => row[fields.indexOf(name)] ?? null
  if (!FORM_ID.test(String(at('formId')))) return 'has an id that no form can have'
  const definition = parsedOr(String(at('definition')), null)
  if (!v.is(ServedDefinition, definition)) return 'has a definition that is none'
  return definition.formId === at('formId') ? null : 'has a definition of another form'
}

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const identifier = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxLength(400),
  v.check((text) => !CONTROL_CHARACTER.test(text)),
)

/** What the service's own tables hold, by the fields of archives. Tables that only repeat other rows are not here. */
const serviceRows: Readonly<Record<string, (nowMs: number) => Readonly<Record<string, v.GenericSchema>>>> = {
  outbox: (nowMs) => ({
    outboxId: identifier,
    submissionId: identifier,
    kind: identifier,
    status: v.picklist(['pending', 'held', 'failed']),
    attempts: count,
    nextAttemptAt: Instant,
    createdAt: byNow(nowMs),
    updatedAt: byNow(nowMs),
    waitingSince: v.nullable(byNow(nowMs)),
  }),
  form_versions: (nowMs) => ({
    formId: v.pipe(v.string(), v.regex(FORM_ID)),
    number: v.pipe(count, v.minValue(1)),
    savedAt: byNow(nowMs),
    definition: v.pipe(
      v.string(),
      v.check((text) =>
        v.is(v.looseObject({ ...ServedDefinition.entries, name: v.string() }), parsedOr(text, null)),
      ),
    ),
  }),
  sends: (nowMs) => ({
    sendId: identifier,
    channel: v.picklist(['sms', 'mms', 'email']),
    at: byNow(nowMs),
  }),
  automation_messages: () => ({
    messageId: identifier,
    at: Instant,
    waitsUntil: Instant,
    isSent: v.picklist([0, 1]),
    isCounted: v.picklist([0, 1]),
  }),
  // A setting that is due in a far future would never be applied.
  retention: (nowMs) => ({
    kind: v.picklist(['submissions', 'sends']),
    days: v.pipe(count, v.minValue(1), v.maxValue(36_500)),
    dueAt: byNow(nowMs + AHEAD_MS),
  }),
  spam_models: (nowMs) => ({
    spamCount: count,
    cleanCount: count,
    updatedAt: byNow(nowMs),
    weights: numbers,
    inSpam: numbers,
    inClean: numbers,
  }),
  webhooks: (nowMs) => ({
    webhookId: v.pipe(v.string(), v.regex(/^wh_\w{1,64}$/)),
    url: v.pipe(
      v.string(),
      v.check((url) => webhookUrlProblem(url, false) === null || webhookUrlProblem(url, true) === null),
    ),
    events: document(v.pipe(v.array(v.string()), v.maxLength(100))),
    formIds: v.nullable(document(v.pipe(v.array(v.string()), v.maxLength(FORMS_MAX)))),
    description: v.pipe(v.string(), v.maxLength(DESCRIPTION_MAX_LENGTH)),
    createdAt: byNow(nowMs),
    version: v.pipe(count, v.minValue(1)),
  }),
  api_keys: () => ({ keyId: identifier, kind: v.literal('tenant') }),
}

/** What was learned of words has a number for each, or none at all. */
const numbers = document(v.pipe(v.array(v.pipe(v.number(), v.safeInteger())), v.maxLength(4_096)))

/** A text of JSON of this form. */
function document(schema: v.GenericSchema) {
  return v.pipe(
    v.string(),
    v.check((text) => v.is(schema, parsedOr(text, null))),
  )
}

/** An instant that the service has set: at most a day after its own time. */
function byNow(nowMs: number) {
  return v.pipe(
    Instant,
    v.check((instant) => Date.parse(instant) <= nowMs + AHEAD_MS),
  )
}
