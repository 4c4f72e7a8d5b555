import { useEffect, useState } from 'preact/hooks'
import { encodings, type FileEncoding } from '../../../../domain/imports/file/lines.ts'
import { ATTRIBUTE, type ColumnReading } from '../../../../domain/imports/file/header.ts'
import { formatOfName } from '../../../../domain/imports/file/transfer.ts'
import { Button, SelectField, TextField, calls, saveText } from '../kit/controls.tsx'
import { NO_VALUE, TheirText } from '../kit/page.tsx'
import { failureOf } from '../service/client.ts'
import { useIdentity, type Identity } from '../session.tsx'
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
  readonly mapping: Mapping
  readonly onMapping: (mapping: Mapping) => void
}

/** The columns of a file, one below the other: the field that each means, and what stands in the file's own first rows. */
export function MappingTable({ kind, columns, rows, mapping, onMapping }: MappingProps) {
  return (
    <div class="sheet" role="region" aria-label="The columns and first rows of the file">
      <table>
        <thead>
          <tr>
            <th scope="col">Column of the file</th>
            <th scope="col">Its first rows</th>
          </tr>
        </thead>
        <tbody>
          {columns.map((one, index) => (
            <tr key={`${index} ${one.column}`}>
              <th scope="row">
                {one.column === '' ? (
                  'No name'
                ) : (
                  <ColumnChoice
                    kind={kind}
                    reading={one}
                    said={mapping[one.column]}
                    onField={(field) => {
                      onMapping(withField(columns, mapping, one.column, field))
                    }}
                  />
                )}
              </th>
              <td class={one.field === null ? 'left-out' : undefined}>
                <Values
                  cells={rows.map((cells) => cells[index] ?? '').filter((cell) => cell.trim() !== '')}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Values({ cells }: { readonly cells: readonly string[] }) {
  if (cells.length === 0) return NO_VALUE
  return (
    <ul>
      {cells.map((cell, number) => (
        <li key={number}>
          <TheirText text={shortened(cell)} />
        </li>
      ))}
    </ul>
  )
}

interface ColumnChoiceProps {
  readonly kind: ImportKind
  readonly reading: ColumnReading
  /** The field that somebody chose for it, which may be wrong; undefined: nobody did. */
  readonly said: string | undefined
  readonly onField: (field: string) => void
}

/** What a column means: a field, an attribute by a name that can be changed, or nothing. */
function ColumnChoice({ kind, reading: { column, field, problem }, said, onField }: ColumnChoiceProps) {
  const chosen = said === '' ? LEFT_OUT : (said ?? field ?? LEFT_OUT)
  const isAttribute = chosen.startsWith(ATTRIBUTE)
  return (
    <>
      <SelectField
        label={column}
        error={problem === null || chosen !== '' ? (isAttribute ? null : problem) : 'Choose what it means.'}
        value={chosen}
        onValue={onField}
        options={[
          { value: '', label: 'Choose a field' },
          { value: LEFT_OUT, label: 'Leave it out' },
          ...(takesAttributes(kind)
            ? [{ value: isAttribute ? chosen : attributeOf(column), label: 'Keep it as an attribute' }]
            : []),
          ...kind.columns.map(({ name, isRequired }) => ({
            value: name,
            label: isRequired ? `${name} (required)` : name,
          })),
        ]}
      />
      {isAttribute && (
        <TextField
          label="Its name as an attribute"
          value={chosen.slice(ATTRIBUTE.length)}
          onValue={(name) => {
            onField(ATTRIBUTE + name)
          }}
          error={problem}
          autocomplete="off"
        />
      )}
    </>
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

/** What was chosen, before the file is read. */
interface Chosen extends Pick<Choice, 'file' | 'format' | 'encoding' | 'skipsProblems'> {
  readonly kindName: string
  readonly said: Mapping
}

const nothing: Chosen = {
  ...{ kindName: '', file: null, format: 'csv', encoding: null, said: {}, skipsProblems: false },
}

/** What was chosen last for each organization, for as long as the same person is signed in and the page is not left. */
const kept = new WeakMap<Identity, Map<string, Chosen>>()

/** The choices of a new import. What was said of columns stays when a corrected file is chosen. */
export function useChoice(kinds: readonly ImportKind[], organizationId: string): Choice {
  const identity = useIdentity()
  const [chosen, setChosen] = useState<Chosen>(() => kept.get(identity)?.get(organizationId) ?? nothing)
  const choose = (change: Partial<Chosen>): void => {
    setChosen((before) => ({ ...before, ...change }))
  }
  useEffect(() => {
    kept.set(identity, new Map(kept.get(identity)).set(organizationId, chosen))
  }, [chosen])
  const { kindName, file, format, encoding, said, skipsProblems } = chosen
  const kind = kinds.find((one) => one.kind === kindName) ?? null
  const read = useReading(file, format, encoding, kind)
  const head = read === null || 'problem' in read ? null : read.head
  return {
    ...{ kind, file, format, encoding, read, skipsProblems: skipsProblems && format === 'csv' },
    ...(head === null || kind === null ? { columns: [], mapping: {} } : columnsIn(head, kind, said)),
    chooseKind: (name) => {
      choose({ kindName: name, said: {} })
    },
    chooseFile: (given) => {
      choose({ file: given, format: formatOfName(given.name), encoding: null })
    },
    chooseFormat: (given) => {
      choose({ format: given === 'csv' ? 'csv' : 'ndjson' })
    },
    chooseEncoding: (given) => {
      choose({ encoding: encodings.find((one) => one === given) ?? null })
    },
    chooseMapping: (mapping) => {
      choose({ said: mapping })
    },
    chooseSkipping: (skips) => {
      choose({ skipsProblems: skips })
    },
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
