import type { ImportIssue } from '../../record/resource.ts'
import type { ImportKind, ImportRecord } from './kind.ts'

const HIDDEN = '(hidden)'

/** A shorter value is only concealed where it stands alone, because it could occur in any text by chance. */
const SECRET_MIN_LENGTH = 4

/** A problem of a line with the secret value removed. Problems quote the line's keys, and a key can be any text. */
export function conceal(
  { field, message }: ImportIssue,
  record: ImportRecord,
  kind: ImportKind,
): ImportIssue {
  const value = kind.secretField === null ? null : record[kind.secretField]
  if (typeof value !== 'string' && typeof value !== 'number') return { field, message }
  const secret = String(value)
  if (secret.length < SECRET_MIN_LENGTH) return { field: field === secret ? HIDDEN : field, message }
  return { field: field.replaceAll(secret, HIDDEN), message: message.replaceAll(secret, HIDDEN) }
}
