import type { ImportIssue } from '../record/resource.ts'
import type { ImportKind, ImportRecord } from './kind.ts'

const HIDDEN = '(hidden)'

/** A shorter value is not concealed, because it could occur in any text by chance. */
const SECRET_MIN_LENGTH = 4

/** A problem of a line with the secret value removed. Problems quote the line's keys, and a key can be any text. */
export function conceal(
  { field, message }: ImportIssue,
  record: ImportRecord,
  kind: ImportKind,
): ImportIssue {
  const secret = kind.secretField === null ? null : record[kind.secretField]
  if (typeof secret !== 'string' || secret.length < SECRET_MIN_LENGTH) return { field, message }
  return { field: field.replaceAll(secret, HIDDEN), message: message.replaceAll(secret, HIDDEN) }
}
