import type { FormPath } from '../../../../../../domain/forms/definition/problem.ts'
import { listOf } from '../../../../../../domain/text/json.ts'
import { newField } from './new-field.ts'
import type { FieldType } from './new-field.ts'
import type { FormJson } from './form-json.ts'
import { sameText, withMoved, withPart } from './form-json.ts'

/** A form that is being edited. */
export interface Editing {
  readonly form: FormJson
  /** The form as it was last saved; empty: it never was. */
  readonly saved: FormJson
  /** Names each of the form's fields for as long as it is there, wherever it moves. */
  readonly keys: readonly number[]
  /** The field whose settings are shown; null: none. */
  readonly open: number | null
}

/** One step of editing. */
export type Change = (editing: Editing) => Editing

/** The reducer of the editor. */
export function applied(editing: Editing, change: Change): Editing {
  return change(editing)
}

/** Begins to edit. */
export function editingOf(form: FormJson, saved: FormJson = form): Editing {
  return { form, saved, keys: fieldsIn(form).map((_, index) => index), open: null }
}

export function fieldsIn(form: FormJson): readonly unknown[] {
  return listOf(form.fields)
}

/** Whether there is something to save. */
export function isChanged({ form, saved }: Editing): boolean {
  return sameText(form) !== sameText(saved)
}

/** Sets a part of the form. Undefined removes it. Not for whole fields, which have names. */
export function setPart(path: FormPath, value: unknown): Change {
  return (editing) => ({ ...editing, form: withPart(editing.form, path, value) })
}

/** Changes the form by a function of it that leaves the fields in their places. */
export function changeForm(change: (form: FormJson) => FormJson): Change {
  return (editing) => ({ ...editing, form: change(editing.form) })
}

/** Puts another form in the place of this one, as the source does. Fields keep their names by their places. */
export function replaceForm(form: FormJson): Change {
  return ({ saved, keys, open }) => {
    const next = fieldsIn(form).map((_, index) => keys[index] ?? freshKey(keys) + index)
    return { form, saved, keys: next, open: open !== null && next.includes(open) ? open : null }
  }
}

/**
 * Takes note of what was saved.
 * @param sent the form that was sent; what was changed since then is still to be saved
 * @param stored the same as the service has it, with what it added
 */
export function savedAs(sent: FormJson, stored: FormJson): Change {
  return (editing) => ({ ...editing, form: editing.form === sent ? stored : editing.form, saved: stored })
}

/** Shows the settings of a field, or hides them. */
export function toggleField(key: number): Change {
  return (editing) => ({ ...editing, open: editing.open === key ? null : key })
}

export function openField(key: number | null): Change {
  return (editing) => ({ ...editing, open: key })
}

/** Adds a field behind the last one, and shows its settings. */
export function addField(type: FieldType): Change {
  return ({ form, saved, keys }) => {
    const key = freshKey(keys)
    const fields = [...fieldsIn(form), newField(type, fieldsIn(form))]
    return { form: withPart(form, ['fields'], fields), saved, keys: [...keys, key], open: key }
  }
}

export function removeField(index: number): Change {
  return ({ form, saved, keys, open }) => ({
    form: withPart(form, ['fields'], fieldsIn(form).toSpliced(index, 1)),
    saved,
    keys: keys.toSpliced(index, 1),
    open: keys[index] === open ? null : open,
  })
}

/** Moves a field. A place outside of the form changes nothing. */
export function moveField(from: number, to: number): Change {
  return (editing) => {
    const { form, keys } = editing
    if (from === to || to < 0 || to >= keys.length || from >= keys.length) return editing
    return {
      ...editing,
      form: withPart(form, ['fields'], withMoved(fieldsIn(form), from, to)),
      keys: withMoved(keys, from, to),
    }
  }
}

function freshKey(keys: readonly number[]): number {
  return Math.max(-1, ...keys) + 1
}
