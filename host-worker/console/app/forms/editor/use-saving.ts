import { useState } from 'preact/hooks'
import { toast } from '../../kit/toasts/toasts.ts'
import type { Action } from '../../service/use-action.ts'
import { useAction } from '../../service/use-action.ts'
import type { SaveInput, StoredForm } from './saving.ts'
import { saveForm } from './saving.ts'
import type { FormJson } from './state/form-json.ts'

/** What was not saved, because it would have overwritten something. */
export interface Conflict {
  readonly input: SaveInput
  /** The form as it is now; null: it was deleted. */
  readonly current: StoredForm | null
}

/** The form as the service has it, and what changes that. */
export interface SavingState {
  /** Null: it was never saved. */
  readonly stored: StoredForm | null
  readonly save: Action<SaveInput>
  /** Null: nothing is in conflict. */
  readonly conflict: Conflict | null
  /** Saves what is in conflict over what was shown, unless that was changed once more. */
  readonly saveOver: Action<Conflict>
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
  const [conflict, setConflict] = useState<Conflict | null>(null)
  const settle = (saving: Awaited<ReturnType<typeof saveForm>>, input: SaveInput): void => {
    setConflict(saving.kind === 'conflict' ? { input, current: saving.current } : null)
    if (saving.kind === 'conflict') return
    setStored(saving.stored)
    toast(savedText(saving.stored, saving.reasons))
    onSaved(saving.stored, input.form)
  }
  const save = useAction(
    (client, input: SaveInput) => saveForm(client, organizationId, stored, input),
    settle,
  )
  const saveOver = useAction(
    (client, { input, current }: Conflict) => saveForm(client, organizationId, current, input),
    (saving, { input }) => {
      settle(saving, input)
    },
  )
  const forgetConflict = (): void => {
    setConflict(null)
    saveOver.forget()
  }
  return { stored, save, conflict, saveOver, forgetConflict }
}

function savedText({ isPublished }: StoredForm, reasons: readonly string[]): string {
  if (reasons.length > 0) return `Saved, but it cannot be published: ${reasons.join(' ')}`
  return isPublished ? 'Saved. The form takes submissions.' : 'Saved. The form takes no submissions yet.'
}
