import { abuseWarnings } from '../forms/definition/abuse-warnings.ts'
import type { ImportIssue } from '../record/resource.ts'
import { readFormLine } from '../forms/definition/check.ts'
import { formWarnings, headlessSupport } from '../forms/definition/support.ts'

/** The result of checking a form. */
export type FormVerdict =
  /** The line is not a form, and an import would refuse it. */
  | { readonly kind: 'no_form'; readonly issues: readonly ImportIssue[] }
  | {
      readonly kind: 'form'
      readonly formId: string
      /** Whether the form can be submitted here. If not, it must be hosted. */
      readonly supported: boolean
      /** Why it must be hosted, as sentences. */
      readonly reasons: readonly string[]
      /** Settings that its owner probably did not intend, as sentences. */
      readonly warnings: readonly string[]
    }

/**
 * Checks one line of a forms import, without its owner.
 * @param messagesOf what automations send to the contact after a submission of a form
 */
export async function checkForm(
  line: Readonly<Record<string, unknown>>,
  messagesOf: (formId: string) => readonly string[],
): Promise<FormVerdict> {
  const reading = readFormLine(line)
  if (!('form' in reading)) return { kind: 'no_form', issues: reading.issues }
  const { definition, password } = reading.form
  const { formId } = definition
  const use = { password, messages: messagesOf(formId) }
  const warnings = [...formWarnings(definition), ...abuseWarnings(definition, use)]
  return { kind: 'form', formId, ...headlessSupport(definition), warnings }
}
