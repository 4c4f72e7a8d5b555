import type { CompiledForm } from './compile.ts'
import { keysOf } from '../../text/encoding.ts'
import type {
  AnswerType,
  Choice,
  ContactField,
  DisplayType,
  FormField,
  Language,
  VisibleWhen,
} from './definition.ts'
import { clientSentences } from './words/client.ts'
import { ownTexts, sentencesOf, type Voice } from './words.ts'

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
  /** The language of what is said to a visitor; left out: English. */
  readonly language?: Language
  /** What the form client says, where that is not its own English; left out: nothing is. */
  readonly words?: Readonly<Record<string, string>>
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
export function clientFormOf(
  { definition, fields }: CompiledForm,
  requiresPassword: boolean,
  speech: Pick<ClientForm, 'language' | 'words'> = {},
): ClientForm {
  const { formId, name } = definition
  return { formId, name, requiresPassword, ...speech, fields: fields.map(clientFieldOf) }
}

/** How the form client speaks for a form: nothing for a form that says nothing of it. */
export async function clientSpeechOf({
  language,
  texts,
}: Voice): Promise<Pick<ClientForm, 'language' | 'words'>> {
  if ((language ?? null) === null && (texts ?? null) === null) return {}
  const spoken = language ?? 'en'
  const sentences = await sentencesOf(spoken)
  const own = ownTexts(texts)
  const words = keysOf(clientSentences).map((key) => [key, own.get(key) ?? sentences[key]])
  return { language: spoken, words: Object.fromEntries(words) as Record<string, string> }
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
