import { abuseWarnings, formWarnings, headlessSupport } from '../forms/language/support.ts'
import type { ImportIssue } from '../record/resource.ts'
import { readGivenForm, unknownKeysOf } from '../forms/language/review.ts'

/** The result of checking a form. */
export type FormVerdict =
  /** It is no form: neither saved nor imported. */
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
 * Checks a form that is to be saved or imported, without its owner. A key that no field has only warns: an import takes
 * it.
 * @param messagesOf what automations send to the contact after a submission of a form
 */
export async function checkForm(
  line: Readonly<Record<string, unknown>>,
  messagesOf: (formId: string) => readonly string[],
): Promise<FormVerdict> {
  const reading = readGivenForm(line)
  const issues = [
    ...('issues' in reading ? reading.issues : []),
    ...unknownKeysOf(line).flatMap(({ path: [key, ...within], message }) =>
      within.length === 0 ? [{ field: String(key), message }] : [],
    ),
  ]
  if (issues.length > 0 || 'issues' in reading) return { kind: 'no_form', issues }
  const { definition, password } = reading.form
  const { formId } = definition
  const use = { password, messages: messagesOf(formId) }
  const warnings = [...formWarnings(definition), ...abuseWarnings(definition, use)]
  return { kind: 'form', formId, ...headlessSupport(definition), warnings }
}
