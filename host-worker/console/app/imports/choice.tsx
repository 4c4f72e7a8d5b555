import { useEffect, useState } from 'preact/hooks'
import { encodings, type FileEncoding } from '../../../../domain/imports/file/encoding.ts'
import type { ColumnReading } from '../../../../domain/imports/file/header.ts'
import { formatOfName } from '../../../../domain/imports/file/transfer.ts'
import { Button, SelectField, calls, saveText } from '../kit/controls.tsx'
import { failureOf } from '../service/client.ts'
import {
  LEFT_OUT,
  attributeOf,
  columnsIn,
  readFile,
  takesAttributes,
  withField,
  type ImportKind,
  type ReadFile,
} from './columns.ts'
import type { ImportFormat, Mapping } from './send-file.ts'

const formats: readonly { readonly value: ImportFormat; readonly label: string }[] = [
  { value: 'csv', label: 'Spreadsheet: CSV or TSV' },
  { value: 'ndjson', label: 'NDJSON: a JSON object a line' },
]

const encodingNames: Readonly<Record<FileEncoding, string>> = {
  'utf-8': 'UTF-8',
  'utf-16': 'UTF-16 ("Unicode text")',
  'windows-1252': 'Windows-1252 (Western Europe)',
}

const encodingOptions = [
  { value: '', label: 'Found by itself' },
  ...encodings.map((value) => ({ value, label: encodingNames[value] })),
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
  const { kind, file, format, encoding, read, chooseKind, chooseFile, chooseFormat, chooseEncoding } = choice
  const note = read === null || 'problem' in read ? null : read.note
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
        <>
          <SelectField label="How it is written" value={format} onValue={chooseFormat} options={formats} />
          <SelectField
            label="Encoding of its letters"
            hint={note === null ? undefined : `The file ${note}. If that is wrong, choose another.`}
            value={encoding ?? ''}
            onValue={chooseEncoding}
            options={encodingOptions}
          />
        </>
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

interface MappingProps {
  readonly kind: ImportKind
  readonly columns: readonly ColumnReading[]
  /** The first rows of the file. */
  readonly rows: readonly (readonly string[])[]
  readonly onMapping: (mapping: Mapping) => void
}

/** The columns of a file, each with the field that it means, above the file's own first rows. */
export function MappingTable({ kind, columns, rows, onMapping }: MappingProps) {
  const fields = [
    { value: '', label: 'Choose a field' },
    { value: LEFT_OUT, label: 'Leave it out' },
    ...kind.columns.map(({ name, isRequired }) => ({
      value: name,
      label: isRequired ? `${name} (required)` : name,
    })),
  ]
  const optionsOf = (column: string) => {
    if (!takesAttributes(kind)) return fields
    const attribute = { value: attributeOf(column), label: 'Keep it as an attribute' }
    return [...fields.slice(0, 2), attribute, ...fields.slice(2)]
  }
  return (
    <div class="sheet" role="region" aria-label="The columns and first rows of the file" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map(({ column, field, problem }, index) => (
              <th key={`${index} ${column}`} scope="col">
                {column === '' ? (
                  'No name'
                ) : (
                  <SelectField
                    label={column}
                    error={problem === null || field !== '' ? problem : 'Choose what it means.'}
                    value={field ?? LEFT_OUT}
                    onValue={(value) => {
                      onMapping(withField(columns, column, value))
                    }}
                    options={optionsOf(column)}
                  />
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, number) => (
            <tr key={number}>
              {columns.map(({ field }, index) => (
                <td key={index} class={field === null ? 'left-out' : undefined}>
                  {shortened(cells[index] ?? '')}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const CELL_MAX_LENGTH = 60

function shortened(value: string): string {
  return value.length <= CELL_MAX_LENGTH ? value : `${value.slice(0, CELL_MAX_LENGTH)}…`
}

/** What a person has chosen to import, and how. */
export interface Choice {
  readonly kind: ImportKind | null
  readonly file: File | null
  readonly format: ImportFormat
  /** How the letters of the file are encoded; null: nobody said. */
  readonly encoding: FileEncoding | null
  /** The file as it is read; null: there is none, or it is being read. */
  readonly read: ReadFile | null
  /** The columns of a CSV file, as an import will read them. */
  readonly columns: readonly ColumnReading[]
  /** The fields of columns whose names do not say it. */
  readonly mapping: Mapping
  /** Whether rows with problems are left out. */
  readonly skipsProblems: boolean
  readonly chooseKind: (name: string) => void
  readonly chooseFile: (file: File) => void
  readonly chooseFormat: (format: string) => void
  readonly chooseEncoding: (encoding: string) => void
  readonly chooseMapping: (mapping: Mapping) => void
  readonly chooseSkipping: (skipsProblems: boolean) => void
}

/** The choices of a new import. What was said of columns stays when a corrected file is chosen. */
export function useChoice(kinds: readonly ImportKind[]): Choice {
  const [kindName, setKindName] = useState('')
  const [file, setFile] = useState<File | null>(null)
  const [format, setFormat] = useState<ImportFormat>('csv')
  const [encoding, setEncoding] = useState<FileEncoding | null>(null)
  const [said, setSaid] = useState<Mapping>({})
  const [skipsProblems, setSkipping] = useState(false)
  const kind = kinds.find((one) => one.kind === kindName) ?? null
  const read = useReading(file, format, encoding, kind)
  const head = read === null || 'problem' in read ? null : read.head
  return {
    ...{ kind, file, format, encoding, read, skipsProblems: skipsProblems && format === 'csv' },
    ...(head === null || kind === null ? { columns: [], mapping: {} } : columnsIn(head, kind, said)),
    chooseKind: (name) => {
      setKindName(name)
      setSaid({})
    },
    chooseFile: (chosen) => {
      setFile(chosen)
      setFormat(formatOfName(chosen.name))
      setEncoding(null)
    },
    chooseFormat: (chosen) => {
      setFormat(chosen === 'csv' ? 'csv' : 'ndjson')
    },
    chooseEncoding: (chosen) => {
      setEncoding(encodings.find((one) => one === chosen) ?? null)
    },
    chooseMapping: setSaid,
    chooseSkipping: setSkipping,
  }
}

/** A chosen file as it is read; null: there is none, or it is being read. */
function useReading(
  file: File | null,
  format: ImportFormat,
  encoding: FileEncoding | null,
  kind: ImportKind | null,
): ReadFile | null {
  const [read, setRead] = useState<ReadFile | null>(null)
  useEffect(() => {
    setRead(null)
    if (file === null || kind === null) return
    let isLatest = true
    const settle = (found: ReadFile): void => {
      if (isLatest) setRead(found)
    }
    readFile(file, kind, { format, encoding }).then(settle, (thrown: unknown) => {
      settle({ problem: failureOf(thrown).message })
    })
    return () => {
      isLatest = false
    }
  }, [file, format, encoding, kind])
  return read
}

/** What a column holds, in words. */
const typeTexts: Readonly<Record<ImportKind['columns'][number]['type'], string>> = {
  text: 'text',
  integer: 'whole number',
  real: 'number',
  boolean: 'true or false',
  json: 'JSON',
}
