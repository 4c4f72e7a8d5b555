import type { ImportedFile } from '../../../ports/import-sessions.ts'
import { echoed } from '../../bounds/echo.ts'
import { unknownWord } from '../../words/judge.ts'
import { folded } from '../file/header.ts'
import type { ImportKind } from '../kinds/kind.ts'

/** A mapping whose fields have the names of the record, or sentences about what is wrong with it. */
export function readMapping(
  { kind, format, mapping = {} }: Pick<ImportedFile, 'kind' | 'format' | 'mapping'>,
  { names }: Pick<ImportKind, 'names'>,
): { readonly mapping: Readonly<Record<string, string>> } | { readonly problem: string } {
  const pairs = Object.entries(mapping)
  if (format !== 'csv' && pairs.length > 0)
    return { problem: 'Only the columns of a CSV file can be mapped. In NDJSON, the keys are the fields.' }
  const fieldOf = new Map(names.map((name) => [folded(name), name]))
  const known = pairs.map(
    ([column, field]) => [column, field === '' ? '' : fieldOf.get(folded(field))] as const,
  )
  const unknown = pairs.filter((_, index) => known[index]?.[1] === undefined)
  const sentences = unknown.map(
    ([column, field]) =>
      `${echoed(column)} cannot be mapped to ${echoed(field)}, which is not a field of ${kind}. ${unknownWord(field, names)}`,
  )
  if (sentences.length > 0) return { problem: sentences.join(' ') }
  return { mapping: Object.fromEntries(known.map(([column, field]) => [column, field ?? ''])) }
}
