import { useMemo, useReducer, useState } from 'preact/hooks'
import { defaultSuccess } from '../../../../../domain/forms/definition/definition.ts'
import { clientFormOf } from '../../../../../domain/forms/definition/client-definition.ts'
import type { Finding } from '../../../../../domain/forms/editing/findings.ts'
import { reviewForm } from '../../../../../domain/forms/editing/findings.ts'
import { Button } from '../../kit/button.tsx'
import { ConfirmDialog } from '../../kit/dialog.tsx'
import { useLeaveWarning } from '../../kit/leaving.ts'
import { FailureNote } from '../../kit/states.tsx'
import { toast } from '../../kit/toasts.ts'
import { useAction } from '../../service/use-action.ts'
import type { EditorContent } from './context.ts'
import { EditorContext } from './context.ts'
import { textOf } from './controls.tsx'
import { applied, editingOf, isChanged, openField, savedAs } from './editing.ts'
import { FieldList, headId } from './field-list.tsx'
import { Findings } from './findings.tsx'
import type { FormJson } from './form-json.ts'
import { FormSettings } from './form-settings.tsx'
import { Preview } from './preview.tsx'
import type { SaveInput, StoredForm } from './saving.ts'
import { saveForm } from './saving.ts'
import { SourceView } from './source-view.tsx'

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
  const [stored, setStored] = useState(found)
  const [editing, change] = useReducer(applied, found, (begun) =>
    begun === null ? editingOf(NEW, {}) : editingOf(begun.form),
  )
  const [isSource, setSource] = useState(false)
  const [isReadable, setReadable] = useState(true)
  const [sought, setSought] = useState<Finding | null>(null)
  const [conflict, setConflict] = useState<SaveInput | null>(null)
  const { form } = editing
  const review = useMemo(() => reviewForm(form), [form])
  const isUnsaved = !isReadable || (isChanged(editing) && !(stored === null && form === NEW))
  const allSaved = useLeaveWarning(isUnsaved)
  const save = useAction(
    (client, input: SaveInput) => saveForm(client, organizationId, stored, input),
    (saving, input) => {
      setConflict(saving.kind === 'conflict' ? input : null)
      if (saving.kind === 'conflict') return
      allSaved()
      setStored(saving.stored)
      change(savedAs(input.form, saving.stored.form))
      toast(savedText(saving.stored, saving.reasons))
      onSaved(saving.stored)
    },
  )
  const whenReadable = (act: () => void) => (): void => {
    if (isReadable) act()
    else toast('The source is not JSON. Mend it first.')
  }
  const run = (isPublished: boolean | null) =>
    whenReadable(() => {
      save.run({ form, isPublished, isForced: false })
    })
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
  const isPublished = stored?.isPublished === true
  return (
    <EditorContext.Provider value={content}>
      <div class="editor-bar">
        <p class="soft" role="status">
          {isUnsaved
            ? 'There are changes that are not saved.'
            : stored === null
              ? ''
              : 'All changes are saved.'}
        </p>
        <div class="buttons">
          <Button
            onClick={whenReadable(() => {
              setSource(!isSource)
            })}
          >
            {isSource ? 'Show the fields' : 'Show the source'}
          </Button>
          <Button isRunning={save.isRunning} onClick={run(!isPublished)}>
            {publishText(isPublished, isUnsaved)}
          </Button>
          <Button kind="primary" isRunning={save.isRunning} onClick={run(null)}>
            Save
          </Button>
        </div>
      </div>
      {save.failure !== null && <FailureNote failure={save.failure} />}
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
      {conflict !== null && (
        <ConfirmDialog
          title={stored === null ? 'There is a form of this identifier' : 'Somebody else changed this form'}
          verb="Save over it"
          action={{
            ...save,
            run: () => {
              save.run({ ...conflict, isForced: true })
            },
          }}
          onClose={() => {
            setConflict(null)
          }}
        >
          {stored === null
            ? 'Choose another identifier, or replace that form by this one.'
            : 'It was saved after you opened it. What was changed there is lost if you save over it.'}
        </ConfirmDialog>
      )}
    </EditorContext.Provider>
  )
}

function publishText(isPublished: boolean, isUnsaved: boolean): string {
  if (isPublished) return isUnsaved ? 'Save and unpublish' : 'Unpublish'
  return isUnsaved ? 'Save and publish' : 'Publish'
}

function savedText({ isPublished }: StoredForm, reasons: readonly string[]): string {
  if (reasons.length > 0) return `Saved, but it cannot be published: ${reasons.join(' ')}`
  return isPublished ? 'Saved. The form takes submissions.' : 'Saved. The form takes no submissions yet.'
}
