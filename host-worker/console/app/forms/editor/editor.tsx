import { useMemo, useReducer, useState } from 'preact/hooks'
import { defaultSuccess } from '../../../../../domain/forms/definition/definition.ts'
import { clientFormOf } from '../../../../../domain/forms/definition/compiled/client-definition.ts'
import type { Finding } from '../../../../../domain/forms/editing/findings.ts'
import { reviewForm } from '../../../../../domain/forms/editing/findings.ts'
import { useLeaveWarning } from '../../kit/leaving.ts'
import type { EditorContent } from './field/context.ts'
import { EditorContext } from './field/context.ts'
import { textOf } from './field/controls.tsx'
import { applied, editingOf, isChanged, openField, savedAs } from './state/editing.ts'
import { EditorBar } from './editor-bar.tsx'
import { FieldList } from './field-list.tsx'
import { headId } from './field-row.tsx'
import { Findings } from './findings.tsx'
import type { FormJson } from './state/form-json.ts'
import { FormSettings } from './form-settings.tsx'
import { Preview } from './preview.tsx'
import type { StoredForm } from './saving.ts'
import { SourceView } from './source-view.tsx'
import { useSaving } from './use-saving.ts'

interface EditorProps {
  readonly organizationId: string
  /** The form as it was read; null: a new one. */
  readonly found: StoredForm | null
  readonly onSaved: (stored: StoredForm) => void
}

/** A new form, before anything is said about it. */
const NEW: FormJson = { formId: '', name: '', notificationEmails: [], fields: [] }

/** Edits a form: its settings and fields, or its source, beside what visitors will see. */
export function Editor({ organizationId, found, onSaved }: EditorProps) {
  const [editing, change] = useReducer(applied, found, (begun) =>
    begun === null ? editingOf(NEW, {}) : editingOf(begun.form),
  )
  const [isSource, setSource] = useState(false)
  const [isReadable, setReadable] = useState(true)
  const [sought, setSought] = useState<Finding | null>(null)
  const { form } = editing
  const saving = useSaving(organizationId, found, (stored, sent) => {
    allSaved()
    change(savedAs(sent, stored.form))
    onSaved(stored)
  })
  const { stored } = saving
  const review = useMemo(() => reviewForm(form), [form])
  const isUnsaved = !isReadable || (isChanged(editing) && !(stored === null && form === NEW))
  const allSaved = useLeaveWarning(isUnsaved)
  const show = (finding: Finding): void => {
    setSought(finding)
    const [part, index] = finding.path
    const key = part === 'fields' && typeof index === 'number' ? editing.keys[index] : undefined
    if (isSource || key === undefined) return
    change(openField(key))
    document.getElementById(headId(key))?.focus()
  }
  const hasPassword = stored?.requiresPassword === true
  const asksPassword = form.password === undefined ? hasPassword : form.password !== null
  const content = useMemo<EditorContent>(
    () => ({ editing, change, findings: review.findings }),
    [editing, review],
  )
  return (
    <EditorContext.Provider value={content}>
      <EditorBar
        saving={saving}
        form={form}
        isUnsaved={isUnsaved}
        isReadable={isReadable}
        isSource={isSource}
        onSource={setSource}
      />
      <div class="editor">
        <div>
          <Findings findings={review.findings} onOpen={show} />
          {isSource ? (
            <SourceView sought={sought} onReading={setReadable} />
          ) : (
            <>
              <FormSettings isNew={stored === null} hasPassword={hasPassword} />
              <FieldList />
            </>
          )}
        </div>
        <div class="editor-side">
          <Preview
            form={review.form === null ? null : clientFormOf(review.form, asksPassword)}
            successTitle={textOf(form.successTitle) || defaultSuccess.title}
            successMessage={textOf(form.successMessage) || defaultSuccess.message}
          />
        </div>
      </div>
    </EditorContext.Provider>
  )
}
