import type { TenantWriter } from './tenant-writer.ts'

/** A form as the submission endpoint needs it. `version` changes with every change of the form's row. */
export interface StoredForm {
  readonly organizationId: string
  readonly formId: string
  readonly version: number
  readonly isPublished: boolean
  /** The saved definition (form and field keys as imported, without the password). */
  readonly definition: unknown
  /** Versioned salted hash, or null when the form needs no password. */
  readonly passwordHash: string | null
  /** The owning organization's country for national phone numbers (ISO 3166-1 alpha-2). */
  readonly phoneCountry: string
}

/** Finds forms by their service-wide identifier, published or not, for callers that hold no key. */
export interface FormDirectory {
  /** The form, or null when no organization has one of that id. One storage call. */
  find(formId: string): Promise<StoredForm | null>
  /** Opens the tenant that owns a form found here. No I/O. */
  tenantOf(form: StoredForm): TenantWriter
}
