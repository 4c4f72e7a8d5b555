import type { FormDefinition } from '../../../ports/records.ts'

/** A shorter password can be guessed by trial, because the service does not limit the number of attempts. */
const PASSWORD_MIN_LENGTH = 10

/** What is known of a form besides its definition. */
export interface FormUse {
  /** In clear text; null: the form has none. */
  readonly password: string | null
  /** What automations send to the contact after a submission, such as `email`. */
  readonly messages: readonly string[]
}

function tooMany(message: string): string {
  const article = /^[aeiou]/.test(message) ? 'an' : 'a'
  return `An automation sends ${article} ${message} to the contact after each submission, and submissionLimitPerContact is not set: whoever submits often has many sent.`
}

/** What an attacker could do to a form, or at its owner's cost, as sentences for the operator. */
export function abuseWarnings(
  { submissionLimitPerContact }: FormDefinition,
  { password, messages }: FormUse,
): readonly string[] {
  const isWeak = password !== null && Array.from(password).length < PASSWORD_MIN_LENGTH
  const isUnlimited = (submissionLimitPerContact ?? null) === null
  return [
    ...(isWeak ? [`The password has fewer than ${PASSWORD_MIN_LENGTH} characters.`] : []),
    ...(isUnlimited ? messages.map(tooMany) : []),
  ]
}
