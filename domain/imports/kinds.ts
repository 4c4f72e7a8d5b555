import type { StoredRow, TenantWriter, FormDefinition } from '../../ports/records.ts'
import type { ImportContext, StorageType } from '../record/field.ts'
import { storedFields, type ImportIssue, type Resource } from '../record/resource.ts'
import type { Secrets } from '../access/secrets.ts'
import { createPurchaseId } from '../access/purchase-id.ts'
import { writtenPosResources } from '../pos/index.ts'
import { automations, contactMessages, type Steps } from '../resources/automations.ts'
import { contacts } from '../resources/contacts.ts'
import { forms } from '../resources/forms.ts'
import { purchases, splitCodes } from '../resources/purchases.ts'
import { writtenResources, resourceOf } from '../resources/index.ts'
import type { Clock } from '../../ports/platform.ts'
import * as v from 'valibot'
import type { Imported, ResourceField } from '../record/resource-field.ts'
import { judge, unknownWord } from '../text/schema-errors.ts'
import { folded, headKey } from './file/header.ts'
import {
  formLineKeys,
  isFormLineKey,
  notAFormKey,
  readFormLine,
  type FormLine,
  type FormLineKey,
} from '../forms/language/check.ts'
import { abuseWarnings } from '../forms/language/warnings.ts'
import { headlessSupport } from '../forms/language/compile.ts'
import { echoed } from '../limits/limits.ts'
import type { ImportFormat, Matching } from '../../ports/import-sessions.ts'
import { contactKind } from './contacts.ts'
import { stepProblems } from '../forms/message-text.ts'

/** A kind of rows that can be imported. */
export interface ImportKind {
  /** The name of the kind, which is also that of the stored collection. */
  readonly collection: string
  /** The field that tells lines apart and finds the row that a line replaces: the id, or the alternate key. */
  readonly keyField: string
  /**
   * All fields that together identify a line: `keyField`, and others when its value is unique only together with
   * theirs.
   */
  readonly key: readonly string[]
  /**
   * A field whose value no problem may show, and which is not stored in clear while its line is incomplete; null: there
   * is none. No message of such a kind may quote a received value.
   */
  readonly secretField: string | null
  /** Whether an id is unique in the whole service, so that importing an id of another organization is refused. */
  readonly serviceWideIds: boolean
  readonly references: readonly Reference[]
  /** The names of the fields that a line may have. */
  readonly names: readonly string[]
  /** What people call fields at the heads of columns, by what `headKey` makes of it. */
  readonly heads: ReadonlyMap<string, string>
  /** By field, the values for which people write other words in cells. Left out: they do not. */
  readonly words?: ReadonlyMap<string, ReadonlyMap<string, unknown>>
  /** How a field is stored; null for a field that cannot be imported. Decides how a CSV cell is read. */
  readonly typeOf: (field: string) => StorageType | null
  /** Why a line may not have this field; null: it may. */
  readonly problemOf: (field: string) => string | null
  /**
   * Reads the values of a line whose fields are all known. Must be cheap. The row is complete, unless the kind has a
   * completion.
   */
  readonly read: (record: ImportRecord, context: ImportContext) => LineReading<StoredRow>
  /** The completion of rows; null: rows are complete when they are read. */
  readonly completion: Completion | null
  /** How these rows become those of the collection; null: each is complete. */
  readonly matching: ((rows: readonly StoredRow[], format: ImportFormat) => Matching) | null
  /** What the operator should know of rows that are in order, as sentences; null: never anything. */
  readonly warn:
    | ((rows: readonly StoredRow[], lookup: Pick<TenantWriter, 'findMany'>) => Promise<readonly string[]>)
    | null
}

export type ImportRecord = Readonly<Record<string, unknown>>

/** The row of a line, or all problems of the line. */
export type LineReading<Row> = { readonly row: Row } | { readonly issues: readonly ImportIssue[] }

/**
 * Completes a row in two steps, because some values depend on the row that it replaces. The drafts in between are
 * stored, so they must not contain a secret in clear text.
 */
export interface Completion {
  /** Stored fields of the row to be replaced that both steps need. */
  readonly carries: readonly string[]
  /** Makes the draft that is staged. Expensive work is done here. */
  readonly draft: (row: StoredRow, existing: StoredRow | null) => Promise<StoredRow>
  /** Makes the complete row from a draft, when it is written. `existing` is the row that it replaces at that time. */
  readonly complete: (
    draft: StoredRow,
    context: ImportContext,
    existing: StoredRow | null,
  ) => Promise<StoredRow>
}

/** A field whose value must be the id of a stored row of another collection. */
export interface Reference {
  readonly field: string
  readonly collection: string
  readonly idField: string
}

/** What kinds may need besides the line itself. */
export interface ImportTools {
  readonly passwords: FormPasswords
  readonly clock: Clock
  /** Called only when an id has to be made, or an incomplete line with a secret has to be kept. */
  readonly secrets: () => Promise<Secrets>
}

/** The names of all import kinds. A kind comes after those that its references need. */
export const importKindNames: readonly string[] = [...writtenResources, ...writtenPosResources].map(
  (resource) => resource.collection,
)

/** Whether rows of this kind are stored at the organization's point of sale, and not in this service. */
export function isKeptAtPos(name: string): boolean {
  return writtenPosResources.some((resource) => resource.collection === name)
}

/**
 * Whether the rows that an import stages are drafts, which this service handles once more when they are written: to
 * complete them, or to send them to a point of sale.
 */
export function isStagedAsDrafts(kind: ImportKind): boolean {
  return kind.completion !== null || isKeptAtPos(kind.collection)
}

/** The kind of that name. Throws when there is none. */
export function kindOf(name: string, tools: ImportTools): ImportKind {
  const resource = resourceOfKind(name)
  if (resource === forms) return formKind(tools.passwords)
  if (resource === contacts) return contactKind(plainKind(resource))
  if (resource === automations) return automationKind()
  if (resource !== purchases) return plainKind(resource)
  return purchaseKind(async (organizationId, processorId) =>
    createPurchaseId(organizationId, processorId, (await tools.secrets()).current),
  )
}

/** The kind of automations, by which an operator's automations are read as well. */
export function automationKind(): ImportKind {
  return { ...plainKind(automations), warn: automationWarnings }
}

/** The resource whose rows a kind brings. Throws when there is no kind of that name. */
export function resourceOfKind(name: string): Resource {
  const all: readonly Resource[] = [...writtenResources, ...writtenPosResources]
  const found = all.find(({ collection }) => collection === name)
  if (found === undefined) throw new Error(`There is no import kind ${name}`)
  return found
}

/** The import of a resource whose lines contain its fields, derived from the resource's record. */
function plainKind(resource: Resource): ImportKind {
  const stored = storedFields(resource)
  const imported = importedFields(resource)
  const read = createReader(imported)
  return {
    collection: resource.collection,
    keyField: resource.idField,
    key: resource.key,
    secretField: null,
    serviceWideIds: resource.serviceWideIds,
    references: referencesOf(resource),
    names: [...imported.keys()],
    heads: new Map(
      [...imported].flatMap(([name, { heads = [] }]) => heads.map((head) => [headKey(head), name] as const)),
    ),
    words: new Map(
      [...imported].flatMap(([name, { words }]) => (words === undefined ? [] : [[name, words]])),
    ),
    typeOf: (name) => imported.get(name)?.field.storage ?? null,
    problemOf: (name) => (imported.has(name) ? null : problemOf(name, resource, [...imported.keys()])),
    read: (record, context) => {
      const reading = read(record, context)
      return 'row' in reading ? { row: withDerived(reading.row, stored) } : reading
    },
    completion: null,
    matching: null,
    warn: null,
  }
}

/** The fields of a resource that a line may have. */
export function importedFields(resource: Resource): ReadonlyMap<string, Imported> {
  return new Map(
    storedFields(resource).flatMap(([name, entry]) =>
      entry.origin === 'imported' ? [[name, entry] as const] : [],
    ),
  )
}

/** Makes a reader of lines, by the input schemas of the fields. The schema is built once per context, not per line. */
function createReader(fields: ReadonlyMap<string, Imported>) {
  const schemas = new Map<ImportContext, ReturnType<typeof schemaOf>>()
  return (record: ImportRecord, context: ImportContext): LineReading<Record<string, unknown>> => {
    const schema = schemas.get(context) ?? schemaOf(fields, context)
    schemas.set(context, schema)
    const judgement = judge(schema, record)
    if ('value' in judgement) return { row: judgement.value }
    return { issues: judgement.problems.map(({ path, message }) => ({ field: path, message })) }
  }
}

/** A field with a natural value that a line leaves out is null in its row, which tells the store to find the value. */
function schemaOf(fields: ReadonlyMap<string, Imported>, context: ImportContext) {
  const entries = [...fields].map(([name, entry]) => {
    const input = entry.field.input(context)
    return [name, entry.default === undefined ? input : v.nullish(input, null)] as const
  })
  return v.object(Object.fromEntries(entries))
}

/** Adds the fields that are derived from the rest of the row, in the order of declaration. */
function withDerived(
  row: Record<string, unknown>,
  stored: readonly (readonly [string, ResourceField])[],
): StoredRow {
  const complete: Record<string, unknown> = { ...row }
  for (const [name, entry] of stored) {
    if (entry.origin === 'derived') complete[name] = entry.derive(complete)
  }
  return complete
}

function problemOf(name: string, resource: Resource, known: readonly string[]): string {
  const declared = [...Object.keys(resource.fields), ...Object.keys(resource.hidden)]
  if (
    declared.some((own) => folded(own) === folded(name)) &&
    !known.some((own) => folded(own) === folded(name))
  )
    return 'is set by the service and cannot be imported. Leave it out.'
  return `is not a field of ${resource.collection}. ${unknownWord(name, known)}`
}

function referencesOf(resource: Resource): readonly Reference[] {
  const found = new Map<string, Reference>()
  for (const [name, entry] of Object.entries({ ...resource.hidden, ...resource.fields })) {
    const collection = entry.origin === 'joined' ? entry.join.collection : referredBy(entry)
    if (collection === null) continue
    const field = entry.origin === 'joined' ? entry.join.by : name
    found.set(`${field} ${collection}`, { field, collection, idField: resourceOf(collection).idField })
  }
  return [...found.values()]
}

function referredBy(entry: ResourceField): string | null {
  return entry.origin === 'imported' ? (entry.refersTo ?? null) : null
}

/** Hashes form passwords and compares them with stored hashes. */
export interface FormPasswords {
  hash(password: string): Promise<string>
  verify(password: string, stored: string): Promise<boolean>
}

/** The storage types of a form line's keys, for CSV. */
const columnTypes: Readonly<Record<FormLineKey, StorageType>> = {
  formId: 'text',
  name: 'text',
  isPublished: 'boolean',
  password: 'text',
  requireEmailVerification: 'boolean',
  posEnrollment: 'boolean',
  submissionLimitPerContact: 'integer',
  successTitle: 'text',
  successMessage: 'text',
  publicUrl: 'text',
  language: 'text',
  extraAnswers: 'text',
  spamFilter: 'text',
  texts: 'json',
  notificationEmails: 'json',
  fields: 'json',
  createdAt: 'text',
  publishedAt: 'text',
}

/**
 * The import of forms. A line is a saved definition with its password in clear text; what is stored is the definition
 * and a hash. The stored hash is kept while the given password still verifies against it, so that importing a file
 * twice changes nothing. A line without a password makes a form without one.
 */
function formKind(passwords: FormPasswords): ImportKind {
  return {
    collection: forms.collection,
    keyField: forms.idField,
    key: [forms.idField],
    secretField: 'password',
    serviceWideIds: forms.serviceWideIds,
    references: [],
    names: formLineKeys,
    heads: new Map(),
    typeOf: (name) => (isFormLineKey(name) ? columnTypes[name] : null),
    problemOf: (name) => (isFormLineKey(name) ? null : notAFormKey(name)),
    read: (record) => {
      const reading = readFormLine(record)
      return 'form' in reading ? { row: rowOf(reading.form) } : reading
    },
    completion: {
      carries: ['passwordHash'],
      draft: async ({ password, ...row }, existing) => ({
        ...row,
        ...(await passwordOf(password, existing?.passwordHash, passwords)),
      }),
      // A form whose password is not to change is written without one, so that a hash which was made anew under another
      // root secret since the draft was made stays, and so does a password that somebody has set since.
      complete: async ({ keepsPassword, passwordHash, ...draft }, _context, existing) =>
        keepsPassword === true && existing !== null ? draft : { ...draft, passwordHash },
    },
    matching: null,
    warn: async (rows) => rows.flatMap(unsubmittable),
  }
}

/** What the operator should know of a form that visitors can find, but not submit here. */
function unsubmittable({ formId, isPublished, definition }: StoredRow): readonly string[] {
  if (isPublished !== true) return []
  // The line was read as a form.
  const { supported, reasons } = headlessSupport(definition as FormDefinition)
  if (supported) return []
  return [
    `${echoed(String(formId))} is published and cannot be submitted here, only on its hosted page. ${reasons.join(' ')}`,
  ]
}

function rowOf({ definition, password, publishedAt, createdAt }: FormLine): StoredRow {
  const { formId, name, isPublished } = definition
  return { formId, name, isPublished, publishedAt, createdAt, definition, password }
}

/** The hash of a form's password, and whether it is the stored hash, which the password still fits. */
async function passwordOf(
  password: unknown,
  stored: unknown,
  passwords: FormPasswords,
): Promise<{ readonly passwordHash: string | null; readonly keepsPassword: boolean }> {
  if (typeof password !== 'string') return { passwordHash: null, keepsPassword: false }
  if (typeof stored === 'string' && (await passwords.verify(password, stored)))
    return { passwordHash: stored, keepsPassword: true }
  return { passwordHash: await passwords.hash(password), keepsPassword: false }
}

/** Makes the public id of a purchase that is stored for the first time. */
type MakePurchaseId = (organizationId: string, processorId: string) => Promise<string>

const KEY = 'processorId'

/**
 * The import of purchases. A line carries the payment processor's id in place of the public one, which is made when the
 * purchase is first stored and kept from then on, even after the secret was rotated.
 */
function purchaseKind(makeId: MakePurchaseId): ImportKind {
  const plain = plainKind(purchases)
  return {
    ...plain,
    keyField: KEY,
    key: [KEY],
    secretField: KEY,
    problemOf: (name) =>
      name === purchases.idField ? `is made by the service; give ${KEY} instead` : plain.problemOf(name),
    read: (record, context) => {
      const reading = plain.read(record, context)
      if ('issues' in reading) return reading
      const { items } = reading.row
      const parts = items === null ? { fulfillmentCodes: null } : splitCodes(items)
      return { row: { ...reading.row, ...parts } }
    },
    completion: {
      carries: [purchases.idField],
      draft: async (row) => row,
      complete: async (draft, { organizationId }, existing) => {
        const purchaseId = existing?.purchaseId ?? (await makeId(organizationId, String(draft[KEY])))
        return { ...draft, purchaseId }
      },
    },
  }
}

/**
 * What the operator should know of automations that are about to be imported, as sentences: what strangers could do with
 * them, and answers in their texts that the form does not have.
 */
async function automationWarnings(
  rows: readonly StoredRow[],
  lookup: Pick<TenantWriter, 'findMany'>,
): Promise<readonly string[]> {
  const triggered = rows.filter(({ triggerFormId }) => typeof triggerFormId === 'string')
  const formIds = [...new Set(triggered.map(({ triggerFormId }) => String(triggerFormId)))]
  const found = formIds.length === 0 ? [] : await lookup.findMany('forms', ['formId', 'definition'], formIds)
  const definitions = new Map(found.map(({ formId, definition }) => [formId, definition as FormDefinition]))
  return triggered.flatMap(({ automationId, status, triggerFormId, steps }) => {
    const definition = definitions.get(triggerFormId)
    if (definition === undefined) return []
    const messages = status === 'active' ? contactMessages(steps) : []
    // The line was read as an automation.
    const places = stepProblems(steps as Steps, definition.fields)
    return [
      ...abuseWarnings(definition, { password: null, messages }),
      ...places.map(({ field, message }) => `${field} ${message} It will be empty.`),
    ].map((sentence) => `${echoed(String(automationId))}: form ${echoed(String(triggerFormId))}: ${sentence}`)
  })
}
