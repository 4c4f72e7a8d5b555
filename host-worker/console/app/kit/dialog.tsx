import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import type { Action } from '../service/hooks.ts'
import { Button, CopyButton, TextField, calls, toast } from './controls.tsx'
import { FailureNote } from './page.tsx'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/**
 * A dialog over the page, for as long as it is rendered. The browser keeps the focus in it, closes it with Escape, and
 * gives the focus back.
 */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const element = dialog.current
    const opener = document.activeElement
    element?.showModal()
    return () => {
      element?.close()
      if (opener instanceof HTMLElement) opener.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  )
}

/**
 * The dialog of a page, one at a time: what is opened takes the place of what was. `done` says that it is done what the
 * dialog does, closes it, and reads again what it has changed.
 */
export function useDialog(reload: () => void = () => undefined) {
  const [dialog, open] = useState<ComponentChildren>(null)
  const close = calls(open, null)
  const done = (said: string): void => {
    toast(said)
    close()
    reload()
  }
  return { dialog, open, close, done }
}

interface OnceProps extends DialogProps {
  readonly text: string
  /** What it is, such as “the key”. */
  readonly what: string
}

/** Shows a secret this once, to be copied. */
export function OnceDialog({ text, what, children, ...dialog }: OnceProps) {
  return (
    <Dialog {...dialog}>
      <DialogText>
        <p>{children}</p>
        <p class="issued-key">
          <code>{text}</code>
        </p>
      </DialogText>
      <div class="buttons">
        <CopyButton text={text} what={what} />
        <Button kind="primary" onClick={dialog.onClose}>
          I have copied it
        </Button>
      </div>
    </Dialog>
  )
}

interface FormDialogProps extends DialogProps {
  /** The text of the button that does it, such as “Issue”. */
  readonly verb: string
  readonly action: Pick<Action<undefined>, 'run' | 'isRunning' | 'failure'>
  readonly kind?: 'primary' | 'danger'
  /** Left out: it is done. */
  readonly onSubmit?: () => void
}

/** A dialog with a form: fields, why it failed the last time, and the buttons that do it or not. */
export function FormDialog(props: FormDialogProps) {
  const { title, onClose, children, verb, action, kind = 'primary', onSubmit } = props
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (onSubmit === undefined) action.run(undefined)
          else onSubmit()
        }}
      >
        {children}
        {action.failure !== null && <FailureNote failure={action.failure} />}
        <div class="buttons">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind={kind} type="submit" isRunning={action.isRunning}>
            {verb}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** What a dialog says before its fields. */
export function DialogText({ children }: { readonly children: ComponentChildren }) {
  return <div class="dialog-text">{children}</div>
}

interface ConfirmProps extends Omit<FormDialogProps, 'onSubmit'> {
  /** What must be typed before it is done; left out: nothing. */
  readonly typed?: string
}

/** Asks before something is done; for what cannot be undone, it asks for its name. */
export function ConfirmDialog({ typed, children, kind = 'danger', ...form }: ConfirmProps) {
  const [text, setText] = useState('')
  const [isWrong, setWrong] = useState(false)
  const submit = (): void => {
    const isConfirmed = typed === undefined || text === typed
    setWrong(!isConfirmed)
    if (isConfirmed) form.action.run(undefined)
  }
  return (
    <FormDialog {...form} kind={kind} onSubmit={submit}>
      <DialogText>{children}</DialogText>
      {typed !== undefined && (
        <TextField
          label={`Type ${typed} to confirm`}
          value={text}
          autocomplete="off"
          error={isWrong ? `This must be exactly ${typed}.` : null}
          onValue={(value) => {
            setText(value)
            setWrong(false)
          }}
        />
      )}
    </FormDialog>
  )
}

/** How many parts of the page have something that is not saved, and the address of the last of them. */
const unsaved = { parts: 0, href: '' }

const QUESTION = 'There are changes that are not saved. Leave, and lose them?'

/** Whether this page may be left: nothing would be lost, or the person agrees to lose it. */
export function mayLeave(): boolean {
  return unsaved.parts === 0 || window.confirm(QUESTION)
}

/**
 * Asks when the browser's buttons leave a page with something unsaved. Called once, before the router listens: the
 * browser has another address already when it says so, and the router must not hear of it.
 */
export function watchBack(): void {
  window.addEventListener('popstate', (event) => {
    if (mayLeave()) return
    event.stopImmediatePropagation()
    window.history.pushState(null, '', unsaved.href)
  })
}

/**
 * Asks before the page is left while something is not saved: by a link, by the browser's buttons, or by closing the tab.
 * @returns takes note that all is saved, before the component is rendered again
 */
export function useLeaveWarning(isUnsaved: boolean): () => void {
  const release = useRef<() => void>(() => undefined)
  useEffect(() => {
    if (!isUnsaved) return
    unsaved.parts += 1
    unsaved.href = window.location.href
    const onClose = (event: BeforeUnloadEvent): void => {
      event.preventDefault()
    }
    window.addEventListener('beforeunload', onClose)
    release.current = () => {
      release.current = () => undefined
      unsaved.parts -= 1
      window.removeEventListener('beforeunload', onClose)
    }
    return () => {
      release.current()
    }
  }, [isUnsaved])
  return () => {
    release.current()
  }
}
