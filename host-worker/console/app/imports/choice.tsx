import { useEffect, useState } from 'preact/hooks'
import { columnsOf, readHead, type Head } from '../../../../domain/imports/file/csv.ts'
import { headKey, type ColumnReading, type HeaderRules } from '../../../../domain/imports/file/header.ts'
import { PART_BYTES, formatOfName } from '../../../../domain/imports/file/transfer.ts'
import { Button, SelectField, calls, saveText } from '../kit/controls.tsx'
import { failureOf } from '../service/client.ts'
import type { BodyOf, ItemOf } from '../service/operations.ts'
import { bytesOf, type ImportFormat, type Mapping } from './send-file.ts'

const formats: readonly { readonly value: ImportFormat; readonly label: string }[] = [
  { value: 'csv', label: 'Spreadsheet: CSV or TSV' },
  { value: 'ndjson', label: 'NDJSON: a JSON object a line' },
]

const ACCEPTED = '.csv,.tsv,.txt,.ndjson,.jsonl,.json,text/csv,text/tab-separated-values'

/** The choice of what is imported: the kind of its rows, a file, and how that is written. */
export function Chooser({
  kinds,
  choice,
}: {
  readonly kinds: readonly ImportKind[]
  readonly choice: Choice
}) {
  const { kind, file, format, chooseKind, chooseFile, chooseFormat } = choice
  return (
    <>
      <SelectField
        label="What the rows are"
        value={kind?.kind ?? ''}
        onValue={chooseKind}
        options={[
          { value: '', label: 'Choose' },
          ...kinds.map(({ kind: name }) => ({ value: name, label: name })),
        ]}
      />
      {kind !== null && <KindColumns kind={kind} />}
      {kind !== null && (
        <FileField
          label={file === null ? 'Choose a file' : 'Choose another file, or the corrected one'}
          accept={ACCEPTED}
          file={file}
          onFile={chooseFile}
        />
      )}
      {kind !== null && file !== null && (
        <SelectField label="How it is written" value={format} onValue={chooseFormat} options={formats} />
      )}
    </>
  )
}

/** What the files of a kind hold, and one to begin with. */
function KindColumns({ kind: { kind, columns, template } }: { readonly kind: ImportKind }) {
  return (
    <>
      <div class="buttons">
        <Button onClick={calls(saveText, `${kind}.csv`, 'text/csv', template)}>Download a template</Button>
      </div>
      <details>
        <summary>What the columns of {kind} mean</summary>
        <dl class="facts">
          {columns.map(({ name, type, whenLeftOut, meaning }) => (
            <div key={name}>
              <dt>
                <code>{name}</code>
              </dt>
              <dd>
                {meaning} <span class="soft">{needText(typeTexts[type], whenLeftOut)}</span>
              </dd>
            </div>
          ))}
        </dl>
      </details>
    </>
  )
}

function needText(type: string, whenLeftOut: string | null): string {
  return whenLeftOut === null ? `Required, ${type}.` : `May be left out: ${whenLeftOut}. ${type}.`
}

interface FileFieldProps {
  readonly label: string
  /** Endings of names and media types that the browser offers first. */
  readonly accept: string
  /** The file that was chosen; null: none yet. */
  readonly file: File | null
  readonly onFile: (file: File) => void
}

/** A place to drop a file on, and a button to choose one. */
function FileField({ label, accept, file, onFile }: FileFieldProps) {
  const [isOver, setOver] = useState(false)
  useNoStrayDrops()
  const take = (files: FileList | null | undefined): void => {
    const [first] = files ?? []
    if (first !== undefined) onFile(first)
  }
  return (
    <div
      class={isOver ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={calls(setOver, false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        take(event.dataTransfer?.files)
      }}
    >
      <label class="button">
        {label}
        <input
          type="file"
          class="visually-hidden"
          accept={accept}
          onChange={(event) => {
            const field = event.currentTarget
            take(field.files)
            // The same file can be chosen again, after it was corrected.
            field.value = ''
          }}
        />
      </label>
      <span class="soft">{file === null ? 'or drop it here' : file.name}</span>
    </div>
  )
}

/** A file that misses the place must not take the browser away from the page. */
function useNoStrayDrops(): void {
  useEffect(() => {
    const ignore = (event: Event): void => {
      event.preventDefault()
    }
    window.addEventListener('dragover', ignore)
    window.addEventListener('drop', ignore)
    return () => {
      window.removeEventListener('dragover', ignore)
      window.removeEventListener('drop', ignore)
    }
  }, [])
}

/** The choice to leave a column out. No field has this name. */
const LEFT_OUT = '-'

interface MappingProps {
  readonly kind: ImportKind
  readonly columns: readonly ColumnReading[]
  /** The first row of the file. */
  readonly sample: readonly string[]
  readonly onMapping: (mapping: Mapping) => void
}

/** The columns of a file, each with the field that it means. */
export function MappingTable({ kind, columns, sample, onMapping }: MappingProps) {
  const options = [
    { value: '', label: 'Choose a field' },
    { value: LEFT_OUT, label: 'Leave it out' },
    ...kind.columns.map(({ name, isRequired }) => ({
      value: name,
      label: isRequired ? `${name} (required)` : name,
    })),
  ]
  return (
    <div class="mapping">
      {columns.map(({ column, field, problem }, index) =>
        column === '' ? null : (
          <SelectField
            key={`${index} ${column}`}
            label={column}
            hint={sampleText(sample[index])}
            error={problem === null || field !== '' ? problem : 'Choose its field, or leave it out.'}
            value={field ?? LEFT_OUT}
            onValue={(value) => {
              onMapping(withField(columns, column, value))
            }}
            options={options}
          />
        ),
      )}
    </div>
  )
}

const SAMPLE_MAX_LENGTH = 60

function sampleText(value: string | undefined): string {
  if (value === undefined || value === '') return 'Empty in the first row'
  return value.length <= SAMPLE_MAX_LENGTH ? value : `${value.slice(0, SAMPLE_MAX_LENGTH)}…`
}

/**
 * The mapping with another field for a column. It names the fields of all others too: one that differs from it only in
 * spaces or case would otherwise follow it.
 */
function withField(columns: readonly ColumnReading[], column: string, chosen: string): Mapping {
  const others = named(columns).filter((other) => other.column !== column && isKnown(other))
  const pairs = others.map((other) => [other.column, other.field ?? ''] as const)
  const field = chosen === LEFT_OUT ? '' : chosen
  return Object.fromEntries(chosen === '' ? pairs : [...pairs, [column, field] as const])
}

/** The mapping that leaves out every column of which nobody has said what it means. */
export function leavingOthersOut(columns: readonly ColumnReading[]): Mapping {
  return Object.fromEntries(named(columns).map((one) => [one.column, isKnown(one) ? (one.field ?? '') : '']))
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

/** The beginning of a chosen CSV file; null: there is none, or it is being read. */
function useHead(file: File | null, format: ImportFormat, kind: ImportKind | null): Head | null {
  const [head, setHead] = useState<Head | null>(null)
  useEffect(() => {
    setHead(null)
    if (file === null || kind === null || format !== 'csv') return
    let isLatest = true
    const settle = (found: Head): void => {
      if (isLatest) setHead(found)
    }
    bytesOf(file, 0, PART_BYTES).then(
      (bytes) => {
        settle(readHead(bytes, bytes.length === file.size, rulesOf(kind, {})))
      },
      (thrown: unknown) => {
        settle({ problem: failureOf(thrown).message })
      },
    )
    return () => {
      isLatest = false
    }
  }, [file, format, kind])
  return head
}

/** A kind of rows that can be imported, with the columns of its files. */
export type ImportKind = BodyOf<'importKinds.list'>['data'][number]

/** An import as the operator interface shows it. */
export type Import = ItemOf<'imports.list'>

/** How the columns of a file of this kind are read. The service has the last word, by the same code. */
function rulesOf({ columns }: ImportKind, mapping: Mapping): HeaderRules {
  const types = new Map(columns.map(({ name, type }) => [name, type]))
  const heads = columns.flatMap(({ name, heads: some }) => some.map((head) => [headKey(head), name] as const))
  return {
    mapping,
    columns: {
      names: [...types.keys()],
      heads: new Map(heads),
      typeOf: (field) => types.get(field) ?? null,
      problemOf: (field) => (types.has(field) ? null : 'is not known.'),
      secretField: null,
    },
  }
}

/** What a column holds, in words. */
const typeTexts: Readonly<Record<ImportKind['columns'][number]['type'], string>> = {
  text: 'text',
  integer: 'whole number',
  real: 'number',
  boolean: 'true or false',
  json: 'JSON',
}
