import * as v from 'valibot'
import type { StoredRow, TenantWriter } from '../../ports/records.ts'
import { stepProblems } from '../forms/message-text.ts'
import { automationKind, type ImportKind } from '../imports/kinds.ts'
import type { ImportIssue } from '../record/resource.ts'
import { automations, type Steps } from '../resources/automations.ts'
import { contactLists } from '../resources/contact-lists.ts'
import { forms } from '../resources/forms.ts'
import { echoed } from '../limits/limits.ts'
import { orderedJson } from '../text/encoding.ts'
import { suggestion } from '../text/schema-errors.ts'
import {
  AUTOMATIONS_PATH,
  Status,
  sampleLine,
  showOrganizationAutomation,
  stateOf,
  shownWith,
  unknownAutomation,
  type StoredAutomation,
  type GivenAutomation,
  findAutomations,
  lineOf,
} from './automations.ts'
import { ofOrganization, type Called, type Said } from '../record/command.ts'
import { component, described } from '../record/meaning.ts'
import { jsonResponse } from '../record/operation.ts'
import { errorReply, jsonReply, PRIVATE } from '../record/reply.ts'
import { toInstant } from '../text/instant.ts'
import { changeAsRead, isConditional, nothingSaved, stateReply } from './change.ts'
import { jsonBody, operated } from './serve.ts'

const Saved = v.strictObject({
  automationId: v.string(),
  outcome: described(v.picklist(['created', 'changed', 'unchanged']), 'What became of it.'),
  status: Status,
  changed: described(v.array(v.string()), 'The keys whose values changed.'),
})

const savedSample: v.InferOutput<typeof Saved> = {
  automationId: 'thanks',
  outcome: 'created',
  status: 'active',
  changed: ['automationId', 'name', 'status', 'trigger', 'steps', 'createdAt'],
}

const SavedAutomations = component(
  'SavedAutomations',
  described(
    v.strictObject({ data: described(v.array(Saved), 'One for each automation, in their order.') }),
    'What became of automations.',
  ),
)

const RefusedAutomations = component(
  'RefusedAutomations',
  described(
    v.strictObject({
      error: v.string(),
      problems: described(
        v.array(
          v.strictObject({
            automation: described(
              v.pipe(v.number(), v.integer()),
              'Which of the automations, beginning with 1.',
            ),
            field: described(v.string(), 'The part of the automation, such as `steps[0].subject`.'),
            message: described(v.string(), 'The rest of a sentence that begins with the part.'),
          }),
        ),
        'What is wrong, at most fifty of them.',
      ),
    }),
    'Why none of the automations was saved.',
  ),
)

/** The maximum number of automations that are saved at once, and the maximum size of the request. */
export const AUTOMATIONS_MAX = 100
const MAX_BYTES = 1_048_576

export const saveOrganizationAutomations = operated({
  id: 'organizationAutomations.save',
  method: 'POST',
  path: AUTOMATIONS_PATH,
  access: 'admin',
  openTo: 'owner',
  tag: 'Automations',
  needsOrganization: true,
  action: 'automation.save',
  versioned: { of: showOrganizationAutomation, mayCreate: true, mayBeSeveral: true },
  summary: 'Create or update automations',
  description:
    'All of them, or none. A setting that is left out is cleared, but `status` and `createdAt` stay as they are stored; a new automation without a status is a draft. An unknown key is refused, and so is what is not there: the form, a list, and in texts `{{fieldId}}` of no field of the form.',
  body: jsonBody(
    v.strictObject({
      automations: described(
        v.pipe(
          v.array(v.record(v.string(), v.unknown(), 'must be an object'), 'must be an array'),
          v.minLength(1, 'must not be empty'),
          v.maxLength(AUTOMATIONS_MAX, `must be at most ${AUTOMATIONS_MAX} automations`),
        ),
        'Automations as an import takes them. `status` and `createdAt` may be left out.',
      ),
    }),
    { automations: [sampleLine] },
    MAX_BYTES,
  ),
  responses: {
    200: jsonResponse('They are saved.', SavedAutomations, { data: [savedSample] }),
    422: jsonResponse('Nothing is saved.', RefusedAutomations, {
      error:
        'Nothing was saved. Automation 1: steps[0].subject has {{firstname}}, and the form has no field of that id. Did you mean {{firstName}}?',
      problems: [
        {
          automation: 1,
          field: 'steps[0].subject',
          message: 'has {{firstname}}, and the form has no field of that id. Did you mean {{firstName}}?',
        },
      ],
    }),
  },
  answer: async ({ operation, params: { organizationId = '' }, organization, ...asked }, world) => {
    const { body, change, precondition } = asked
    const isOne = body.automations.length === 1
    if (isConditional(precondition) && !isOne)
      return errorReply(
        400,
        'If-Match and If-None-Match: need a single automation, because each has its own ETag.',
      )
    const ids = body.automations.map(idIn).filter((id) => id !== '')
    await change.announce({ type: 'automations', ids: ids.filter(isRecordable) })
    const tenant = world.tenant(organizationId)
    const ports = { tenant, organizationId, now: toInstant(world.clock.nowMs()) }
    const saved = await changeAsRead(operation, precondition, {
      read: () => stateOf(ids, tenant, organization.automationHourly),
      shown: ({ state }) => state,
      write: ({ found }) => saveAutomations(body.automations, found, ports),
    })
    if ('refusal' in saved) return saved.refusal
    const saving = saved.outcome
    if (saving.kind === 'refused') {
      const body = nothingSaved(saving.problems, ({ automation }) => `Automation ${automation}`)
      return jsonReply(422, body, PRIVATE)
    }
    change.concerns(subjectOf(saving.saved))
    const [only] = saving.saved
    const state =
      isOne && only !== undefined
        ? await shownWith(only.automation, tenant, organization.automationHourly)
        : null
    return stateReply(operation, 200, { data: saving.saved.map(publishedSave) }, state)
  },
})

/** What a person is told of an automation that was saved, in a line. */
export function toldOfAutomation({
  automationId,
  outcome,
  status,
  changed,
}: v.InferOutput<typeof Saved>): string {
  const what = outcome === 'changed' ? ` (${changed.join(', ')})` : ''
  return `${automationId}: ${outcome}${what}, ${status}`
}

const switching = {
  positionals: ['AUTOMATIONID'],
  flags: { org: ofOrganization() },
  examples: ['thanks --org lakeside'],
  says: (saved: v.InferOutput<typeof Saved>, _called: Called): Said => ({ out: [toldOfAutomation(saved)] }),
}

export const setAutomationStatus = operated({
  id: 'organizationAutomations.setStatus',
  method: 'PUT',
  path: `${AUTOMATIONS_PATH}/{automationId}/status`,
  access: 'admin',
  openTo: 'owner',
  tag: 'Automations',
  needsOrganization: true,
  action: 'automation.status',
  versioned: { of: showOrganizationAutomation },
  summary: 'Pause an automation, or resume it',
  description:
    'Submissions start an active automation only. What they have started before goes on. Nothing else of it changes.',
  body: jsonBody(
    v.strictObject({
      status: described(v.picklist(['active', 'paused']), 'What it shall be.'),
    }),
    { status: 'paused' },
  ),
  responses: {
    200: jsonResponse('It is as asked.', Saved, {
      ...savedSample,
      outcome: 'changed',
      status: 'paused',
      changed: ['status'],
    }),
  },
  commands: [
    {
      words: ['automation', 'pause'],
      ...switching,
      body: { status: 'paused' },
      summary: 'Pause an automation, so that no submission starts it',
      details: ['What submissions have started before goes on.'],
    },
    {
      words: ['automation', 'resume'],
      ...switching,
      body: { status: 'active' },
      summary: 'Resume an automation, or begin with a draft',
      details: ['It follows submissions from now on, and not those that came in meanwhile.'],
    },
  ],
  answer: async (request, world) => {
    const { operation, organization, body, change, precondition } = request
    const { organizationId = '', automationId = '' } = request.params
    const tenant = world.tenant(organizationId)
    if (!(await findAutomations([automationId], tenant)).has(automationId))
      return unknownAutomation(automationId, organizationId)
    await change.announce({ type: 'automations', ids: [automationId].filter(isRecordable) })
    const saved = await changeAsRead(operation, precondition, {
      read: () => stateOf([automationId], tenant, organization.automationHourly),
      shown: ({ state }) => state,
      write: async ({ found }) => {
        const stored = found.get(automationId)
        return stored === undefined ? null : setStatus(stored, body.status, tenant)
      },
    })
    if ('refusal' in saved) return saved.refusal
    if (saved.outcome === null) return unknownAutomation(automationId, organizationId)
    change.concerns(subjectOf([saved.outcome]))
    const state = await shownWith(saved.outcome.automation, tenant, organization.automationHourly)
    return stateReply(operation, 200, publishedSave(saved.outcome), state)
  },
})

function publishedSave({ automation, outcome, keys }: SavedAutomation): v.InferOutput<typeof Saved> {
  const { automationId, status } = automation
  return { automationId, outcome, status, changed: [...keys] }
}

/** An id of another form may be a mistyped secret or an address, which is not recorded. */
function isRecordable(id: string): boolean {
  return /^[\w.:-]{1,200}$/.test(id)
}

function subjectOf(saved: readonly SavedAutomation[]) {
  const ids = saved.map(({ automation }) => automation.automationId).filter(isRecordable)
  const changed = saved
    .filter(({ automation, keys }) => keys.length > 0 && isRecordable(automation.automationId))
    .map(({ automation, keys }) => ({ id: automation.automationId, keys }))
  return { type: 'automations', ids, changed } as const
}

/** What is wrong with a given automation. */
interface GivenAutomationProblem extends ImportIssue {
  /** The position of the automation among those given, beginning with 1. */
  readonly automation: number
}

/** What became of an automation that was saved. */
interface SavedAutomation {
  /** As it is stored now. */
  readonly automation: StoredAutomation
  readonly outcome: 'created' | 'changed' | 'unchanged'
  /** The keys whose values changed. */
  readonly keys: readonly string[]
}

/** The ports that saving automations needs. */
interface SavingAutomations {
  readonly tenant: Pick<TenantWriter, 'findMany' | 'findPage' | 'change'>
  readonly organizationId: string
  /** The present UTC instant. */
  readonly now: string
}

/**
 * Creates or updates automations, all of them or none, provided that what is stored is still what was found; else
 * `overtaken`, and nothing is saved. A setting that is left out is cleared, but a status stays, and a new automation
 * without one is a draft. What an automation refers to must be there, unless nothing of it changes.
 */
async function saveAutomations(
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
function idIn({ automationId }: GivenAutomation): string {
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
  return keys.filter((key) => orderedJson(is[key]) !== orderedJson(was[key]))
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
async function setStatus(
  found: StoredAutomation,
  status: StoredAutomation['status'],
  tenant: Pick<TenantWriter, 'change'>,
): Promise<SavedAutomation | 'overtaken'> {
  const { updatedAt: _assigned, ...row } = { ...found, status }
  const keys = found.status === status ? [] : ['status']
  const [saved] = (await write([{ row, before: found, keys }], tenant)) ?? []
  return saved ?? 'overtaken'
}
