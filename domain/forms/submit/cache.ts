import type { StoredForm } from '../../../ports/records.ts'
import { compileForm, type Compilation } from '../definition/compiled/compile.ts'

/** A stored form, with its definition prepared. */
export interface LoadedForm {
  readonly stored: StoredForm
  readonly compilation: Compilation
}

/** Forms kept across requests. An entry may be out of date: the store must confirm it. */
export interface FormCache {
  get(formId: string): LoadedForm | null
  set(form: LoadedForm): void
  delete(formId: string): void
}

/** Prepares a form that was just read from storage. */
export function loadForm(stored: StoredForm): LoadedForm {
  // Imports check only the form-level keys before they store a definition, so its fields are checked here.
  return { stored, compilation: compileForm(stored.definition) }
}

/**
 * A cache that holds definitions of at most `maxCharacters`, measured as JSON, so that they and the compiled forms stay
 * far below the 128 MB of an isolate. The forms that have not been used for longest are dropped first; a form that is
 * too large is not kept.
 */
export function createFormCache(maxCharacters = 4_000_000): FormCache {
  const entries = new Map<string, { readonly form: LoadedForm; readonly characters: number }>()
  let total = 0
  const remove = (formId: string): void => {
    total -= entries.get(formId)?.characters ?? 0
    entries.delete(formId)
  }
  return {
    get: (formId) => {
      const entry = entries.get(formId)
      if (entry === undefined) return null
      // A Map keeps the order of insertion, so removing and adding the form makes it the most recent one.
      entries.delete(formId)
      entries.set(formId, entry)
      return entry.form
    },
    set: (form) => {
      const characters = JSON.stringify(form.stored.definition).length
      remove(form.stored.formId)
      entries.set(form.stored.formId, { form, characters })
      total += characters
      for (const formId of entries.keys()) {
        if (total <= maxCharacters) break
        remove(formId)
      }
    },
    delete: remove,
  }
}
