import type { ComponentChildren, HTMLAttributes } from 'preact'
import { useEffect, useId, useState } from 'preact/hooks'
import { csvOf } from '../../../../domain/text/csv.ts'

/** A handler that makes a call, whatever the event. */
export function calls<Given extends readonly unknown[]>(act: (...given: Given) => void, ...given: Given) {
  return (): void => {
    act(...given)
  }
}

interface ButtonProps extends Omit<HTMLAttributes<HTMLButtonElement>, 'class'> {
  readonly kind?: 'primary' | 'plain' | 'danger' | 'quiet'
  readonly type?: 'button' | 'submit'
  /** Whether what the button does is being done. It stays focusable, but does nothing more. */
  readonly isRunning?: boolean
  readonly children: ComponentChildren
}

/** A button. Its text says what it does. */
export function Button({
  kind = 'plain',
  type = 'button',
  isRunning = false,
  children,
  ...rest
}: ButtonProps) {
  const { onClick, ...others } = rest
  return (
    <button
      {...others}
      type={type}
      class={`button ${kind}`}
      aria-disabled={isRunning ? 'true' : others['aria-disabled']}
      aria-busy={isRunning ? 'true' : undefined}
      onClick={(event) => {
        if (isRunning) event.preventDefault()
        else onClick?.(event)
      }}
    >
      {children}
    </button>
  )
}

interface RowButtonProps extends Omit<ButtonProps, 'children' | 'onClick'> {
  readonly verb: string
  /** What it is done to, for a screen reader: the buttons of all rows have the same text. */
  readonly of: string
  readonly onClick: () => void
}

/** A button in a row of a table. */
export function RowButton({ verb, of, onClick, ...rest }: RowButtonProps) {
  return (
    <Button {...rest} aria-label={`${verb} ${of}`} onClick={onClick}>
      {verb}
    </Button>
  )
}

/** Copies a text to the clipboard. */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => {
        setCopied(true)
        toast(`Copied ${what}.`)
      },
      () => {
        toast(`The browser did not allow copying ${what}. Select and copy it by hand.`)
      },
    )
  }
  return (
    <Button kind="quiet" aria-label={`Copy ${what}`} onClick={copy}>
      {isCopied ? 'Copied' : 'Copy'}
    </Button>
  )
}

type Row = Readonly<Record<string, unknown>>

/** Saves rows as a file for a spreadsheet, with a head of their keys. */
export function saveRows(name: string, rows: readonly Row[]): void {
  const keys = Object.keys(rows[0] ?? {})
  saveText(`${name}.csv`, 'text/csv', csvOf([keys, ...rows.map((row) => keys.map((key) => row[key]))]))
}

/** A button that saves the rows that are shown. */
export function CsvButton({ name, rows }: { readonly name: string; readonly rows: readonly Row[] }) {
  return (
    <Button aria-label={`Download CSV of ${name}`} onClick={calls(saveRows, name, rows)}>
      Download CSV
    </Button>
  )
}

/** Gives the browser a text, in one part or several, to save as a file. */
export function saveText(name: string, type: string, ...parts: readonly string[]): void {
  download(name, new Blob([...parts], { type }))
}

/** Has the browser save a file, as if a link to it had been followed. */
export function download(name: string, content: Blob): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser has taken the content by then, however slow it is.
  setTimeout(() => {
    URL.revokeObjectURL(url)
  }, 60_000)
}

/** The messages that go away by themselves. Rendered once, by the frame of the page. */
export function Toasts() {
  const [shown, setShown] = useState(toasts)
  useEffect(() => {
    show = setShown
  }, [])
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown.map(({ id, text }) => (
        <p key={id} class="toast">
          {text}
          <button type="button" class="toast-close" aria-label="Dismiss" onClick={calls(dismiss, id)}>
            ×
          </button>
        </p>
      ))}
    </div>
  )
}

const SHOWN_MS = 6_000

let toasts: readonly { readonly id: number; readonly text: string }[] = []
let lastId = 0
let show: (shown: typeof toasts) => void = () => undefined

/** Says for a moment that something was done, also to a screen reader. */
export function toast(text: string): void {
  const id = (lastId += 1)
  show((toasts = [...toasts, { id, text }]))
  setTimeout(dismiss, SHOWN_MS, id)
}

function dismiss(id: number): void {
  show((toasts = toasts.filter((one) => one.id !== id)))
}

interface FieldProps {
  readonly label: string
  readonly hint?: string | undefined
  /** What is wrong with the value; null: nothing. */
  readonly error?: string | null | undefined
}

/** The attributes by which a control belongs to its label, hint and error. */
interface ControlAttributes {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': 'true' | undefined
}

/** A label with hint and error around any control, which gets the attributes that connect them. */
function Field({
  label,
  hint,
  error = null,
  children,
}: FieldProps & { readonly children: (attributes: ControlAttributes) => ComponentChildren }) {
  const id = useId()
  const described = [hint === undefined ? null : `${id}-hint`, error === null ? null : `${id}-error`]
  const names = described.filter((name) => name !== null).join(' ')
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {children({
        id,
        'aria-describedby': names === '' ? undefined : names,
        'aria-invalid': error === null ? undefined : 'true',
      })}
      {error !== null && (
        <p class="error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  )
}

type Given<Control extends EventTarget> = Omit<HTMLAttributes<Control>, 'value' | 'label' | 'id'>

interface ValueProps {
  readonly value: string
  readonly onValue: (value: string) => void
}

/** Hands on the value of a control. */
function handing(onValue: ValueProps['onValue']) {
  return ({ currentTarget: { value } }: { readonly currentTarget: { readonly value: string } }): void => {
    onValue(value)
  }
}

type InputProps = FieldProps &
  ValueProps &
  Given<HTMLInputElement> & {
    readonly type?: string
    readonly name?: string
    readonly autocomplete?: string
    readonly required?: boolean
    readonly placeholder?: string
    readonly maxLength?: number
    readonly inputMode?: 'numeric' | 'email' | 'tel' | 'url' | 'text'
  }

/** A line of text. */
export function TextField({ label, hint, error, value, onValue, type = 'text', ...rest }: InputProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(attributes) => (
        <input {...rest} {...attributes} type={type} value={value} onInput={handing(onValue)} />
      )}
    </Field>
  )
}

type AreaProps = FieldProps & ValueProps & Given<HTMLTextAreaElement> & { readonly rows?: number }

/** Several lines of text. */
export function TextArea({ label, hint, error, value, onValue, ...rest }: AreaProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(attributes) => <textarea {...rest} {...attributes} value={value} onInput={handing(onValue)} />}
    </Field>
  )
}

type SelectProps = FieldProps & ValueProps & { readonly options: readonly Choice[] }

/** A choice of one of a few. */
export function SelectField({ label, hint, error, value, onValue, options }: SelectProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(attributes) => (
        <select {...attributes} value={value} onChange={handing(onValue)}>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

/** A choice between yes and no. */
export function CheckField({
  label,
  isChecked,
  onChecked,
}: {
  readonly label: string
  readonly isChecked: boolean
  readonly onChecked: (isChecked: boolean) => void
}) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={isChecked}
        onChange={(event) => {
          onChecked(event.currentTarget.checked)
        }}
      />
      {label}
    </label>
  )
}

/** A choice of a control. */
interface Choice {
  readonly value: string
  readonly label: string
}

/** The choices, with the one that is stored although it is none of them. */
export function withGiven(given: string, choices: readonly Choice[]): readonly Choice[] {
  const isThere = choices.some(({ value }) => value === given)
  return isThere ? choices : [...choices, { value: given, label: given === '' ? 'nothing' : given }]
}
