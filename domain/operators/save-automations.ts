import type { StoredRow, TenantWriter } from '../../ports/records.ts'
import { stepProblems } from '../forms/message-text.ts'
import { automationKind, type ImportKind } from '../imports/kinds.ts'
import { type Steps, automations } from '../resources/automations.ts'
import { echoed } from '../limits/limits.ts'
import type { ImportIssue } from '../record/resource.ts'
import { contactLists } from '../resources/contact-lists.ts'
import { forms } from '../resources/forms.ts'
import { suggestion } from '../text/words.ts'

/** An automation as it is stored. */
export interface StoredAutomation {
  readonly automationId: string
  readonly name: string
  readonly description: string | null
  readonly status: 'active' | 'paused' | 'draft'
  readonly trigger: { readonly type: string; readonly formId: string | null }
  readonly stepCount: number
  /** The form whose submissions trigger it; null: none does. */
  readonly triggerFormId: string | null
  readonly steps: Steps
  readonly createdAt: string
  readonly updatedAt: string
}

/** The names of `StoredAutomation`'s fields. */
export const storedAutomationFields: readonly (keyof StoredAutomation)[] = [
  ...(['automationId', 'name', 'description', 'status', 'trigger', 'stepCount'] as const),
  ...(['triggerFormId', 'steps', 'createdAt', 'updatedAt'] as const),
]

/** An automation as it is given to be saved: a line of an import. */
type GivenAutomation = Readonly<Record<string, unknown>>

/** What is wrong with a given automation. */
export interface GivenAutomationProblem extends ImportIssue {
  /** The position of the automation among those given, beginning with 1. */
  readonly automation: number
}

/** What became of an automation that was saved. */
export interface SavedAutomation {
  /** As it is stored now. */
  readonly automation: StoredAutomation
  readonly outcome: 'created' | 'changed' | 'unchanged'
  /** The keys whose values changed. */
  readonly keys: readonly string[]
}

/** The ports that saving automations needs. */
export interface SavingAutomations {
  readonly tenant: Pick<TenantWriter, 'findMany' | 'findPage' | 'change'>
  readonly organizationId: string
  /** The present UTC instant. */
  readonly now: string
}

/** The stored automations with these ids. */
export async function findAutomations(
  ids: readonly string[],
  { findMany }: Pick<TenantWriter, 'findMany'>,
): Promise<ReadonlyMap<string, StoredAutomation>> {
  const rows = await findMany(automations.collection, storedAutomationFields, ids)
  // The selected fields are those of the type.
  return new Map(rows.map((row) => [String(row.automationId), row as unknown as StoredAutomation]))
}

/** The automation as a line of an import. */
export function lineOf(stored: StoredAutomation): GivenAutomation {
  const { automationId, name, description, status, trigger, steps, createdAt } = stored
  const described = description === null ? {} : { description }
  return { automationId, name, ...described, status, trigger, steps, createdAt }
}

/**
 * Creates or updates automations, all of them or none, provided that what is stored is still what was found; else
 * `overtaken`, and nothing is saved. A setting that is left out is cleared, but a status stays, and a new automation
 * without one is a draft. What an automation refers to must be there, unless nothing of it changes.
 */
export async function saveAutomations(
  given: readonly GivenAutomation[],
  found: ReadonlyMap<string, StoredAutomation>,
  ports: SavingAutomations,
): Promise<
  | { readonly kind: 'refused'; readonly problems: readonly GivenAutomationProblem[] }
  | { readonly kind: 'saved'; readonly saved: readonly SavedAutomation[] }
  | 'overtaken'
> {
  const kind = automationKind()
  const readings = given.map((line) =>
    reading(line, found.get(idIn(line)) ?? null, { kind, organizationId: ports.organizationId }),
  )
  const ids = readings.map((one) => ('row' in one ? String(one.row.automationId) : null))
  const problems = readings.flatMap((one, index) => {
    const isTwice = ids[index] !== null && ids.indexOf(ids[index] ?? null) < index
    const own = [
      ...('issues' in one ? one.issues : []),
      ...(isTwice ? [{ field: automations.idField, message: 'is given twice' }] : []),
    ]
    return own.map((problem) => ({ automation: index + 1, ...problem }))
  })
  if (problems.length > 0) return { kind: 'refused', problems }
  const drafts = readings.flatMap((one) => ('row' in one ? [draftOf(one.row, found, ports)] : []))
  const missing = await unresolved(drafts, ports.tenant)
  if (missing.length > 0) return { kind: 'refused', problems: missing }
  const saved = await write(drafts, ports.tenant)
  return saved === null ? 'overtaken' : { kind: 'saved', saved }
}

/** The id that a line names, as it is stored. */
export function idIn({ automationId }: GivenAutomation): string {
  return typeof automationId === 'string' ? automationId.trim() : ''
}

/** Reads a line as an import does. */
function reading(
  line: GivenAutomation,
  before: StoredAutomation | null,
  { kind, organizationId }: { readonly kind: ImportKind; readonly organizationId: string },
): { readonly row: StoredRow } | { readonly issues: readonly ImportIssue[] } {
  const unknown = Object.keys(line).flatMap((key) => {
    const message = kind.problemOf(key)
    return message === null ? [] : [{ field: key, message }]
  })
  const known = Object.fromEntries(Object.entries(line).filter(([key]) => kind.problemOf(key) === null))
  const record = { ...known, status: known.status ?? before?.status ?? 'draft' }
  // No field of an automation is a phone number.
  const read = kind.read(record, { organizationId, phoneCountry: '', toE164: () => null })
  if ('row' in read && unknown.length === 0) return read
  const issues = 'issues' in read ? read.issues : []
  return {
    issues: [...unknown, ...issues.map(({ field, message }) => ({ field: bracketed(field), message }))],
  }
}

/** A path as people write it: `steps[0].subject` for `steps.0.subject`. */
function bracketed(path: string): string {
  return path.replaceAll(/\.(\d+)(?=\.|$)/g, '[$1]')
}

/** An automation to be written, and what it replaces. */
interface Draft {
  readonly row: Omit<StoredAutomation, 'updatedAt'>
  /** Null: there is none. */
  readonly before: StoredAutomation | null
  readonly keys: readonly string[]
}

function draftOf(
  read: StoredRow,
  found: ReadonlyMap<string, StoredAutomation>,
  { now }: Pick<SavingAutomations, 'now'>,
): Draft {
  const before = found.get(String(read.automationId)) ?? null
  const createdAt = read.createdAt ?? before?.createdAt ?? now
  // The kind has read it.
  const row = { ...read, createdAt } as unknown as Draft['row']
  return { row, before, keys: changedKeys(row, before) }
}

/** The keys of a line whose values a draft changes. */
function changedKeys(row: Draft['row'], before: StoredAutomation | null): readonly string[] {
  const is = lineOf({ ...row, updatedAt: '' })
  const was = before === null ? {} : lineOf(before)
  const keys = [...new Set([...Object.keys(is), ...Object.keys(was)])]
  return keys.filter((key) => ordered(is[key]) !== ordered(was[key]))
}

/** A value as JSON, with the keys of each object in order: what is stored may have them in another one. */
function ordered(value: unknown): string | undefined {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([left], [right]) => (left < right ? -1 : 1)))
      : inner,
  )
}

/** The problems of drafts that change something and refer to forms, fields or lists that are not there. */
async function unresolved(
  drafts: readonly Draft[],
  tenant: SavingAutomations['tenant'],
): Promise<readonly GivenAutomationProblem[]> {
  const changing = drafts.filter(({ keys }) => keys.length > 0)
  const triggers = changing.flatMap(({ row }) => row.triggerFormId ?? [])
  const lists = changing.flatMap(({ row }) => listsIn(row.steps).map(({ listId }) => listId))
  const fieldsOf = new Map(
    (await tenant.findMany(forms.collection, ['formId', 'definition'], triggers)).map(
      ({ formId, definition }) => [formId, (definition as { readonly fields: unknown }).fields] as const,
    ),
  )
  const typeOf = new Map(
    (await tenant.findMany(contactLists.collection, ['listId', 'type'], lists)).map(
      ({ listId, type }) => [listId, type] as const,
    ),
  )
  const isMissing = (known: ReadonlyMap<unknown, unknown>, ids: readonly string[]) =>
    ids.some((id) => !known.has(id))
  const formIds = isMissing(fieldsOf, triggers) ? await idsOf(forms, tenant) : []
  const listIds = isMissing(typeOf, lists) ? await idsOf(contactLists, tenant) : []
  return drafts.flatMap(({ row, keys }, index) => {
    if (keys.length === 0) return []
    const { triggerFormId, steps } = row
    const own = [
      ...(triggerFormId !== null && !fieldsOf.has(triggerFormId)
        ? [{ field: 'trigger.formId', message: unknownId('form', triggerFormId, formIds) }]
        : []),
      ...(triggerFormId !== null && fieldsOf.has(triggerFormId)
        ? stepProblems(steps, fieldsOf.get(triggerFormId))
        : []),
      ...listsIn(steps).flatMap(({ listId, field }) => {
        const type = typeOf.get(listId)
        if (type === undefined) return [{ field, message: unknownId('list', listId, listIds) }]
        return type === 'static'
          ? []
          : [{ field, message: 'is a dynamic list, to which nobody can be added' }]
      }),
    ]
    return own.map((problem) => ({ automation: index + 1, ...problem }))
  })
}

function listsIn(steps: Steps) {
  return steps.flatMap((step, index) =>
    step.type === 'add_to_list' ? [{ listId: step.listId, field: `steps[${index}].listId` }] : [],
  )
}

function unknownId(noun: string, id: string, known: readonly string[]): string {
  return `is ${echoed(id)}, and the organization has no ${noun} of that id.${suggestion(id, known)}`
}

/** Among how many of the newest the nearest id is looked for. */
const LOOKED_AT_MAX = 500

async function idsOf(
  { collection, idField }: typeof forms | typeof contactLists,
  tenant: Pick<TenantWriter, 'findPage'>,
): Promise<readonly string[]> {
  const { rows } = await tenant.findPage({
    kind: 'page',
    collection,
    select: [idField, 'createdAt'],
    where: [],
    order: { field: 'createdAt', idField, direction: 'descending' },
    after: null,
    limit: LOOKED_AT_MAX,
  })
  return rows.map((row) => String(row[idField]))
}

/** Writes the drafts that change something, in one step. Null: one that they replace was changed meanwhile. */
async function write(
  drafts: readonly Draft[],
  tenant: Pick<TenantWriter, 'change'>,
): Promise<readonly SavedAutomation[] | null> {
  const changes = drafts.flatMap(({ row, before, keys }) =>
    keys.length === 0 ? [] : [{ row: { ...row }, replaces: before?.updatedAt ?? null }],
  )
  const instants = await tenant.change(automations.collection, changes)
  if (instants === null) return null
  const written = new Map(changes.map(({ row }, index) => [row.automationId, instants[index]]))
  return drafts.map(({ row, before, keys }) => {
    const updatedAt = written.get(row.automationId)
    if (updatedAt !== undefined)
      return { automation: { ...row, updatedAt }, outcome: before === null ? 'created' : 'changed', keys }
    if (before === null) throw new Error('A new automation was not written')
    return { automation: before, outcome: 'unchanged', keys }
  })
}

/** Sets the status of an automation, provided that it is still as it was found; else `overtaken`. */
export async function setStatus(
  found: StoredAutomation,
  status: StoredAutomation['status'],
  tenant: Pick<TenantWriter, 'change'>,
): Promise<SavedAutomation | 'overtaken'> {
  const { updatedAt: _assigned, ...row } = { ...found, status }
  const keys = found.status === status ? [] : ['status']
  const [saved] = (await write([{ row, before: found, keys }], tenant)) ?? []
  return saved ?? 'overtaken'
}
