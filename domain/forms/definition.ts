/** What a field asks for. Other words may stand in a saved definition; such a form must be hosted. */
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

/** Contact attributes that an answer can fill. */
export const contactFields = ['email', 'phone', 'firstName', 'lastName', 'licensePlate'] as const
export type ContactField = (typeof contactFields)[number]

/**
 * A form as it was saved, without its password. The envelope was checked when it was imported; `fields` was
 * not: each entry may be anything.
 */
export interface FormDefinition {
  readonly formId: string
  readonly name: string
  readonly isPublished: boolean
  readonly requireEmailVerification?: boolean | null
  readonly posEnrollment?: boolean | null
  readonly submissionLimitPerContact?: number | null
  readonly successTitle?: string | null
  readonly successMessage?: string | null
  readonly publicUrl?: string | null
  readonly notificationEmails: readonly string[]
  readonly fields: readonly unknown[]
}
