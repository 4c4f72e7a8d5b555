import { compileForm, type CompiledForm } from '../../../../domain/forms/language/compile.ts'
import type { FormDefinition, FormDirectory, StoredForm } from '../../../../ports/records.ts'

/** A form definition with the given fields and defaults for everything else. */
export function definitionOf(
  fields: readonly unknown[],
  settings: Partial<FormDefinition> = {},
): FormDefinition {
  return {
    formId: 'contact-us',
    name: 'Contact us',
    isPublished: true,
    notificationEmails: [],
    fields,
    ...settings,
  }
}

/** A saved field of a type, labelled with its id. */
export function fieldOf(id: string, type: string, settings: Readonly<Record<string, unknown>> = {}): unknown {
  return { id, type, label: id, ...settings }
}

/** Saved options with these values. */
export function optionsOf(...values: readonly string[]): readonly unknown[] {
  return values.map((value) => ({ value, label: value }))
}

/** A saved `visibleWhen` of one rule. */
export function when(field: string, operator: string, value?: unknown): unknown {
  return { match: 'all', rules: [{ field, operator, ...(value === undefined ? {} : { value }) }] }
}

/** A compiled form; throws when the definition is not supported. */
export function compiledOf(fields: readonly unknown[], settings: Partial<FormDefinition> = {}): CompiledForm {
  const compilation = compileForm(definitionOf(fields, settings))
  if (compilation.kind === 'unsupported') throw new Error(compilation.reasons.join(' '))
  return compilation.form
}

/**
 * A directory with one form, whose id is `contact-us`, and how often it was asked.
 * @param stored what of the form is another than usual; null: there is no form
 */
export function directoryOf(stored: Partial<StoredForm> | null): {
  readonly forms: FormDirectory
  readonly reads: () => number
} {
  const form: StoredForm = {
    organizationId: 'org',
    formId: 'contact-us',
    version: 1,
    isPublished: true,
    definition: definitionOf([]),
    passwordHash: null,
    phoneCountry: 'US',
    organizationName: 'Lakeside',
    ...stored,
  }
  let reads = 0
  const forms: FormDirectory = {
    find: async (formId) => {
      reads += 1
      return stored !== null && formId === form.formId ? form : null
    },
    submissionsOf: () => {
      throw new Error('Nothing is submitted')
    },
  }
  return { forms, reads: () => reads }
}
