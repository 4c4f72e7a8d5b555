import { abuseWarnings } from '../forms/definition/abuse-warnings.ts'
import type { ImportIssue } from '../record/resource.ts'
import { readFormLine } from '../forms/definition/check.ts'
import { formWarnings, headlessSupport } from '../forms/definition/support.ts'

/** What the service thinks of a form. */
export type FormVerdict =
  /** It is no form at all, and an import would refuse it. */
  | { readonly kind: 'no_form'; readonly issues: readonly ImportIssue[] }
  | {
      readonly kind: 'form'
      readonly formId: string
      /** Whether it can be submitted here; if not, it must be hosted. */
      readonly supported: boolean
      /** Why it must be hosted, in sentences. */
      readonly reasons: readonly string[]
      /** What its owner may not have meant, in sentences. */
      readonly warnings: readonly string[]
    }

/**
 * Judges one line of an import of forms, without its owner.
 * @param sendsTexts whether submissions of a form start a text message
 */
export async function checkForm(
  line: Readonly<Record<string, unknown>>,
  sendsTexts: (formId: string) => boolean | Promise<boolean>,
): Promise<FormVerdict> {
  const reading = readFormLine(line)
  if (!('form' in reading)) return { kind: 'no_form', issues: reading.issues }
  const { definition, password } = reading.form
  const { formId } = definition
  const use = { password, sendsTexts: await sendsTexts(formId) }
  const warnings = [...formWarnings(definition), ...abuseWarnings(definition, use)]
  return { kind: 'form', formId, ...headlessSupport(definition), warnings }
}
