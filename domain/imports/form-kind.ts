import type { Clock } from '../../ports/clock.ts'
import type { StorageType } from '../record/field.ts'
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
  const passwordHash = async (password: string | null, stored: unknown): Promise<string | null> => {
    if (password === null) return null
    if (typeof stored === 'string' && (await passwords.verify(password, stored))) return stored
    return passwords.hash(password)
  }
  return {
    collection: forms.collection,
    keyField: forms.idField,
    key: [forms.idField],
    secretField: null,
    serviceWideIds: forms.serviceWideIds,
    references: [],
    carries: ['passwordHash', 'createdAt'],
    typeOf: (name) => (isKey(name) ? (columnTypes[name] ?? 'text') : null),
    problemOf: (name) =>
      isKey(name) ? null : `is not a key of a form, which has ${formLineKeys.join(', ')}`,
    issuesOf: (record) => {
      const reading = readFormLine(record)
      return 'form' in reading ? [] : reading.issues
    },
    toRow: async (record, _context, existing) => {
      const reading = readFormLine(record)
      if (!('form' in reading)) throw new Error('A row was asked of a line that has issues')
      const { definition, password, publishedAt, createdAt } = reading.form
      return {
        formId: definition.formId,
        name: definition.name,
        isPublished: definition.isPublished,
        publishedAt,
        createdAt: createdAt ?? existing?.createdAt ?? toInstant(clock.nowMs()),
        definition,
        passwordHash: await passwordHash(password, existing?.passwordHash),
      }
    },
  }
}

function isKey(name: string): boolean {
  return formLineKeys.includes(name)
}
