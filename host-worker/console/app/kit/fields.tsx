import type { ComponentChildren, HTMLAttributes } from 'preact'
import { useId } from 'preact/hooks'

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
