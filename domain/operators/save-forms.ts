import type { FormChange } from '../../ports/operators.ts'
import type { FormDefinition, TenantWriter } from '../../ports/records.ts'
import { headlessSupport, compileForm, pathText } from '../forms/language/compile.ts'
import type { FormPasswords } from '../imports/kinds.ts'
import { errorReply } from '../record/reply.ts'
import type { ImportIssue } from '../record/resource.ts'
import { forms } from '../resources/forms.ts'
import {
  type FormLine,
  readGivenForm,
  unknownKeysOf,
  unknownWordsOf,
  type GivenForm,
} from '../forms/language/check.ts'
import { echoed } from '../limits/limits.ts'
import { isJsonObject, orderedJson } from '../text/encoding.ts'
import { component, described } from '../record/meaning.ts'
import { instant } from './serve.ts'
import * as v from 'valibot'

/** The path of an organization's forms. */
export const FORMS_PATH = '/operator/v1/organizations/{organizationId}/forms'

/** The answer about a form that an organization does not have. */
export function unknownForm(formId: string, organizationId: string) {
  return errorReply(404, `${organizationId} has no form ${echoed(formId)}.`)
}

/** A form as it is stored, as far as saving needs it. */
export interface StoredForm {
  readonly formId: string
  readonly name: string
  readonly isPublished: boolean
  readonly definition: FormDefinition
  readonly passwordHash: string | null
  readonly publishedAt: string | null
  readonly createdAt: string
  readonly updatedAt: string
}

/** The names of `StoredForm`'s fields. */
export const storedFormFields: readonly (keyof StoredForm)[] = [
  ...(['formId', 'name', 'isPublished', 'definition', 'passwordHash'] as const),
  ...(['publishedAt', 'createdAt', 'updatedAt'] as const),
]

/** The stored forms with these ids. */
export async function findForms(
  formIds: readonly string[],
  { findMany }: Pick<TenantWriter, 'findMany'>,
): Promise<ReadonlyMap<string, StoredForm>> {
  const rows = await findMany(forms.collection, storedFormFields, formIds)
  // The selected fields are those of the type.
  return new Map(rows.map((row) => [String(row.formId), row as unknown as StoredForm]))
}

/** Whether a form can be submitted here. */
export const support = {
  supported: described(v.boolean(), 'Whether it can be submitted here. If not, it must be hosted.'),
  reasons: described(v.array(v.string()), 'Why it must be hosted.'),
}

export const ListedForm = v.strictObject({
  formId: described(v.string(), 'Names the form, in the whole service.'),
  name: v.string(),
  isPublished: described(v.boolean(), 'Whether it takes submissions.'),
  requiresPassword: described(v.boolean(), 'Whether a submission needs the password of the form.'),
  ...support,
  publishedAt: described(v.nullable(instant), 'When it was published first; null: it never was.'),
  createdAt: instant,
  updatedAt: instant,
})

export type ListedForm = v.InferOutput<typeof ListedForm>

/** A form with its definition, as it is answered. */
export const ShownForm = component(
  'StoredForm',
  described(
    v.strictObject({
      form: described(
        v.record(v.string(), v.unknown()),
        'The form as an import takes it, without its password.',
      ),
      ...ListedForm.entries,
    }),
    'A form with its definition.',
  ),
)

/** A form with its definition: the state that the operations on forms change. */
export function shown(form: StoredForm): v.InferOutput<typeof ShownForm> {
  return { form: lineOf(form), ...published(form) }
}

export function published({ definition, passwordHash, ...form }: StoredForm): ListedForm {
  const { formId, name, isPublished, publishedAt, createdAt, updatedAt } = form
  const stored = { formId, name, isPublished, publishedAt, createdAt, updatedAt }
  return { ...stored, requiresPassword: passwordHash !== null, ...headlessSupport(definition) }
}

/** The form as a line of an import. */
function lineOf({ definition, ...form }: StoredForm): Record<string, unknown> {
  const { formId, name, isPublished, createdAt, publishedAt } = form
  const published = publishedAt === null ? {} : { publishedAt }
  return { ...definition, formId, name, isPublished, createdAt, ...published }
}

/** What is wrong with a given form. */
interface GivenFormProblem extends ImportIssue {
  /** The position of the form among those given, beginning with 1. */
  readonly form: number
}

/** What became of a form that was saved. */
export interface SavedForm {
  /** As it is stored now. */
  readonly form: StoredForm
  readonly outcome: 'created' | 'changed' | 'unchanged'
  /** What changed; null: nothing. */
  readonly change: FormChange | null
  /** Whether it can be submitted here. If not, it is saved unpublished. */
  readonly supported: boolean
  /** Why it must be hosted, as sentences. */
  readonly reasons: readonly string[]
}

const FOREIGN = { field: 'formId', message: 'belongs to another organization' }

/** The ports that saving forms needs. */
interface SavingForms {
  readonly tenant: Pick<TenantWriter, 'findMany' | 'foreignIds' | 'change'>
  readonly passwords: FormPasswords
  /** The present UTC instant. */
  readonly now: string
  /** The name of who saves them. */
  readonly savedBy: string
  /** Whether who saves them may publish, and say to whom notifications go. */
  readonly isOwner: boolean
}

interface SaveOptions {
  /** Whether all of them are unpublished, whatever they say. */
  readonly unpublish?: boolean | undefined
  /** Whether they were stored before, so that keys and words that only an import takes are right. */
  readonly isStored?: boolean
}

/**
 * Creates or updates forms, all of them or none, provided that what is stored is still what was found; else `overtaken`,
 * and nothing is saved. A setting that is left out is cleared, but a password that is left out stays as it is stored at
 * the moment of the write. A form that cannot be submitted here is saved unpublished, unless nothing of it changes. One
 * that is published stays so, or is refused. Each that changes becomes a version.
 */
export async function saveForms(
  given: readonly GivenForm[],
  found: ReadonlyMap<string, StoredForm>,
  { tenant, passwords, now, savedBy, isOwner }: SavingForms,
  { unpublish = false, isStored = false }: SaveOptions = {},
): Promise<
  | {
      readonly kind: 'refused'
      readonly problems: readonly GivenFormProblem[]
      /** Whether they would be saved with `unpublish`. */
      readonly isForced?: boolean
      /** Whether only an owner may do this. */
      readonly isReserved?: boolean
    }
  | { readonly kind: 'saved'; readonly saved: readonly SavedForm[] }
  | 'overtaken'
> {
  const readings = given.map(readGivenForm)
  const ids = given.map(({ formId }) => formId)
  const textIds = ids.filter((id) => typeof id === 'string')
  const foreignIds = async () => new Set(await tenant.foreignIds(forms.collection, textIds))
  const foreign = await foreignIds()
  const problems = given.flatMap((form, index) => {
    const reading = readings[index]
    const stored = found.get(String(form.formId))?.definition ?? null
    const unknown = isStored ? [] : [...unknownKeysOf(form), ...unknownWordsOf(form, stored)]
    const own = [
      ...(reading !== undefined && 'issues' in reading ? reading.issues : []),
      ...unknown.map(({ path, message }) => ({ field: pathText(path), message })),
      ...(ids.indexOf(form.formId) < index ? [{ field: 'formId', message: 'is given twice' }] : []),
      ...(foreign.has(String(form.formId)) ? [FOREIGN] : []),
    ]
    return own.map((problem) => ({ form: index + 1, ...problem }))
  })
  if (problems.length > 0) return { kind: 'refused', problems }
  const drafts = await Promise.all(
    given.map(async (form, index) => {
      const reading = readings[index]
      if (reading === undefined || 'issues' in reading) throw new Error('A form with problems was refused')
      const before = found.get(reading.form.definition.formId) ?? null
      const password = await passwordOf(form, before, passwords)
      return draftOf(reading.form, before, { password, isGiven: 'isPublished' in form, unpublish, now })
    }),
  )
  const reserved = isOwner
    ? []
    : drafts.flatMap((drafted, index) =>
        reservedChanges(drafted).map((field) => ({ form: index + 1, field, message: RESERVED })),
      )
  if (reserved.length > 0) return { kind: 'refused', problems: reserved, isReserved: true }
  const offline = drafts.flatMap((drafted, index) =>
    unpublish ? [] : offlineProblems(drafted).map((problem) => ({ form: index + 1, ...problem })),
  )
  if (offline.length > 0) return { kind: 'refused', problems: offline, isForced: true }
  try {
    const saved = await write(drafts, tenant, savedBy)
    return saved === null ? 'overtaken' : { kind: 'saved', saved }
  } catch (error) {
    // Another organization may have saved a form under one of these ids meanwhile.
    const taken = await foreignIds()
    if (taken.size === 0) throw error
    const late = ids.flatMap((id, index) => (taken.has(String(id)) ? [{ form: index + 1, ...FOREIGN }] : []))
    return { kind: 'refused', problems: late }
  }
}

const RESERVED = 'can be changed by an owner of the organization alone'

/** What a draft changes that is for owners: whether the form is in public, and to whom mail goes. */
function reservedChanges({ draft, before }: Drafted): readonly string[] {
  const emails = (form: FormDefinition | undefined) => orderedJson(form?.notificationEmails ?? [])
  return [
    ...(draft.isPublished === (before?.isPublished ?? false) ? [] : ['isPublished']),
    ...(emails(draft.definition) === emails(before?.definition) ? [] : ['notificationEmails']),
  ]
}

interface DraftingForm {
  readonly password: Pick<Draft, 'passwordHash'>
  /** Whether the form says whether it is published. */
  readonly isGiven: boolean
  readonly unpublish: boolean
  readonly now: string
}

/** The draft of a form as it is given. What cannot be submitted here is not published by it. */
function draftOf(
  { definition, publishedAt, createdAt }: FormLine,
  before: StoredForm | null,
  { password, isGiven, unpublish, now }: DraftingForm,
): Drafted {
  const support = headlessSupport(definition)
  const wasPublished = before?.isPublished === true
  const wanted = !unpublish && (isGiven ? definition.isPublished : wasPublished)
  const draftWith = (isPublished: boolean): Draft => ({
    ...password,
    formId: definition.formId,
    name: definition.name,
    isPublished,
    definition: { ...definition, isPublished },
    publishedAt: publishedAt ?? before?.publishedAt ?? (isPublished && !wasPublished ? now : null),
    createdAt: createdAt ?? before?.createdAt ?? now,
  })
  // An import publishes any form. One that is shown and saved again stays as it is.
  const asGiven = draftWith(wanted)
  const stays = before !== null && changeIn(asGiven, before) === null
  return { draft: stays ? asGiven : draftWith(wanted && support.supported), before, support }
}

/** Why a draft would take a form offline that is published. A form is never unpublished by saving it alone. */
function offlineProblems({ draft, before }: Drafted): readonly ImportIssue[] {
  if (before?.isPublished !== true || draft.isPublished) return []
  const compilation = compileForm(draft.definition)
  if (compilation.kind === 'supported')
    return [{ field: 'isPublished', message: 'is false, which would take the published form offline' }]
  return compilation.problems.map(({ path, sentence }) => ({
    field: pathText(path),
    message: `would take the published form offline: ${sentence}`,
  }))
}

/**
 * Publishes a form or takes it back, provided that it is still as it was found; else `overtaken`. So a definition is
 * never published that was not checked. A form that cannot be submitted here is not published.
 */
export async function publishForm(
  found: StoredForm,
  isPublished: boolean,
  { tenant, now }: Pick<SavingForms, 'tenant' | 'now'>,
): Promise<SavedForm | 'overtaken'> {
  const support = headlessSupport(found.definition)
  const isRefused = isPublished && !support.supported
  if (isRefused || found.isPublished === isPublished)
    return { form: found, outcome: 'unchanged', change: null, ...support }
  const { passwordHash: _kept, updatedAt: _assigned, ...rest } = found
  const publishedAt = found.publishedAt ?? (isPublished ? now : null)
  const draft = { ...rest, definition: { ...found.definition, isPublished }, isPublished, publishedAt }
  const [saved] = (await write([{ draft, before: found, support }], tenant)) ?? []
  return saved ?? 'overtaken'
}

/** A form to be written. Without a hash, it keeps the password that is stored when it is written. */
type Draft = Omit<StoredForm, 'updatedAt' | 'passwordHash'> & Partial<Pick<StoredForm, 'passwordHash'>>

interface Drafted {
  readonly draft: Draft
  /** The form that it replaces; null: there is none. */
  readonly before: StoredForm | null
  readonly support: ReturnType<typeof headlessSupport>
}

/** Writes the drafts that change something, in one step. Null: one of the forms that they replace was changed meanwhile. */
async function write(
  drafts: readonly Drafted[],
  tenant: SavingForms['tenant'],
  savedBy?: string,
): Promise<readonly SavedForm[] | null> {
  const changes = drafts.flatMap(({ draft, before }) =>
    changeIn(draft, before) === null ? [] : [{ row: { ...draft }, replaces: before?.updatedAt ?? null }],
  )
  const instants = await tenant.change(forms.collection, changes, savedBy)
  if (instants === null) return null
  const written = new Map(changes.map(({ row }, index) => [row.formId, instants[index]]))
  return drafts.map(({ draft, before, support }) => {
    const updatedAt = written.get(draft.formId) ?? before?.updatedAt ?? ''
    return {
      form: { passwordHash: before?.passwordHash ?? null, ...draft, updatedAt },
      outcome: before === null ? 'created' : written.has(draft.formId) ? 'changed' : 'unchanged',
      change: changeIn(draft, before),
      ...support,
    }
  })
}

/** The hash to write. None is written when no password is given, or the given one still fits. Null removes the password. */
async function passwordOf(
  { password }: GivenForm,
  before: StoredForm | null,
  passwords: FormPasswords,
): Promise<Pick<Draft, 'passwordHash'>> {
  if (password === undefined) return {}
  if (typeof password !== 'string') return { passwordHash: null }
  const stored = before?.passwordHash ?? null
  if (stored !== null && (await passwords.verify(password, stored))) return {}
  return { passwordHash: await passwords.hash(password) }
}

/** What a draft changes, by names; null: nothing. The order of settings means nothing. */
function changeIn(draft: Draft, before: StoredForm | null): FormChange | null {
  const was = before === null ? {} : settingsOf(before)
  const is = settingsOf({ passwordHash: before?.passwordHash ?? null, ...draft })
  const keys = namesOf(is, was).filter((key) => orderedJson(is[key]) !== orderedJson(was[key]))
  if (before !== null && keys.length === 0) return null
  const [fields, fieldsBefore] = [
    fieldsOf(draft.definition),
    before === null ? {} : fieldsOf(before.definition),
  ]
  const changed = namesOf(fields, fieldsBefore).filter(
    (id) => orderedJson(fields[id]) !== orderedJson(fieldsBefore[id]),
  )
  return { id: draft.formId, keys, fieldIds: changed }
}

/** The settings that a form has, by their keys in a line of an import, with the hash in place of the password. */
function settingsOf({ definition, passwordHash, ...form }: Omit<StoredForm, 'updatedAt'>): Named {
  const { formId, name, isPublished, publishedAt, createdAt } = form
  const all = { ...definition, formId, name, isPublished, publishedAt, createdAt, password: passwordHash }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null))
}

/** The fields of a form by their ids. What has no id is no field by which anything could be named. */
function fieldsOf({ fields }: FormDefinition): Named {
  const named = fields
    .filter(isJsonObject)
    .flatMap((field) => (typeof field.id === 'string' ? [[field.id, field] as const] : []))
  return Object.fromEntries(named)
}

type Named = Readonly<Record<string, unknown>>

function namesOf(...all: readonly Named[]): readonly string[] {
  return [...new Set(all.flatMap(Object.keys))]
}
