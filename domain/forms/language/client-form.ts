import type { CompiledForm } from './compile.ts'
import type { AnswerType, Choice, ContactField, DisplayType, FormField, VisibleWhen } from './definition.ts'

/** A field as a page shows it. Settings that are not set are left out. */
export interface ClientField {
  readonly id: string
  readonly type: AnswerType | DisplayType
  readonly label: string
  readonly required?: true
  readonly placeholder?: string
  readonly helpText?: string
  readonly options?: readonly Choice[]
  readonly min?: number | string
  readonly max?: number | string
  readonly minLength?: number
  readonly maxLength?: number
  /** The value of HTML's `autocomplete`, for an answer that a browser may know (HTML, Autofill). */
  readonly autocomplete?: string
  readonly visibleWhen?: VisibleWhen
}

/** What a page needs to show a form and to apply its rules, and nothing else of its definition. */
export interface ClientForm {
  readonly formId: string
  readonly name: string
  /** Whether a submission needs `_password`. */
  readonly requiresPassword: boolean
  readonly fields: readonly ClientField[]
}

/** What HTML calls the attributes of a contact that browsers know. They do not know licence plates. */
const autocompletes: Readonly<Record<ContactField, string | null>> = {
  email: 'email',
  phone: 'tel',
  firstName: 'given-name',
  lastName: 'family-name',
  licensePlate: null,
}

/** HTML allows each of them on text controls, and on a control of its own type (HTML, Autofilling form controls). */
function autocompleteOf(type: FormField['type'], contactField: ContactField): string | null {
  return type === 'short_text' || type === contactField ? autocompletes[contactField] : null
}

/** The part of a form's definition that pages of any website may read. */
export function clientFormOf({ definition, fields }: CompiledForm, requiresPassword: boolean): ClientForm {
  const { formId, name } = definition
  return { formId, name, requiresPassword, fields: fields.map(clientFieldOf) }
}

function clientFieldOf(field: FormField): ClientField {
  const { id, type, label, contactField, required, options, ...rest } = field
  const settings = {
    ...rest,
    required: required ? true : null,
    options: options.length === 0 ? null : options.map(({ value, label }) => ({ value, label })),
    autocomplete: contactField === null ? null : autocompleteOf(type, contactField),
  }
  const set = Object.entries(settings).filter(([, value]) => value !== null)
  // Each setting keeps its type, and those that are null are left out.
  return { id, type, label, ...(Object.fromEntries(set) as Partial<ClientField>) }
}
