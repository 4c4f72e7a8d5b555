import type { FormDefinition, StoredRow } from '../../../ports/records.ts'
import type { StorageType } from '../../record/field.ts'
import {
  formLineKeys,
  isFormLineKey,
  notAFormKey,
  readFormLine,
  type FormLine,
  type FormLineKey,
} from '../../forms/definition/check.ts'
import { headlessSupport } from '../../forms/definition/compiled/support.ts'
import { echoed } from '../../bounds/echo.ts'
import { forms } from '../../resources/forms/forms.ts'
import type { ImportKind } from './kind.ts'

/** Hashes form passwords and compares them with stored hashes. */
export interface FormPasswords {
  hash(password: string): Promise<string>
  verify(password: string, stored: string): Promise<boolean>
}

/** The storage types of a form line's keys, for CSV. */
const columnTypes: Readonly<Record<FormLineKey, StorageType>> = {
  formId: 'text',
  name: 'text',
  isPublished: 'boolean',
  password: 'text',
  requireEmailVerification: 'boolean',
  posEnrollment: 'boolean',
  submissionLimitPerContact: 'integer',
  successTitle: 'text',
  successMessage: 'text',
  publicUrl: 'text',
  notificationEmails: 'json',
  fields: 'json',
  createdAt: 'text',
  publishedAt: 'text',
}

/**
 * The import of forms. A line is a saved definition with its password in clear text; what is stored is the definition
 * and a hash. The stored hash is kept while the given password still verifies against it, so that importing a file
 * twice changes nothing. A line without a password makes a form without one.
 */
export function formKind(passwords: FormPasswords): ImportKind {
  return {
    collection: forms.collection,
    keyField: forms.idField,
    key: [forms.idField],
    secretField: 'password',
    serviceWideIds: forms.serviceWideIds,
    references: [],
    names: formLineKeys,
    typeOf: (name) => (isFormLineKey(name) ? columnTypes[name] : null),
    problemOf: (name) => (isFormLineKey(name) ? null : notAFormKey(name)),
    read: (record) => {
      const reading = readFormLine(record)
      return 'form' in reading ? { row: rowOf(reading.form) } : reading
    },
    completion: {
      carries: ['passwordHash'],
      draft: async ({ password, ...row }, existing) => ({
        ...row,
        ...(await passwordOf(password, existing?.passwordHash, passwords)),
      }),
      // A form whose password is not to change is written without one, so that a hash which was made anew under another
      // root secret since the draft was made stays, and so does a password that somebody has set since.
      complete: async ({ keepsPassword, passwordHash, ...draft }, _context, existing) =>
        keepsPassword === true && existing !== null ? draft : { ...draft, passwordHash },
    },
    warn: async (rows) => rows.flatMap(unsubmittable),
  }
}

/** What the operator should know of a form that visitors can find, but not submit here. */
function unsubmittable({ formId, isPublished, definition }: StoredRow): readonly string[] {
  if (isPublished !== true) return []
  // The line was read as a form.
  const { supported, reasons } = headlessSupport(definition as FormDefinition)
  if (supported) return []
  return [
    `${echoed(String(formId))} is published and cannot be submitted here, only on its hosted page. ${reasons.join(' ')}`,
  ]
}

function rowOf({ definition, password, publishedAt, createdAt }: FormLine): StoredRow {
  const { formId, name, isPublished } = definition
  return { formId, name, isPublished, publishedAt, createdAt, definition, password }
}

/** The hash of a form's password, and whether it is the stored hash, which the password still fits. */
async function passwordOf(
  password: unknown,
  stored: unknown,
  passwords: FormPasswords,
): Promise<{ readonly passwordHash: string | null; readonly keepsPassword: boolean }> {
  if (typeof password !== 'string') return { passwordHash: null, keepsPassword: false }
  if (typeof stored === 'string' && (await passwords.verify(password, stored)))
    return { passwordHash: stored, keepsPassword: true }
  return { passwordHash: await passwords.hash(password), keepsPassword: false }
}
