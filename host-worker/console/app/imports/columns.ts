import { columnsOf, readHead, type Head } from '../../../../domain/imports/file/csv.ts'
import { readableFile, type FileEncoding } from '../../../../domain/imports/file/lines.ts'
import {
  ATTRIBUTE,
  headKey,
  type ColumnReading,
  type HeaderRules,
} from '../../../../domain/imports/file/header.ts'
import { PART_BYTES, partsOf, type ImportSource } from '../../../../domain/imports/file/transfer.ts'
import { attributeBounds } from '../../../../domain/limits/limits.ts'
import type { BodyOf } from '../service/operations.ts'
import { sourceOf, type ImportFormat, type Mapping } from './send-file.ts'

// What the columns of a chosen file mean, without the page that shows it.

/** A kind of rows that can be imported, with the columns of its files. */
export type ImportKind = BodyOf<'importKinds.list'>['data'][number]

/** A CSV file's beginning. */
export type FileHead = Extract<Head, { readonly cells: unknown }>

/** A chosen file, in UTF-8. */
export type ReadFile =
  | {
      readonly source: ImportSource
      /** How its letters were read, when that was not sure; null: it was. */
      readonly note: string | null
      /** Null: it is no CSV file. */
      readonly head: FileHead | null
    }
  | { readonly problem: string }

/**
 * Reads a file once, to learn its encoding, and its beginning. Throws a `Failure` when it can no longer be read.
 * @param encoding as it was said; null: nobody said
 */
export async function readFile(
  file: File,
  kind: ImportKind,
  { format, encoding }: { readonly format: ImportFormat; readonly encoding: FileEncoding | null },
): Promise<ReadFile> {
  const readable = await readableFile(sourceOf(file), encoding)
  if ('problem' in readable) return { problem: `The file ${readable.problem}.` }
  const { source, note } = readable
  if (format !== 'csv') return { source, note, head: null }
  const parts = partsOf(source.open(), PART_BYTES)
  const first = await parts.next()
  const bytes = first.done === true ? new Uint8Array(0) : first.value
  const head = readHead(bytes, bytes.length < PART_BYTES, rulesOf(kind, {}))
  await parts.return(undefined)
  return 'problem' in head ? head : { source, note, head }
}

/** Whether columns that are no field can be kept as attributes. */
export function takesAttributes({ kind }: ImportKind): boolean {
  return kind === 'contacts'
}

/** The field of a column that is kept as an attribute under its own name, as far as that fits. */
export function attributeOf(column: string): string {
  // Half a character would be refused.
  return ATTRIBUTE + column.slice(0, attributeBounds.nameLength).replace(/[\uD800-\uDBFF]$/, '')
}

/** How the columns of a file of this kind are read. The service has the last word, by the same code. */
export function rulesOf(kind: ImportKind, mapping: Mapping): HeaderRules {
  const types = new Map(kind.columns.map(({ name, type }) => [name, type]))
  const heads = kind.columns.flatMap(({ name, heads: some }) =>
    some.map((head) => [headKey(head), name] as const),
  )
  const problemOf = (name: string): string | null => {
    if (!takesAttributes(kind) || !name.startsWith(ATTRIBUTE)) return types.has(name) ? null : 'is not known.'
    const { length } = name.slice(ATTRIBUTE.length)
    const isFit = length >= 1 && length <= attributeBounds.nameLength
    return isFit ? null : `Give a name of 1 to ${attributeBounds.nameLength} characters.`
  }
  return {
    mapping,
    columns: {
      names: [...types.keys()],
      heads: new Map(heads),
      typeOf: (field) => types.get(field) ?? null,
      problemOf,
      secretField: null,
    },
  }
}

/** What each column means. What was said of columns that the file lacks is left out, because it would be refused. */
export function columnsIn(
  { cells }: FileHead,
  kind: ImportKind,
  said: Mapping,
): { readonly mapping: Mapping; readonly columns: readonly ColumnReading[] } {
  const mapping = Object.fromEntries(Object.entries(said).filter(([column]) => cells.includes(column)))
  return { mapping, columns: columnsOf({ cells }, rulesOf(kind, mapping)) }
}

/** The choice to leave a column out. No field has this name. */
export const LEFT_OUT = '-'

/**
 * The mapping with another field for a column. It names the fields of all others too: one that differs from it only in
 * spaces or case would otherwise follow it.
 */
export function withField(
  columns: readonly ColumnReading[],
  said: Mapping,
  column: string,
  chosen: string,
): Mapping {
  const others = named(columns).filter((other) => other.column !== column)
  const pairs = others.flatMap((other) => {
    const known = isKnown(other) ? (other.field ?? '') : said[other.column]
    return known === undefined ? [] : [[other.column, known] as const]
  })
  const field = chosen === LEFT_OUT ? '' : chosen
  return Object.fromEntries(chosen === '' ? pairs : [...pairs, [column, field] as const])
}

/** The mapping in which every column of which nobody has said what it means is left out, or kept as an attribute. */
export function withOthers(columns: readonly ColumnReading[], others: 'out' | 'attributes'): Mapping {
  const fieldOf = (one: ColumnReading): string => {
    if (isKnown(one)) return one.field ?? ''
    // Of two columns with the same field, one is left out.
    return others === 'out' || one.field !== '' ? '' : attributeOf(one.column)
  }
  return Object.fromEntries(named(columns).map((one) => [one.column, fieldOf(one)]))
}

function named(columns: readonly ColumnReading[]): readonly ColumnReading[] {
  return columns.filter(({ column }) => column !== '')
}

/** Whether it is clear what a column means. One without a name means nothing. */
export function isKnown({ column, problem }: ColumnReading): boolean {
  return column === '' || problem === null
}

/** The required fields that no column gives. */
export function missingFields({ columns: known }: ImportKind, columns: readonly ColumnReading[]): string[] {
  const given = new Set(columns.map(({ field }) => field))
  return known.filter(({ name, isRequired }) => isRequired && !given.has(name)).map(({ name }) => name)
}
