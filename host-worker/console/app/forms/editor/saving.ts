import type { Client } from '../../service/client.ts'
import { unlessMissing } from '../../service/failure.ts'
import type { BodyOf } from '../../service/operations.ts'
import type { FormJson } from './state/form-json.ts'

/** A form as the service shows it. */
export type StoredForm = BodyOf<'organizationForms.show'>

/** What became of saving. */
export type Saving =
  | { readonly kind: 'saved'; readonly stored: StoredForm; readonly reasons: readonly string[] }
  /** Somebody else saved the form meanwhile, or one of this id is there already. */
  | { readonly kind: 'conflict' }

export interface SaveInput {
  readonly form: FormJson
  /** Whether to publish it afterwards, or to take it back; null: neither. */
  readonly isPublished: boolean | null
  /** Whether to save over what somebody else has saved. */
  readonly isForced: boolean
}

/**
 * Saves a form.
 * @param before the form as it was read; null: it is a new one
 */
export async function saveForm(
  client: Client,
  organizationId: string,
  before: StoredForm | null,
  { form, isPublished, isForced }: SaveInput,
): Promise<Saving> {
  const formId = typeof form.formId === 'string' ? form.formId : ''
  const there = isForced ? null : await storedForm(client, organizationId, formId)
  if (!isForced && there?.updatedAt !== before?.updatedAt) return { kind: 'conflict' }
  const params = { organizationId }
  const { data } = await client.call('organizationForms.save', { params, body: { forms: [form] } })
  if (isPublished !== null && data[0]?.supported === true) {
    const call = { params: { organizationId, formId }, body: { isPublished } }
    await client.call('organizationForms.publish', call)
  }
  const stored = await client.call('organizationForms.show', { params: { organizationId, formId } })
  return { kind: 'saved', stored, reasons: data[0]?.reasons ?? [] }
}

/** The form of this id; null: the organization has none. What is no id at all is left to saving to refuse. */
async function storedForm(
  client: Client,
  organizationId: string,
  formId: string,
): Promise<StoredForm | null> {
  if (formId === '') return null
  return unlessMissing(client.call('organizationForms.show', { params: { organizationId, formId } }))
}
