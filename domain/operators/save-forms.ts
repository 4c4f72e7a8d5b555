import type { FormDefinition } from '../../ports/records/form-directory.ts'
import type { TenantWriter } from '../../ports/records/tenant-writer.ts'
import { headlessSupport } from '../forms/definition/compiled/support.ts'
import type { FormPasswords } from '../imports/kinds/form-kind.ts'
import type { ImportIssue } from '../record/resource.ts'
import { forms } from '../resources/forms/forms.ts'
import { isJsonObject } from '../text/json.ts'
import { pathText } from '../forms/definition/problem.ts'
import type { GivenForm } from '../forms/editing/given-form.ts'
import { readGivenForm, unknownKeysOf } from '../forms/editing/given-form.ts'

/** What is wrong with a given form. */
export interface GivenFormProblem extends ImportIssue {
  /** The position of the form among those given, beginning with 1. */
  readonly form: number
}

/** What became of a form that was saved. */
export interface SavedForm {
  readonly formId: string
  readonly outcome: 'created' | 'changed' | 'unchanged'
  readonly isPublished: boolean
  /** Whether it can be submitted here. If not, it is saved unpublished. */
  readonly supported: boolean
  /** Why it must be hosted, as sentences. */
  readonly reasons: readonly string[]
}

/** The stored fields of a form, as far as saving needs them. */
export interface StoredForm {
  readonly formId: string
  readonly name: string
  readonly isPublished: boolean
  readonly definition: FormDefinition
  readonly passwordHash: string | null
  readonly publishedAt: string | null
  readonly createdAt: string
}

/** The names of `StoredForm`'s fields. */
export const storedFormFields: readonly (keyof StoredForm)[] = [
  ...(['formId', 'name', 'isPublished', 'definition', 'passwordHash'] as const),
  ...(['publishedAt', 'createdAt'] as const),
]

const FOREIGN = { field: 'formId', message: 'belongs to another organization' }

/** The ports that saving forms needs. */
export interface SavingForms {
  readonly tenant: Pick<TenantWriter, 'findMany' | 'foreignIds' | 'upsert'>
  readonly passwords: FormPasswords
  /** The present UTC instant. */
  readonly now: string
}

/**
 * Creates or updates forms, all of them or none. A setting that is left out is cleared, but a password that is left out
 * stays. A form that cannot be submitted here is saved unpublished, unless nothing of it changes.
 */
export async function saveForms(
  given: readonly GivenForm[],
  { tenant, passwords, now }: SavingForms,
): Promise<
  | { readonly kind: 'refused'; readonly problems: readonly GivenFormProblem[] }
  | { readonly kind: 'saved'; readonly saved: readonly SavedForm[] }
> {
  const readings = given.map(readGivenForm)
  const ids = given.map(({ formId }) => formId)
  const textIds = ids.filter((id) => typeof id === 'string')
  const foreignIds = async () => new Set(await tenant.foreignIds(forms.collection, textIds))
  const foreign = await foreignIds()
  const problems = given.flatMap((form, index) => {
    const reading = readings[index]
    const own = [
      ...(reading !== undefined && 'issues' in reading ? reading.issues : []),
      ...unknownKeysOf(form).map(({ path, message }) => ({ field: pathText(path), message })),
      ...(ids.indexOf(form.formId) < index ? [{ field: 'formId', message: 'is given twice' }] : []),
      ...(foreign.has(String(form.formId)) ? [FOREIGN] : []),
    ]
    return own.map((problem) => ({ form: index + 1, ...problem }))
  })
  if (problems.length > 0) return { kind: 'refused', problems }
  const stored = await findForms(textIds, tenant)
  const drafts = await Promise.all(
    given.map(async (form, index) => {
      const reading = readings[index]
      if (reading === undefined || 'issues' in reading) throw new Error('A form with problems was refused')
      const before = stored.get(reading.form.definition.formId) ?? null
      const { definition, publishedAt, createdAt } = reading.form
      const support = headlessSupport(definition)
      const wasPublished = before?.isPublished === true
      const wanted = 'isPublished' in form ? definition.isPublished : wasPublished
      const passwordHash = await passwordHashOf(form, before, passwords)
      const rowWith = (isPublished: boolean): StoredForm => ({
        formId: definition.formId,
        name: definition.name,
        isPublished,
        definition: { ...definition, isPublished },
        passwordHash,
        publishedAt: publishedAt ?? before?.publishedAt ?? (isPublished && !wasPublished ? now : null),
        createdAt: createdAt ?? before?.createdAt ?? now,
      })
      // An import publishes any form. One that is shown and saved again stays as it is.
      const asGiven = rowWith(wanted)
      const stays = before !== null && isSame(asGiven, before)
      return { row: stays ? asGiven : rowWith(wanted && support.supported), before, support }
    }),
  )
  const changed = drafts.filter(({ row, before }) => before === null || !isSame(row, before))
  const rows = changed.map(({ row }) => ({ ...row }))
  try {
    await tenant.upsert(forms.collection, rows)
  } catch (error) {
    // Another organization may have saved a form under one of these ids meanwhile.
    const taken = await foreignIds()
    if (taken.size === 0) throw error
    const late = ids.flatMap((id, index) => (taken.has(String(id)) ? [{ form: index + 1, ...FOREIGN }] : []))
    return { kind: 'refused', problems: late }
  }
  return {
    kind: 'saved',
    saved: drafts.map(({ row, before, support }) => ({
      formId: row.formId,
      outcome: before === null ? 'created' : isSame(row, before) ? 'unchanged' : 'changed',
      isPublished: row.isPublished,
      ...support,
    })),
  }
}

/** Publishes a form or takes it back. A form that cannot be submitted here is not published. Null: there is none. */
export async function publishForm(
  formId: string,
  isPublished: boolean,
  { tenant, now }: Pick<SavingForms, 'tenant' | 'now'>,
): Promise<SavedForm | null> {
  const before = (await findForms([formId], tenant)).get(formId)
  if (before === undefined) return null
  const support = headlessSupport(before.definition)
  const isRefused = isPublished && !support.supported
  const isChanged = !isRefused && before.isPublished !== isPublished
  if (isChanged) {
    const publishedAt = before.publishedAt ?? (isPublished ? now : null)
    const definition = { ...before.definition, isPublished }
    await tenant.upsert(forms.collection, [{ ...before, definition, isPublished, publishedAt }])
  }
  return {
    formId,
    outcome: isChanged ? 'changed' : 'unchanged',
    isPublished: isRefused ? before.isPublished : isPublished,
    ...support,
  }
}

async function findForms(
  formIds: readonly string[],
  { findMany }: Pick<TenantWriter, 'findMany'>,
): Promise<ReadonlyMap<string, StoredForm>> {
  const rows = await findMany(forms.collection, storedFormFields, formIds)
  // The selected fields are those of the type.
  return new Map(rows.map((row) => [String(row.formId), row as unknown as StoredForm]))
}

/** The stored hash stays when no password is given, or the given one still fits it. Null as a password removes it. */
async function passwordHashOf(
  { password }: GivenForm,
  before: StoredForm | null,
  passwords: FormPasswords,
): Promise<string | null> {
  const stored = before?.passwordHash ?? null
  if (password === undefined) return stored
  if (typeof password !== 'string') return null
  return stored !== null && (await passwords.verify(password, stored)) ? stored : passwords.hash(password)
}

function isSame(row: StoredForm, before: StoredForm): boolean {
  const textOf = (form: StoredForm) => JSON.stringify(storedFormFields.map((name) => ordered(form[name])))
  return textOf(row) === textOf(before)
}

/** A value whose keys are sorted at the top level, because the order of settings means nothing. */
function ordered(value: unknown): unknown {
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
}
