/**
 * The types of answers. A saved definition may contain other words; such a form can only be submitted on its hosted
 * page.
 */
export const answerTypes = [
  'short_text',
  'long_text',
  'email',
  'phone',
  'number',
  'date',
  'single_choice',
  'multiple_choice',
  'boolean',
  'consent',
] as const
export type AnswerType = (typeof answerTypes)[number]

/** Fields that only show something; they take no answer. */
export const displayTypes = ['heading', 'paragraph'] as const
export type DisplayType = (typeof displayTypes)[number]

/** Fields that other platforms' hosted forms have, and no form here can take. */
export const hostedTypes = ['file', 'signature', 'payment', 'email_verification', 'pos_enrollment'] as const

/** Contact attributes that an answer can fill. */
export const contactFields = ['email', 'phone', 'firstName', 'lastName', 'licensePlate'] as const
export type ContactField = (typeof contactFields)[number]

/** How a rule compares the answer of its subject. The subject's type decides which operators are allowed. */
export const ruleOperators = [
  'is_empty',
  'is_not_empty',
  'equals',
  'not_equals',
  'contains',
  'not_contains',
  'any_of',
  'none_of',
  'greater_than',
  'greater_or_equal',
  'less_than',
  'less_or_equal',
] as const
export type RuleOperator = (typeof ruleOperators)[number]

/** One comparison. `field` is the id of its subject; `value` is null for the operators that take none. */
export interface Rule {
  readonly field: string
  readonly operator: RuleOperator
  readonly value: unknown
}

/** When a field is shown: all of the rules hold, or any of them. One level, never empty. */
export interface VisibleWhen {
  readonly match: 'all' | 'any'
  readonly rules: readonly Rule[]
}

export interface Choice {
  readonly value: string
  readonly label: string
}

/** A saved field that passed the check: absent optional settings are null. */
export interface FormField<Type extends AnswerType | DisplayType = AnswerType | DisplayType> {
  readonly id: string
  readonly type: Type
  readonly label: string
  readonly required: boolean
  readonly placeholder: string | null
  readonly helpText: string | null
  readonly options: readonly Choice[]
  /** Bounds, both inclusive: numbers for a number field, `YYYY-MM-DD` for a date. Other types ignore them. */
  readonly min: number | string | null
  readonly max: number | string | null
  /** Bounds in characters (`characterCount`), for text, email and phone as typed. Other types ignore them. */
  readonly minLength: number | null
  readonly maxLength: number | null
  readonly contactField: ContactField | null
  readonly visibleWhen: VisibleWhen | null
}

export type AnswerField = FormField<AnswerType>

/** Whether a field takes an answer, as opposed to only showing something. */
export function isAnswerField(field: FormField): field is AnswerField {
  return answerTypes.some((type) => type === field.type)
}

/** The types of a field's answer after it was read: dates and phone digits are strings. */
export type AnswerValue = string | number | boolean | readonly string[]

/** The languages in which the service can speak to a visitor (ISO 639-1). */
export const languages = ['en', 'de', 'es', 'fr'] as const
export type Language = (typeof languages)[number]

/** What a visitor is told after a submission to a form that says nothing else. */
export const defaultSuccess = { title: 'Thank you', message: 'Your submission has been received.' }

// Lengths of texts are in characters as `characterCount` counts them: a line break is one, however it was sent.

/** Largest complete body, multipart overhead included (contract, Limits). */
export const BODY_MAX_BYTES = 65_536

/** Longest `_gotcha`, in characters (contract, Limits). */
export const GOTCHA_MAX_LENGTH = 10_000

/** Longest `_password`, in characters (contract, Limits). */
export const PASSWORD_MAX_LENGTH = 1_024

/** Longest `_redirect`, in characters (contract, Limits). */
export const REDIRECT_MAX_LENGTH = 2_000

/** Longest text answer, in characters (contract, Limits). */
export const ANSWER_MAX_LENGTH = 10_000

/** The maximum number of items of a multiple choice (contract, Limits). */
export const ITEMS_MAX = 100

/** The maximum number of addresses that one submission notifies: a stranger's request must not send more mail. */
export const NOTIFICATION_EMAILS_MAX = 20

/** The maximum length of a form's identifier, in characters (contract, path parameter `formId`). */
export const FORM_ID_MAX_LENGTH = 200

/** Identifiers of forms. */
export const FORM_ID = new RegExp(`^[A-Za-z0-9_-]{1,${FORM_ID_MAX_LENGTH}}$`)

// What is kept with a submission besides its answers: see `movingDoor` in `domain/forms/page-api.ts`.

/** How many texts that a form does not ask for are kept with a submission, and how long their names may be. */
export const EXTRA_MAX = 50
export const EXTRA_NAME_MAX_LENGTH = 200

/** The keys under which a page says the subject of the notification, and the address for replies. No field has them. */
export const SUBJECT_KEY = '_subject'
export const REPLY_TO_KEY = '_replyto'

/** Longest subject of a notification, in UTF-16 units. */
export const SUBJECT_MAX_LENGTH = 200
