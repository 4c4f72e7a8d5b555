import type { ImportIssue } from '../contract/resource.ts'
import type { ImportKind, ImportRecord } from './kind.ts'

const HIDDEN = '(hidden)'

/** Shorter values stand in any text by chance. */
const SECRET_MIN_LENGTH = 4

/** A problem of a line without the value that must not be shown: it names keys, and anything can stand in those. */
export function conceal(
  { field, message }: ImportIssue,
  record: ImportRecord,
  kind: ImportKind,
): ImportIssue {
  const secret = kind.secretField === null ? null : record[kind.secretField]
  if (typeof secret !== 'string' || secret.length < SECRET_MIN_LENGTH) return { field, message }
  return { field: field.replaceAll(secret, HIDDEN), message: message.replaceAll(secret, HIDDEN) }
}
