import type { SubmittedContact } from '../../../ports/records.ts'
import { emailKey, readEmailAddress } from '../../text/email-address.ts'
import type { CompiledForm } from '../definition/compiled/compile.ts'
import { takesText } from '../definition/applicable.ts'
import type { ContactField } from '../definition/definition.ts'

/**
 * The contact that a submission identifies, or null when neither a valid email nor a valid phone names one. Where two
 * fields fill the same attribute, the first usable answer counts.
 * @param given texts of the answers as they were sent, by field id
 * @param phoneCountry the organization's country for national numbers (ISO 3166-1 alpha-2)
 */
export async function contactOf(
  form: CompiledForm,
  given: ReadonlyMap<string, string>,
  phoneCountry: string,
  newContactId: string,
): Promise<SubmittedContact | null> {
  const textsOf = (attribute: ContactField): readonly string[] =>
    [...form.answerFields.values()]
      .filter((field) => field.contactField === attribute && takesText(field))
      .map((field) => (given.get(field.id) ?? '').trim())
      .filter((text) => text !== '')
  const email = textsOf('email').flatMap((text) => readEmailAddress(text) ?? [])[0] ?? null
  // A stored phone answer has lost its country code, so the number is parsed from the text as it was sent.
  const phone = await firstPhone(textsOf('phone'), phoneCountry)
  if (email === null && phone === null) return null
  const [firstName = null] = textsOf('firstName')
  const [lastName = null] = textsOf('lastName')
  const [licensePlate = null] = textsOf('licensePlate')
  const key = email === null ? null : emailKey(email)
  return { newContactId, email, emailKey: key, phone, firstName, lastName, licensePlate }
}

/** The first valid number, in E.164. The metadata of phone numbers is loaded by the first submission with a number. */
async function firstPhone(texts: readonly string[], country: string): Promise<string | null> {
  if (texts.length === 0) return null
  const { phoneToE164 } = await import('../../text/phone-number.ts')
  for (const text of texts) {
    const e164 = phoneToE164(text, country)
    if (e164 !== null) return e164
  }
  return null
}
