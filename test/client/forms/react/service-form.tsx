import { useEffect, useEffectEvent, useId, useRef, useState, type ReactNode } from 'react'
import {
  attach,
  loadForm,
  type ClientField,
  type ClientForm,
  type Receipt,
} from 'tenant-data-api/form-client'

interface ServiceFormProps {
  /** The origin of the service, such as `https://api.example.com`. */
  readonly service: string
  readonly formId: string
  /** The page of this site that follows a saved submission. Left out: the confirmation replaces the form. */
  readonly redirect?: string
  readonly onSaved?: (receipt: Receipt) => void
}

/**
 * A published form. React renders its fields once; the form client then shows and hides them, sends the form and places
 * the errors, so the inputs keep their own values ("uncontrolled").
 */
export function ServiceForm({ service, formId, redirect, onSaved }: ServiceFormProps): ReactNode {
  const [definition, setDefinition] = useState<ClientForm | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const element = useRef<HTMLFormElement>(null)
  const saved = useEffectEvent((receipt: Receipt) => onSaved?.(receipt))
  const ids = useId()

  useEffect(() => {
    let isWanted = true
    loadForm({ service, formId }).then(
      (found) => isWanted && setDefinition(found),
      () => isWanted && setProblem('The form cannot be shown now. Please try again later.'),
    )
    return () => {
      isWanted = false
    }
  }, [service, formId])

  useEffect(() => {
    if (definition === null || element.current === null) return
    const attached = attach(element.current, definition, {
      followRedirect: redirect !== undefined,
      onSaved: (receipt) => saved(receipt),
    })
    return () => attached.detach()
  }, [definition, redirect])

  if (problem !== null) return <p role="alert">{problem}</p>
  if (definition === null) return <p role="status">Loading…</p>
  return (
    <form
      ref={element}
      method="post"
      action={`${service}/api/forms/${formId}/submissions`}
      acceptCharset="utf-8"
    >
      <div hidden>
        <input name="_gotcha" tabIndex={-1} autoComplete="off" />
      </div>
      {redirect !== undefined && <input type="hidden" name="_redirect" value={redirect} />}
      {definition.fields.map((field, index) => (
        <Field key={field.id} field={field} id={`${ids}-${index}`} />
      ))}
      {definition.requiresPassword && (
        <p data-field="_password">
          <label htmlFor={`${ids}-password`}>Password</label>
          <input id={`${ids}-password`} name="_password" type="password" required autoComplete="off" />
        </p>
      )}
      <button>Send</button>
    </form>
  )
}

const yesAndNo = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
]
const inputTypes: Readonly<Partial<Record<ClientField['type'], string>>> = {
  email: 'email',
  phone: 'tel',
  date: 'date',
}

function Field({ field, id }: { readonly field: ClientField; readonly id: string }): ReactNode {
  const { type, label, helpText, required, options } = field
  const help = helpText !== undefined && <small id={`${id}-help`}>{helpText}</small>
  const common = { name: field.id, 'aria-describedby': help === false ? undefined : `${id}-help` }
  if (type === 'heading') return <h2 data-field={field.id}>{label}</h2>
  if (type === 'paragraph') return <p data-field={field.id}>{label}</p>
  if (type === 'consent')
    return (
      <p data-field={field.id}>
        <input id={id} type="checkbox" value="true" required={required} {...common} />
        <label htmlFor={id}>{label}</label> {help}
      </p>
    )
  if (type === 'single_choice' || type === 'multiple_choice' || type === 'boolean')
    return (
      <fieldset data-field={field.id} aria-describedby={common['aria-describedby']}>
        <legend>{label}</legend> {help}
        {(options ?? yesAndNo).map((option) => (
          <label key={option.value}>
            {/* Of check boxes the browser would require each one, so the service checks that there is one. */}
            <input
              name={field.id}
              type={type === 'multiple_choice' ? 'checkbox' : 'radio'}
              value={option.value}
              required={type !== 'multiple_choice' && required}
            />
            {option.label}
          </label>
        ))}
      </fieldset>
    )
  const { placeholder, autocomplete, min, max, minLength, maxLength } = field
  const typed = { ...common, id, required, placeholder, minLength, maxLength, autoComplete: autocomplete }
  // A control of the type number loses a decimal comma. What is typed as text, the script checks.
  const numeric = { inputMode: 'decimal' } as const
  const special = type === 'number' ? numeric : { min, max }
  return (
    <p data-field={field.id}>
      <label htmlFor={id}>{label}</label> {help}
      {type === 'long_text' ? (
        <textarea {...typed} />
      ) : (
        <input type={inputTypes[type] ?? 'text'} {...special} {...typed} />
      )}
    </p>
  )
}
