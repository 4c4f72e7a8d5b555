import type { Clock } from '../../ports/clock.ts'
import type { StoredRow } from '../../ports/query.ts'
import type { StorageType } from '../record/field.ts'
import type { FormLine } from '../forms/definition/check.ts'
import { formLineKeys, readFormLine } from '../forms/definition/check.ts'
import { forms } from '../resources/forms.ts'
import { toInstant } from '../text/instant.ts'
import type { ImportKind } from './kind.ts'

/** Hashes form passwords and compares them with stored hashes. */
export interface FormPasswords {
  hash(password: string): Promise<string>
  verify(password: string, stored: string): Promise<boolean>
}

/** How the keys of a form line are stored, for CSV; the others are text. */
const columnTypes: Readonly<Record<string, StorageType>> = {
  isPublished: 'boolean',
  requireEmailVerification: 'boolean',
  posEnrollment: 'boolean',
  submissionLimitPerContact: 'integer',
  notificationEmails: 'json',
  fields: 'json',
}

/**
 * The import of forms. A line is a saved definition with its password in clear text; stored are the definition and
 * a hash. The hash is kept while the given password still verifies against it, so that importing twice changes
 * nothing; a line without a password makes a form without one. `createdAt`, when not given, stays what it was, or is
 * the time of the import.
 */
export function formKind(passwords: FormPasswords, clock: Clock): ImportKind {
  return {
    collection: forms.collection,
    keyField: forms.idField,
    key: [forms.idField],
    secretField: null,
    serviceWideIds: forms.serviceWideIds,
    references: [],
    typeOf: (name) => (isKey(name) ? (columnTypes[name] ?? 'text') : null),
    problemOf: (name) =>
      isKey(name) ? null : `is not a key of a form, which has ${formLineKeys.join(', ')}`,
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
        // The stored hash may have been made anew under another root secret since the draft: it is of the same password.
        passwordHash:
          keepsPassword === true ? (existing?.passwordHash ?? draft.passwordHash) : draft.passwordHash,
      }),
    },
  }
}

function rowOf({ definition, password, publishedAt, createdAt }: FormLine): StoredRow {
  const { formId, name, isPublished } = definition
  return { formId, name, isPublished, publishedAt, createdAt, definition, password }
}

/** The hash of a form's password, and whether it is the stored one, which the password still opens. */
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

function isKey(name: string): boolean {
  return formLineKeys.includes(name)
}
