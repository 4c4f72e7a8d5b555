import type { SubmittedContact } from '../../../ports/tenant-writer.ts'
import { emailKey, isEmailAddress } from '../../text/email-address.ts'
import { phoneToE164 } from '../../text/phone-number.ts'
import type { CompiledForm } from '../definition/compile.ts'
import { takesText } from '../definition/compile.ts'
import type { ContactField } from '../definition/definition.ts'

/**
 * The contact that a submission identifies, or null when neither a valid email nor a valid phone names one. Where two
 * fields fill the same attribute, the first usable answer counts.
 * @param given texts of the answers as they were sent, by field id
 * @param phoneCountry the organization's country for national numbers (ISO 3166-1 alpha-2)
 */
export function contactOf(
  form: CompiledForm,
  given: ReadonlyMap<string, string>,
  phoneCountry: string,
  newContactId: string,
): SubmittedContact | null {
  const first = (attribute: ContactField, read: (text: string) => string | null): string | null => {
    for (const field of form.answerFields.values()) {
      if (field.contactField !== attribute || !takesText(field)) continue
      const usable = read(given.get(field.id) ?? '')
      if (usable !== null) return usable
    }
    return null
  }
  const email = first('email', (text) => (isEmailAddress(text.trim()) ? text.trim() : null))
  // The country code is gone from a stored phone answer, so the number is read from the text as it was sent.
  const phone = first('phone', (text) => phoneToE164(text.trim(), phoneCountry))
  if (email === null && phone === null) return null
  return {
    newContactId,
    email,
    emailKey: email === null ? null : emailKey(email),
    phone,
    firstName: first('firstName', trimmed),
    lastName: first('lastName', trimmed),
    licensePlate: first('licensePlate', trimmed),
  }
}

function trimmed(text: string): string | null {
  return text.trim() || null
}
