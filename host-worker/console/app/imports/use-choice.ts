import { useState } from 'preact/hooks'
import { formatOfName } from '../../../../domain/imports/file/format-of-name.ts'
import type { Head } from '../../../../domain/imports/file/head.ts'
import { columnsOf } from '../../../../domain/imports/file/head.ts'
import type { ColumnReading } from '../../../../domain/imports/file/header.ts'
import type { ImportFormat, ImportKind, Mapping } from './import-kind.ts'
import { rulesOf } from './import-kind.ts'
import { useHead } from './use-head.ts'

/** What a person has chosen to import, and how. */
export interface Choice {
  readonly kind: ImportKind | null
  readonly file: File | null
  readonly format: ImportFormat
  /** The beginning of a CSV file; null: there is none, or it is being read. */
  readonly head: Head | null
  /** The columns of a CSV file, as an import will read them. */
  readonly columns: readonly ColumnReading[]
  /** The fields of columns whose names do not say it. */
  readonly mapping: Mapping
  readonly chooseKind: (name: string) => void
  readonly chooseFile: (file: File) => void
  readonly chooseFormat: (format: string) => void
  readonly chooseMapping: (mapping: Mapping) => void
}

/** The choices of a new import. What was said of columns stays when a corrected file is chosen. */
export function useChoice(kinds: readonly ImportKind[]): Choice {
  const [kindName, setKindName] = useState('')
  const [file, setFile] = useState<File | null>(null)
  const [format, setFormat] = useState<ImportFormat>('csv')
  const [said, setSaid] = useState<Mapping>({})
  const kind = kinds.find((one) => one.kind === kindName) ?? null
  const head = useHead(file, format, kind)
  const found = head !== null && 'cells' in head ? head : null
  // What was said of columns that another file lacks would be refused.
  const mapping = Object.fromEntries(
    Object.entries(said).filter(([column]) => found?.cells.includes(column) === true),
  )
  return {
    ...{ kind, file, format, head, mapping },
    columns: found === null || kind === null ? [] : columnsOf(found, rulesOf(kind, mapping)),
    chooseKind: (name) => {
      setKindName(name)
      setSaid({})
    },
    chooseFile: (chosen) => {
      setFile(chosen)
      setFormat(formatOfName(chosen.name))
    },
    chooseFormat: (chosen) => {
      setFormat(chosen === 'csv' ? 'csv' : 'ndjson')
    },
    chooseMapping: setSaid,
  }
}
