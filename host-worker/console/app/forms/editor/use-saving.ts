import { useState } from 'preact/hooks'
import { toast } from '../../kit/toasts/toasts.ts'
import type { Action } from '../../service/use-action.ts'
import { useAction } from '../../service/use-action.ts'
import type { SaveInput, StoredForm } from './saving.ts'
import { saveForm } from './saving.ts'
import type { FormJson } from './state/form-json.ts'

/** The form as the service has it, and what changes that. */
export interface SavingState {
  /** Null: it was never saved. */
  readonly stored: StoredForm | null
  readonly save: Action<SaveInput>
  /** What was not saved, because it would have overwritten something; null: nothing. */
  readonly conflict: SaveInput | null
  readonly forgetConflict: () => void
}

/**
 * Saves a form.
 * @param onSaved told what was saved, and the form that was sent
 */
export function useSaving(
  organizationId: string,
  found: StoredForm | null,
  onSaved: (stored: StoredForm, sent: FormJson) => void,
): SavingState {
  const [stored, setStored] = useState(found)
  const [conflict, setConflict] = useState<SaveInput | null>(null)
  const save = useAction(
    (client, input: SaveInput) => saveForm(client, organizationId, stored, input),
    (saving, input) => {
      setConflict(saving.kind === 'conflict' ? input : null)
      if (saving.kind === 'conflict') return
      setStored(saving.stored)
      toast(savedText(saving.stored, saving.reasons))
      onSaved(saving.stored, input.form)
    },
  )
  const forgetConflict = (): void => {
    setConflict(null)
  }
  return { stored, save, conflict, forgetConflict }
}

function savedText({ isPublished }: StoredForm, reasons: readonly string[]): string {
  if (reasons.length > 0) return `Saved, but it cannot be published: ${reasons.join(' ')}`
  return isPublished ? 'Saved. The form takes submissions.' : 'Saved. The form takes no submissions yet.'
}
