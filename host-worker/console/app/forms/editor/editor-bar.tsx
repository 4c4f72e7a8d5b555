import { Button } from '../../kit/button.tsx'
import { ConfirmDialog } from '../../kit/input/dialog.tsx'
import { FailureNote } from '../../kit/states.tsx'
import { toast } from '../../kit/toasts/toasts.ts'
import type { FormJson } from './state/form-json.ts'
import type { StoredForm } from './saving.ts'
import { changedIn } from './saving.ts'
import type { SavingState } from './use-saving.ts'

interface EditorBarProps {
  readonly saving: SavingState
  readonly form: FormJson
  readonly isUnsaved: boolean
  /** Whether the source is JSON. */
  readonly isReadable: boolean
  /** Whether the source is shown. */
  readonly isSource: boolean
  readonly onSource: (isSource: boolean) => void
}

/** What is done with the form as a whole: saving, publishing, and showing its source. */
export function EditorBar(props: EditorBarProps) {
  const { saving, form, isUnsaved, isReadable, isSource, onSource } = props
  const { stored, save } = saving
  const isPublished = stored?.isPublished === true
  const whenReadable = (act: () => void) => (): void => {
    if (isReadable) act()
    else toast('The source is not JSON. Mend it first.')
  }
  const run = (wanted: boolean | null) =>
    whenReadable(() => {
      save.run({ form, isPublished: wanted })
    })
  const nothing = stored === null ? '' : 'All changes are saved.'
  return (
    <>
      <div class="editor-bar">
        <p class="soft" role="status">
          {isUnsaved ? 'There are changes that are not saved.' : nothing}
        </p>
        <div class="buttons">
          <Button
            onClick={whenReadable(() => {
              onSource(!isSource)
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
      <ConflictDialog saving={saving} />
    </>
  )
}

function ConflictDialog({
  saving: { stored, saveOver, conflict, forgetConflict },
}: Pick<EditorBarProps, 'saving'>) {
  if (conflict === null) return null
  const { current } = conflict
  const run = (): void => {
    saveOver.run(conflict)
  }
  return (
    <ConfirmDialog
      title={stored === null ? 'There is a form of this identifier' : 'Somebody else changed this form'}
      verb={current === null ? 'Make it again' : 'Save over it'}
      action={{ ...saveOver, run }}
      onClose={forgetConflict}
    >
      <p>{conflictText(stored, current)}</p>
      {current !== null && (
        <details>
          <summary>The form as it is now</summary>
          <pre class="code" tabIndex={0}>
            {JSON.stringify(current.form, null, 2)}
          </pre>
        </details>
      )}
    </ConfirmDialog>
  )
}

function conflictText(stored: StoredForm | null, current: StoredForm | null): string {
  if (current === null)
    return 'It was deleted after you opened it. Nothing was saved. What you wrote is still here.'
  if (stored === null) return 'Choose another identifier, or replace that form by this one.'
  const changed = changedIn(stored, current)
  const what = changed.length === 0 ? '' : ` Changed there: ${changed.join(', ')}.`
  return `It was saved after you opened it, so yours was not saved and is still here.${what} What was changed there is lost if you save over it.`
}

function publishText(isPublished: boolean, isUnsaved: boolean): string {
  if (isPublished) return isUnsaved ? 'Save and unpublish' : 'Unpublish'
  return isUnsaved ? 'Save and publish' : 'Publish'
}
