import { useMay } from '../session.tsx'
import { useMemo, useReducer, useState } from 'preact/hooks'
import {
  formLineKeys,
  type FormLineKey,
  reviewForm,
  formSetting,
  SCHEMA_KEY,
  type Finding,
} from '../../../../domain/forms/language/check.ts'
import { clientFormOf } from '../../../../domain/forms/language/client-form.ts'
import { type CompiledForm, pathText } from '../../../../domain/forms/language/compile.ts'
import type { Voice } from '../../../../domain/forms/language/words.ts'
import { Button, TextField, calls, toast } from '../kit/controls.tsx'
import { Badge, FailureNote, Card } from '../kit/page.tsx'
import { ConfirmDialog, Dialog, DialogText, useLeaveWarning } from '../kit/dialog.tsx'
import { useAction, type Action } from '../service/hooks.ts'
import { nameForm } from './changes.ts'
import {
  EditorContext,
  OtherSettings,
  Setting,
  textOf,
  useEditor,
  useSetting,
  type EditorContent,
} from './controls.tsx'
import {
  applied,
  changedIn,
  editingOf,
  isChanged,
  offlineReasons,
  openField,
  saveForm,
  savedAs,
  setPart,
  type FormJson,
  type SaveInput,
  type StoredForm,
  inEditorsWords,
} from './editing.ts'
import { FieldList, headId } from './field-list.tsx'
import { Preview, SourceView } from './preview.tsx'

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
  const review = useMemo(() => reviewForm(form, stored?.form), [form, stored])
  // Nobody has done anything wrong before anything was typed.
  const isUntouched = stored === null && form === NEW
  const findings = useMemo(
    () => (isUntouched ? [] : inEditorsWords(review.findings, form)),
    [review, form, isUntouched],
  )
  const isUnsaved = !isReadable || (isChanged(editing) && !isUntouched)
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
  const content = useMemo<EditorContent>(() => ({ editing, change, findings }), [editing, findings])
  return (
    <EditorContext.Provider value={content}>
      <EditorBar
        saving={saving}
        form={form}
        findings={findings}
        isUnsaved={isUnsaved}
        isReadable={isReadable}
        isSource={isSource}
        onSource={setSource}
      />
      <div class="editor">
        <div>
          <Findings findings={findings} onOpen={show} />
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
            voice={voiceOf(review.form)}
            successTitle={textOf(form.successTitle) || null}
            successMessage={textOf(form.successMessage) || null}
          />
        </div>
      </div>
    </EditorContext.Provider>
  )
}

/** How a form speaks to its visitors, as far as it can be read. */
function voiceOf(form: CompiledForm | null): Voice {
  const { language, texts } = form?.definition ?? {}
  return { language, texts }
}

interface EditorBarProps {
  readonly saving: SavingState
  readonly form: FormJson
  readonly findings: readonly Finding[]
  readonly isUnsaved: boolean
  /** Whether the source is JSON. */
  readonly isReadable: boolean
  /** Whether the source is shown. */
  readonly isSource: boolean
  readonly onSource: (isSource: boolean) => void
}

/** What is done with the form as a whole: saving, publishing, and showing its source. */
function EditorBar(props: EditorBarProps) {
  const { saving, form, findings, isUnsaved, isReadable, isSource, onSource } = props
  const [isAsking, setAsking] = useState(false)
  const { stored, save } = saving
  const isPublished = stored?.isPublished === true
  const mayPublish = useMay('organizationForms.publish')
  const whenReadable = (act: () => void) => (): void => {
    if (isReadable) act()
    else toast('The source is not JSON. Mend it first.')
  }
  const offline = offlineReasons(stored, form, findings)
  const run = (wanted: boolean | null) =>
    whenReadable(() => {
      if (wanted === null && offline.length > 0) setAsking(true)
      else save.run({ form, isPublished: wanted })
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
          {mayPublish && (
            <Button isRunning={save.isRunning} onClick={run(!isPublished)}>
              {publishText(isPublished, isUnsaved)}
            </Button>
          )}
          <Button kind="primary" isRunning={save.isRunning} onClick={run(null)}>
            Save
          </Button>
        </div>
      </div>
      {save.failure !== null && <FailureNote failure={save.failure} />}
      <ConflictDialog saving={saving} />
      {isAsking && offline.length > 0 && mayPublish && (
        <ConfirmDialog
          title="This takes the form offline"
          verb="Save and take it offline"
          action={{
            ...save,
            run: () => {
              save.run({ form, isPublished: false })
              setAsking(false)
            },
          }}
          onClose={calls(setAsking, false)}
        >
          <Offline reasons={offline} />
        </ConfirmDialog>
      )}
      {isAsking && offline.length > 0 && !mayPublish && (
        <Dialog title="This would take the form offline" onClose={calls(setAsking, false)}>
          <DialogText>
            <Offline reasons={offline} />
            <p>Nothing was saved: only an owner of the organization takes a form offline.</p>
          </DialogText>
          <div class="buttons">
            <Button onClick={calls(setAsking, false)}>Close</Button>
          </div>
        </Dialog>
      )}
    </>
  )
}

function Offline({ reasons }: { readonly reasons: readonly string[] }) {
  return (
    <>
      <p>The form takes submissions now. As it is here, it cannot, so visitors would not find it any more:</p>
      <ul>
        {reasons.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
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

const kinds = {
  refused: { tone: 'bad', text: 'cannot be saved' },
  hosted: { tone: 'bad', text: 'cannot be published' },
  warning: { tone: 'waiting', text: 'note' },
} as const

interface FindingsProps {
  readonly findings: readonly Finding[]
  /** Leads to the place. */
  readonly onOpen: (finding: Finding) => void
}

/** Everything that there is to say about the form; each sentence leads to its place. */
function Findings({ findings, onOpen }: FindingsProps) {
  const wrong = findings.filter(({ kind }) => kind !== 'warning').length
  const notes = findings.length - wrong
  const counts = [countOf(wrong, 'problem'), countOf(notes, 'note')].filter((text) => text !== '')
  return (
    <section aria-label="Problems">
      <p role="status" class={findings.length === 0 ? 'visually-hidden' : 'findings-head'}>
        {findings.length === 0 ? 'There are no problems.' : counts.join(', ')}
      </p>
      {findings.length > 0 && (
        <ul class="plain-list findings">
          {findings.map((finding) => {
            const { tone, text } = kinds[finding.kind]
            return (
              <li key={`${pathText(finding.path)} ${finding.sentence}`}>
                <Badge tone={tone}>{text}</Badge>{' '}
                <button type="button" class="finding" onClick={calls(onOpen, finding)}>
                  {finding.sentence}
                </button>
              </li>
            )
          })}
        </ul>
      )}
    </section>
  )
}

function countOf(count: number, noun: string): string {
  if (count === 0) return ''
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`
}

/** What was not saved, because it would have overwritten something. */
interface Conflict {
  readonly input: SaveInput
  /** The form as it is now; null: it was deleted. */
  readonly current: StoredForm | null
}

/** The form as the service has it, and what changes that. */
interface SavingState {
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
function useSaving(
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

interface FormSettingsProps {
  /** Whether the form was never saved, so that it may get any id. */
  readonly isNew: boolean
  /** Whether a password is stored for it. */
  readonly hasPassword: boolean
}

/** The settings of the form as a whole. */
function FormSettings({ isNew, hasPassword }: FormSettingsProps) {
  // Whoever may not publish may not say to whom mail goes either.
  const mayNotify = useMay('organizationForms.publish')
  return (
    <Card title="Form">
      <div class="field-settings">
        <Setting {...about('name')} onText={nameForm} />
        {isNew && <Setting {...about('formId')} label="Identifier" />}
        <Setting {...about('language')} />
        {mayNotify && (
          <Setting
            {...about('notificationEmails')}
            hint={`${formSetting('notificationEmails').meaning} One address in a line.`}
          />
        )}
        <details>
          <summary>What visitors are told, limits and access</summary>
          <div class="field-settings">
            <Setting {...about('successTitle')} />
            <Setting {...about('successMessage')} isLong />
            <Setting {...about('submissionLimitPerContact')} />
            <Password hasPassword={hasPassword} />
            <Setting {...about('spamFilter')} />
            <Setting {...about('extraAnswers')} />
            <Setting {...about('publicUrl')} />
          </div>
        </details>
        <OtherSettings path={[]} known={withControls} />
      </div>
    </Card>
  )
}

/** What has a control, or is nobody's to change here. What only a hosted page can do is shown when it is asked for. */
const withControls = [
  ...formLineKeys.filter((key) => key !== 'requireEmailVerification' && key !== 'posEnrollment'),
  SCHEMA_KEY,
]

function about(key: FormLineKey) {
  return { path: [key], of: formSetting(key) }
}

/** The password itself is not known here: only a new one, or that the stored one goes. */
function Password({ hasPassword }: { readonly hasPassword: boolean }) {
  const { change } = useEditor()
  const { value, set, shown } = useSetting({ ...about('password') })
  const isRemoved = value === null
  const state = isRemoved
    ? 'The stored password goes when the form is saved.'
    : hasPassword
      ? 'A password is stored, and stays unless another one is typed here.'
      : 'The form has no password.'
  return (
    <>
      <TextField
        {...shown}
        hint={`${shown.hint ?? ''} ${state}`}
        type="password"
        autocomplete="new-password"
        value={textOf(value)}
        onValue={(text) => {
          set(text === '' ? undefined : text)
        }}
      />
      {hasPassword && (
        <div>
          <Button onClick={calls(change, setPart(['password'], isRemoved ? undefined : null))}>
            {isRemoved ? 'Keep the password' : 'Remove the password'}
          </Button>
        </div>
      )}
    </>
  )
}
