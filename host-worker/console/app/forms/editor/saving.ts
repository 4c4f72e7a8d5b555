import type { Client } from '../../service/client.ts'
import { basedOn, failureOf } from '../../service/failure.ts'
import type { BodyOf } from '../../service/operations.ts'
import type { FormJson } from './editing.ts'

/** A form as the service shows it. */
export type StoredForm = BodyOf<'organizationForms.show'>

/** What became of saving. */
export type Saving =
  | { readonly kind: 'saved'; readonly stored: StoredForm; readonly reasons: readonly string[] }
  /**
   * Somebody else changed the form meanwhile, or one of this id is there already. `current` is how it is now; null: it
   * was deleted.
   */
  | { readonly kind: 'conflict'; readonly current: StoredForm | null }

export interface SaveInput {
  readonly form: FormJson
  /** Whether to publish it afterwards, or to take it back; null: neither. */
  readonly isPublished: boolean | null
}

/**
 * Saves a form.
 * @param replaced the form as the person has seen it; null: it is a new one
 */
export async function saveForm(
  client: Client,
  organizationId: string,
  replaced: StoredForm | null,
  { form, isPublished }: SaveInput,
): Promise<Saving> {
  const formId = typeof form.formId === 'string' ? form.formId : ''
  const params = { organizationId, formId }
  try {
    const body = { forms: [form] }
    const saved = await client.call('organizationForms.save', {
      params: { organizationId },
      body,
      replaces: replaced,
    })
    const [result] = saved.data
    const last =
      isPublished !== null && result?.supported === true
        ? await client.call('organizationForms.publish', { params, body: { isPublished }, replaces: saved })
        : saved
    const stored = await client.call('organizationForms.show', { params })
    return { kind: 'saved', stored: basedOn(stored, last), reasons: result?.reasons ?? [] }
  } catch (thrown) {
    const current = failureOf(thrown).current as StoredForm | null | undefined
    if (current === undefined) throw thrown
    return { kind: 'conflict', current }
  }
}

/** What somebody else changed in a form, in the words of its source; empty: nothing that is shown. */
export function changedIn(seen: StoredForm | null, current: StoredForm): readonly string[] {
  if (seen === null) return []
  const [before, now] = [settingsOf(seen), settingsOf(current)]
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])]
  return names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(now[name]))
}

function settingsOf({ form, requiresPassword }: StoredForm): Readonly<Record<string, unknown>> {
  return { ...form, password: requiresPassword }
}
