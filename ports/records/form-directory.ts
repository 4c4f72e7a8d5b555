import type { SubmissionWriter } from './tenant-writer.ts'

/**
 * A form as it was saved, without its password. An import checks the form-level keys, but not `fields`, whose entries
 * may be anything.
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

/** A form as the submission endpoint needs it. `version` changes with every change of the form's row. */
export interface StoredForm {
  readonly organizationId: string
  readonly formId: string
  readonly version: number
  readonly isPublished: boolean
  readonly definition: FormDefinition
  /** A versioned, salted hash of the password; null: the form needs none. */
  readonly passwordHash: string | null
  /** The owning organization's country for national phone numbers (ISO 3166-1 alpha-2). */
  readonly phoneCountry: string
}

/** Finds forms by their service-wide identifier, published or not, for callers that hold no key. */
export interface FormDirectory {
  /** The form, or null when no organization has a form with that id. */
  find(formId: string): Promise<StoredForm | null>
  /** Opens the organization that owns a found form, for writing submissions. No I/O. */
  submissionsOf(organizationId: string): SubmissionWriter
}
