import type { Clock } from '../../ports/platform/clock.ts'
import type { StoredRow } from '../../ports/records/query.ts'
import type { StorageType } from '../record/field.ts'
import type { FormLine, FormLineKey } from '../forms/definition/check.ts'
import { isFormLineKey, NOT_A_FORM_KEY, readFormLine } from '../forms/definition/check.ts'
import { forms } from '../resources/forms.ts'
import { toInstant } from '../text/instant.ts'
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
 * twice changes nothing. A line without a password makes a form without one. A `createdAt` that is not given keeps its
 * stored value, or becomes the time of the import.
 */
export function formKind(passwords: FormPasswords, clock: Clock): ImportKind {
  return {
    collection: forms.collection,
    keyField: forms.idField,
    key: [forms.idField],
    secretField: 'password',
    serviceWideIds: forms.serviceWideIds,
    references: [],
    typeOf: (name) => (isFormLineKey(name) ? columnTypes[name] : null),
    problemOf: (name) => (isFormLineKey(name) ? null : NOT_A_FORM_KEY),
    read: (record) => {
      const reading = readFormLine(record)
      return 'form' in reading ? { row: rowOf(reading.form) } : reading
    },
    completion: {
      carries: ['passwordHash', 'createdAt'],
      draft: async ({ password, ...row }, existing) => ({
        ...row,
        ...(await passwordOf(password, existing?.passwordHash, passwords)),
      }),
      complete: async ({ keepsPassword, ...draft }, _context, existing) => ({
        ...draft,
        createdAt: draft.createdAt ?? existing?.createdAt ?? toInstant(clock.nowMs()),
        // Since the draft was made, the stored hash may have been made anew under another root secret. It is still a
        // hash of the same password.
        passwordHash:
          keepsPassword === true ? (existing?.passwordHash ?? draft.passwordHash) : draft.passwordHash,
      }),
    },
    warn: null,
  }
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
